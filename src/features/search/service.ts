import * as z from "zod";
import { decodeCursor, encodeCursor, pageRows } from "../../http/pagination.ts";
import { HOUR_MS } from "../../platform/clock.ts";
import { describeError } from "../../platform/log.ts";
import type { Ctx, Deps, PublicCtx, RecordedEvent } from "../../ports/deps.ts";
import { planSearch, type SearchFilter } from "../search-index/rules.ts";
import { emptyIndex, findTasks, indexTasks, requireIndex, type SearchPlace } from "../search-index/service.ts";
import { viewTask } from "../tasks/service.ts";
import * as store from "./store.ts";

/** Rank, document and newest document. */
const placeCursor = z.tuple([z.int(), z.int(), z.int()]);

interface SearchInput {
	readonly query: string;
	readonly status: SearchFilter["status"];
	readonly category?: string | undefined;
	readonly limit: number;
	readonly cursor?: string | undefined;
}

/**
 * Published tasks that match a query, best first. A query without a word finds nothing. Contract: "Tasks (agent side)".
 *
 * @throws AppError `NOT_READY` when the index cannot be asked.
 */
export async function searchTasks(ctx: Ctx, input: SearchInput) {
	const { found, pagination } = await findPage(ctx, input);
	return { data: found.map(({ task, rank }) => ({ ...viewTask(task), rank })), ...pagination };
}

/** Open tasks that match a query, best first, as the public list shows them. Throws as {@link searchTasks} does. */
export async function searchOpenTasks(ctx: PublicCtx, input: Omit<SearchInput, "status">) {
	const { found, pagination } = await findPage(ctx, { ...input, status: "open" });
	return {
		data: found.map(({ task }) => ({ ...viewTask(task), competitor_count: task.competitorCount })),
		next_cursor: pagination.next_cursor,
	};
}

/** The index says which tasks match, and the directory what they are now and who may see them. A page may be shorter for that. */
async function findPage(ctx: PublicCtx, { query, status, category, limit, cursor }: SearchInput) {
	const place = decodeCursor(cursor, placeCursor);
	const after: SearchPlace | null = place === null ? null : { rank: place[0], document: place[1], newest: place[2] };
	const plan = planSearch(query, { status, category: category ?? null });
	const matches = plan === null ? [] : await findTasks(ctx, plan, { after, limit: limit + 1 });
	const { rows, pagination } = pageRows(matches, limit, (last) => encodeCursor([last.rank, last.document, last.newest]));
	const tasks =
		rows.length === 0
			? []
			: await store.selectFoundTasks(
					ctx,
					rows.map(({ taskId }) => taskId),
				);
	const taskById = new Map(tasks.filter((task) => status === "any" || task.status === status).map((task) => [task.id, task]));
	const found = rows.flatMap(({ taskId, rank }) => {
		const task = taskById.get(taskId);
		return task === undefined ? [] : [{ task, rank }];
	});
	return { found, pagination };
}

/** After an hour without success, the rest is left to `npm run admin -- rebuild-search`, so that the outbox does not fill up. */
const REPEATED_FOR_MS = HOUR_MS;

/** Brings the index to the state of a task that has changed. Verbs whose caller may search next have done so before. */
export async function followTasks(deps: Deps, { event, createdAt }: Pick<RecordedEvent, "event" | "createdAt">): Promise<null> {
	if (deps.search === null || (event.type !== "task.status_changed" && event.type !== "task.updated")) return null;
	const task = await store.findPublished(deps, event.taskId);
	if (task === null) return null;
	try {
		await indexTasks(deps.search, [task]);
	} catch (error) {
		if (deps.clock.now() - createdAt < REPEATED_FOR_MS) throw error;
		deps.log.error("search_index_outdated", { task_id: task.id, ...describeError(error) });
	}
	return null;
}

const TASKS_PER_READ = 100;
/** Of one agent. Searches do not show hidden tasks that stay in the index, but look at them. */
const MAX_TASKS_OF_AGENT = 2_000;

/** Brings the index to the state of an agent's tasks, which are hidden or shown all at once. */
export async function indexTasksOf(deps: Deps, agentId: string): Promise<void> {
	if (deps.search === null) return;
	let after = "";
	for (let done = 0; done < MAX_TASKS_OF_AGENT; done += TASKS_PER_READ) {
		const tasks = await store.selectPublishedBy(deps, agentId, { after, limit: TASKS_PER_READ });
		await indexTasks(deps.search, tasks);
		const last = tasks.at(-1);
		if (last === undefined || tasks.length < TASKS_PER_READ) return;
		after = last.id;
	}
}

/** A task in the order of publication. */
export interface Publication {
	readonly publishedAt: number;
	readonly id: string;
}

/** The 2,000 tasks of a step take half of the statements that D1 allows one request. */
const READS_PER_STEP = 20;

/**
 * A step of filling the index again: adds the tasks that were published after one. The first step empties the index, so until the last one
 * searches find a part of the tasks. Tasks get new numbers, so cursors from before it may skip or repeat some.
 *
 * @returns How many tasks were added, and the last of them unless it is the last of all.
 * @throws AppError `NOT_READY` for a deployment without an index.
 */
export async function rebuildIndex(deps: Deps, after: Publication | null): Promise<{ added: number; last: Publication | null }> {
	const search = requireIndex(deps);
	if (after === null) await emptyIndex(search);
	let place = after ?? { publishedAt: -1, id: "" };
	let added = 0;
	for (let read = 0; read < READS_PER_STEP; read += 1) {
		const tasks = await store.selectSearchable(deps, { after: place, limit: TASKS_PER_READ });
		await indexTasks(search, tasks);
		added += tasks.length;
		const last = tasks.at(-1);
		if (last === undefined || tasks.length < TASKS_PER_READ) return { added, last: null };
		place = { publishedAt: last.publishedAt, id: last.id };
	}
	return { added, last: place };
}
