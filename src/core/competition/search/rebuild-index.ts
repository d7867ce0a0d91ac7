// Refills the search index in the order of publication. The cards list the tasks, and each task's object has the content.
import { and, asc, eq, ne, sql } from "drizzle-orm";
import { taskCards } from "../../../db/schema/cards.ts";
import { chunksOf } from "../../../domain/chunks.ts";
import type { Deps } from "../../../ports/deps.ts";
import { taskVerb, unlessDeleted } from "../../../ports/task.ts";
import { readIndexable } from "./index-task.ts";
import { emptyIndex, indexTasks, requireIndex } from "./search-index.ts";

const readIndexedTask = taskVerb("readIndexedTask", (task, _input: null) => readIndexable(task));

/** A task's position in the order of publication. */
export interface Publication {
	readonly publishedAt: number;
	readonly id: string;
}

export const TASKS_PER_STEP = 100;
const TASKS_AT_ONCE = 20;

/**
 * Does one step of refilling the index: adds the next tasks that were published after a given one. The first step empties the index, so
 * searches find only some of the tasks until the last step is done. Tasks get new numbers, so cursors from before the refill may skip or
 * repeat tasks.
 *
 * @returns The number of tasks added, and the last of them if there are more to add.
 * @throws AppError `NOT_READY` for a deployment without an index.
 */
export async function rebuildIndex(deps: Deps, after: Publication | null): Promise<{ added: number; last: Publication | null }> {
	const search = requireIndex(deps);
	if (after === null) await emptyIndex(search);
	const published = await selectPublications(deps, after ?? { publishedAt: -1, id: "" });
	let added = 0;
	for (const some of chunksOf(published, TASKS_AT_ONCE)) {
		// After a restore, the directory has cards of tasks that do not exist, until the cards are rebuilt.
		const tasks = (await Promise.all(some.map(({ id }) => unlessDeleted(readIndexedTask(deps, id, null))))).filter((task) => task !== null);
		await indexTasks(search, tasks);
		added += tasks.length;
	}
	return { added, last: published.length < TASKS_PER_STEP ? null : (published.at(-1) ?? null) };
}

function selectPublications({ db }: Deps, after: Publication): Promise<Publication[]> {
	const publishedAt = sql<number>`coalesce(${taskCards.publishedAt}, 0)`;
	const isLater = sql`(${publishedAt}, ${taskCards.id}) > (${after.publishedAt}, ${after.id})`;
	return db.query
		.select({ id: taskCards.id, publishedAt: publishedAt.as("published") })
		.from(taskCards)
		.where(and(ne(taskCards.status, "draft"), eq(taskCards.hidden, false), isLater))
		.orderBy(publishedAt, asc(taskCards.id))
		.limit(TASKS_PER_STEP);
}
