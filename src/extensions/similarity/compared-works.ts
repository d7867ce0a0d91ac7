// A task's submissions are compared with each other for the list of reviews.
// The result is cached, so that only the first page of a list has to compare.
import { count, desc, eq, max, sql } from "drizzle-orm";
import { readOwnTask } from "../../core/competition/tasks/store.ts";
import { signatures } from "../../db/task/schema/similarity.ts";
import { entries } from "../../db/task/schema/task.ts";
import type { Ctx } from "../../ports/deps.ts";
import { type TaskStore, taskVerb } from "../../ports/task.ts";
import { type ComparedWork, type Copy, findCopies, findCopyOf } from "./copies.ts";
import { toComparable } from "./signed-work.ts";

/** Only the newest submissions of a task are compared. */
const MAX_COMPARED = 10_000;

/** Reads the signatures of the newest submissions with the party behind each, newest first. */
function readSignedWorks({ db }: TaskStore): SignedWork[] {
	return db
		.select({
			submissionId: signatures.submissionId,
			artifactSha256: signatures.artifactSha256,
			shingles: signatures.shingles,
			minima: signatures.minima,
			party: sql<string>`coalesce(${entries.party}, ${signatures.agentId})`,
			acceptedAt: signatures.acceptedAt,
		})
		.from(signatures)
		.leftJoin(entries, eq(entries.agentId, signatures.agentId))
		.orderBy(desc(signatures.submissionId))
		.limit(MAX_COMPARED)
		.all();
}

type SignedWork = Omit<ComparedWork, "signature"> & Pick<typeof signatures.$inferSelect, "shingles" | "minima">;

function toCompared({ shingles, minima, ...work }: SignedWork): ComparedWork {
	return { ...work, ...toComparable({ shingles, minima, artifactSha256: work.artifactSha256 }) };
}

/** Finds what a submission is a copy of. Runs inside the Task object. Returns null if the submission is not a copy. */
export function readCopyOf(task: TaskStore, submissionId: string): Copy | null {
	const works = readSignedWorks(task);
	return works.some((work) => work.submissionId === submissionId) ? findCopyOf(works.map(toCompared), submissionId) : null;
}

/** Returns the version of a task's signatures. It changes when signatures are added or erased. A signature itself never changes. */
function versionOf({ db }: TaskStore): string {
	const [row] = db
		.select({ works: count(), newest: max(signatures.submissionId) })
		.from(signatures)
		.all();
	return `${row?.works} ${row?.newest}`;
}

/** Reads the signatures of a task's submissions for its owner. `works` is null if the caller already knows the current version. */
export const readWorks = taskVerb("readWorks", (task, { by, known }: { readonly by: string; readonly known: string | null }) => {
	readOwnTask(task, by);
	const version = versionOf(task);
	return { version, works: version === known ? null : readSignedWorks(task) };
});

/** The number of tasks whose copies an isolate caches. */
const KEPT_TASKS = 8;
const copiesOfTasks = new Map<string, { readonly version: string; readonly copies: ReadonlyMap<string, Copy> }>();

/**
 * Finds the copies among the submissions to a task for its owner. Comparing ten thousand takes up to a second.
 * The Worker compares them, because the object has to serve other requests.
 *
 * @throws AppError `NOT_FOUND` or `FORBIDDEN`.
 */
export async function compareWorks(ctx: Ctx, taskId: string): Promise<ReadonlyMap<string, Copy>> {
	const earlier = copiesOfTasks.get(taskId);
	const input = { by: ctx.actor.agentId, known: earlier?.version ?? null };
	const { version, works } = await readWorks(ctx, taskId, input);
	if (works === null && earlier !== undefined) return earlier.copies;
	const copies = findCopies((works ?? []).map(toCompared));
	copiesOfTasks.delete(taskId);
	copiesOfTasks.set(taskId, { version, copies });
	const [oldest] = copiesOfTasks.keys();
	if (copiesOfTasks.size > KEPT_TASKS && oldest !== undefined) copiesOfTasks.delete(oldest);
	return copies;
}
