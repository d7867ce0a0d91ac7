// A task's submissions are compared with each other for the list of reviews. The pairs are kept, so that the pages of a list compare once.
import { count, desc, eq, max, sql } from "drizzle-orm";
import { signatures } from "../../../db/task/schema/submissions.ts";
import { entries } from "../../../db/task/schema/task.ts";
import type { Ctx } from "../../../ports/deps.ts";
import { type TaskStore, taskVerb } from "../../../ports/task.ts";
import { readOwnTask } from "../tasks/store.ts";
import { findPairs } from "./pairs.ts";
import { COPY_FROM } from "./rules.ts";
import { toComparable } from "./signed-work.ts";

/** Only the newest submissions of a task are compared. */
const MAX_COMPARED = 10_000;

/** Reads the signatures of the newest submissions with the party behind each, the newest first. */
export function readSignedWorks({ db }: TaskStore) {
	return db
		.select({
			submissionId: signatures.submissionId,
			agentId: signatures.agentId,
			artifactSha256: signatures.artifactSha256,
			shingles: signatures.shingles,
			minima: signatures.minima,
			party: sql<string>`coalesce(${entries.party}, ${signatures.agentId})`,
		})
		.from(signatures)
		.leftJoin(entries, eq(entries.agentId, signatures.agentId))
		.orderBy(desc(signatures.submissionId))
		.limit(MAX_COMPARED)
		.all();
}

/** Two submissions of a similarity of at least {@link COPY_FROM}, the newer one first. */
export interface WorkPair {
	readonly submissionId: string;
	readonly otherSubmissionId: string;
	readonly isSameParty: boolean;
}

/** Returns a text that changes when signatures are added, or taken away with an erased agent. A signature itself never changes. */
function versionOf({ db }: TaskStore): string {
	const [found] = db
		.select({ works: count(), newest: max(signatures.submissionId) })
		.from(signatures)
		.all();
	return `${found?.works} ${found?.newest}`;
}

/** Reads the works of a task for its owner. They are null if they have the version that the caller knows. */
export const readWorks = taskVerb("readWorks", (task, { by, known }: { readonly by: string; readonly known: string | null }) => {
	readOwnTask(task, by);
	const version = versionOf(task);
	return { version, works: version === known ? null : readSignedWorks(task) };
});

/** The isolate keeps the pairs of this number of tasks, and of none that has more pairs than this. */
const KEPT_TASKS = 8;
const KEPT_PAIRS = 20_000;
const pairsOfTasks = new Map<string, { readonly version: string; readonly pairs: readonly WorkPair[] }>();

/**
 * Finds the pairs of alike submissions to a task for its owner. Comparing ten thousand takes up to a second, which the Worker spends,
 * because the object has to serve others.
 *
 * @throws AppError `NOT_FOUND` or `FORBIDDEN`.
 */
export async function compareWorks(ctx: Ctx, taskId: string): Promise<readonly WorkPair[]> {
	const earlier = pairsOfTasks.get(taskId);
	const input = { by: ctx.actor.agentId, known: earlier?.version ?? null };
	const { version, works } = await readWorks(ctx, taskId, input);
	if (works === null && earlier !== undefined) return earlier.pairs;
	const pairs = pairsOf(works ?? []);
	pairsOfTasks.delete(taskId);
	if (pairs.length <= KEPT_PAIRS) pairsOfTasks.set(taskId, { version, pairs });
	const [oldest] = pairsOfTasks.keys();
	if (pairsOfTasks.size > KEPT_TASKS && oldest !== undefined) pairsOfTasks.delete(oldest);
	return pairs;
}

function pairsOf(works: ReturnType<typeof readSignedWorks>): WorkPair[] {
	return findPairs(works.map(toComparable), COPY_FROM).flatMap(({ first, second }) => {
		const [a, b] = [works[first], works[second]];
		if (a === undefined || b === undefined) return [];
		return [{ submissionId: a.submissionId, otherSubmissionId: b.submissionId, isSameParty: a.party === b.party }];
	});
}
