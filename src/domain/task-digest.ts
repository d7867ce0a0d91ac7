import { canonicalJson } from "./canonical-json.ts";
import type { EvidenceKind } from "./evaluation-rounds.ts";

/** What a judge sees of a criterion. */
export interface CriterionText {
	readonly name: string;
	readonly description: string | null;
	readonly checks: readonly string[];
	readonly evidence: EvidenceKind;
	readonly whole_checks: readonly number[];
}

interface CriterionPlace {
	readonly weight: number;
	readonly position: number;
}

/**
 * The part of a criterion that a task's digest covers: its text or, for a criterion that is hidden until the end of the final round, the
 * commitment to its text.
 */
export type FixedCriterion = CriterionPlace & (CriterionText | { readonly commitment: string });

/** What can no longer change once a task is published. The fields have the same names and values as in the API's views of the task. */
export interface FixedTask {
	readonly title: string;
	readonly description: string | null;
	readonly category: string;
	readonly input_spec: string;
	readonly output_spec: string;
	readonly eval_mode: string | null;
	readonly test_weight: number;
	readonly llm_weight: number;
	/** The criteria by position, then by name. */
	readonly criteria: readonly FixedCriterion[];
	/** The attachments that the judge reads, in the order in which they were attached. */
	readonly judged_attachments: readonly { readonly field: string; readonly filename: string; readonly sha256: string }[];
	readonly test_suite_sha256: string | null;
	readonly eval_image_digest: string | null;
}

/** Returns the string whose SHA-256 is `task_sha256`. */
export function canonicalTask(task: FixedTask): string {
	const { title, description, category, input_spec, output_spec, eval_mode, test_weight, llm_weight } = task;
	return canonicalJson({
		...{ title, description, category, input_spec, output_spec, eval_mode, test_weight, llm_weight },
		criteria: task.criteria.map(canonicalCriterion),
		attachments: task.judged_attachments.map(({ field, filename, sha256 }) => ({ field, filename, sha256 })),
		test_suite_sha256: task.test_suite_sha256,
		eval_image_digest: task.eval_image_digest,
	});
}

function canonicalCriterion(criterion: FixedCriterion) {
	const { weight, position } = criterion;
	if ("commitment" in criterion) return { weight, position, commitment: criterion.commitment };
	return { ...textOf(criterion), weight, position };
}

function textOf({ name, description, checks, evidence, whole_checks }: CriterionText) {
	return { name, description, checks, evidence, whole_checks };
}

/** Returns the string whose SHA-256 is the `commitment` of a hidden criterion. */
export function canonicalCommitment(criterion: CriterionText, salt: string): string {
	return canonicalJson({ salt, ...textOf(criterion) });
}

/** Returns the string whose SHA-256 is a receipt's `rubric_sha256`. `criteria` are the judged ones, by position and then by name. */
export function canonicalRubric(criteria: readonly (CriterionPlace & CriterionText)[]): string {
	return canonicalJson(criteria.map((criterion) => ({ ...textOf(criterion), weight: criterion.weight, position: criterion.position })));
}
