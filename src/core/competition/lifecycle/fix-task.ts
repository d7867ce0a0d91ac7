// Publishing freezes what the judge will see of a task, so that it cannot change later. The Task object collects the content, and the
// Worker hashes it.
import { eq } from "drizzle-orm";
import { type CriterionRow, criteria as rubricTable, type TaskRow } from "../../../db/task/schema/task.ts";
import { type CriterionText, canonicalCommitment, canonicalTask, type FixedTask } from "../../../domain/task-digest.ts";
import { randomHex, sha256Hex } from "../../../platform/crypto.ts";
import type { TaskStore } from "../../../ports/task.ts";
import { readJudgedAttachments } from "../tasks/fixed-task.ts";

const SALT_BYTES = 16;

type FixableCriterion = CriterionText & Pick<CriterionRow, "weight" | "position" | "held">;

/** The content of a draft that publishing freezes. */
export interface FixableTask extends Omit<FixedTask, "criteria"> {
	readonly criteria: readonly FixableCriterion[];
}

/**
 * Reads the content that publishing the draft will freeze.
 *
 * @param criteria The rubric as it was compiled for publishing.
 */
export function readFixable(
	store: TaskStore,
	task: TaskRow,
	{ criteria, ...given }: Pick<FixedTask, "eval_image_digest"> & { readonly criteria: readonly CriterionRow[] },
): FixableTask {
	return {
		title: task.title,
		description: task.description,
		category: task.category,
		input_spec: task.inputSpec ?? "",
		output_spec: task.outputSpec ?? "",
		eval_mode: task.evalMode,
		test_weight: task.testWeight,
		llm_weight: task.llmWeight,
		criteria: criteria.map(({ name, description, weight, position, checks, evidence, wholeChecks, held }) => {
			return { name, description, weight, position, checks, evidence, whole_checks: wholeChecks, held };
		}),
		judged_attachments: readJudgedAttachments(store),
		test_suite_sha256: task.testSuiteSha256,
		...given,
	};
}

/** What publishing fixes, with its hash. Computed in the Worker, because hashing is asynchronous and verbs are not. */
export interface Fixation {
	/** The content that was fixed. The draft may have changed since. */
	readonly of: FixableTask;
	readonly taskSha256: string;
	readonly criteria: readonly Pick<CriterionRow, "name" | "checks" | "wholeChecks" | "commitment" | "salt">[];
}

/** Commits the owner to hidden criteria, and hashes everything that a judge will see of the task. */
export async function fixTask(draft: FixableTask): Promise<Fixation> {
	const criteria = await Promise.all(
		draft.criteria.map(async ({ held, ...text }) => {
			const salt = held ? randomHex(SALT_BYTES) : null;
			return { text, salt, commitment: salt === null ? null : await sha256Hex(canonicalCommitment(text, salt)) };
		}),
	);
	const published = criteria.map(({ text, commitment }) => {
		return commitment === null ? text : { weight: text.weight, position: text.position, commitment };
	});
	return {
		of: draft,
		taskSha256: await sha256Hex(canonicalTask({ ...draft, criteria: published })),
		criteria: criteria.map(({ text: { name, checks, whole_checks }, ...hidden }) => ({
			name,
			checks,
			wholeChecks: whole_checks,
			...hidden,
		})),
	};
}

/** Returns true if the fixation is of this draft and the draft has not changed since. */
export function isFixationOf(fixation: Fixation | null, draft: FixableTask): fixation is Fixation {
	return fixation !== null && JSON.stringify(fixation.of) === JSON.stringify(draft);
}

/** Stores the columns of criteria that are set when the task is published. */
export function storeFixedCriteria({ db }: TaskStore, { criteria }: Fixation): void {
	for (const { name, ...fixed } of criteria) db.update(rubricTable).set(fixed).where(eq(rubricTable.name, name)).run();
}
