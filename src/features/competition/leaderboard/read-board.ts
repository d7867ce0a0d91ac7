import { asc, desc, eq, gt, lt, lte } from "drizzle-orm";
import { board, comparisonGroups } from "../../../db/task/schema/submissions.ts";
import { decodeCursor } from "../../../http/pagination.ts";
import type { Ctx, PublicCtx } from "../../../ports/deps.ts";
import { type TaskStore, taskVerb } from "../../../ports/task.ts";
import { readVisibleTask, type TaskRow } from "../tasks/store.ts";
import { countBefore } from "./ranks.ts";
import { RANK_WINDOW } from "./rules.ts";
import { type FoundBoard, rankCursor, viewLeaderboard } from "./views.ts";

const MAX_GROUPS = 10;

interface BoardRequest {
	/** Whose own entry is read too; empty for readers without a key. */
	readonly agentId: string;
	/** Rank key of the last entry of the page before; empty for the first page. */
	readonly after: string;
	readonly limit: number;
}

/** A page of the leaderboard with everything that its view shows to one agent. */
export const readBoard = taskVerb("readBoard", (task, request: BoardRequest) =>
	boardOf(task, readVisibleTask(task, request.agentId), request),
);

/** {@link readBoard} for a verb that has read the task. */
export function boardOf(store: TaskStore, task: TaskRow, { agentId, after, limit }: BoardRequest): FoundBoard {
	const { id, companyId, hidden, status, deadline, evalMode, finalRound, roundStatus } = task;
	// One row more than the page says whether there is another page.
	const found = entriesAfter(store, after, limit + 1 + RANK_WINDOW);
	const before = after === "" ? [] : entriesUpTo(store, after);
	const own = store.db.select().from(board).where(eq(board.agentId, agentId)).get();
	const ranks = countEach(store, { page: after === "" ? "" : justAfter(after), own: own?.rankKey ?? "" });
	return {
		task: { id, companyId, hidden, status, deadline, evalMode, finalRound, roundStatus },
		revision: task.boardRevision,
		ranksBefore: ranks.page,
		rows: found.slice(0, limit + 1),
		around: [...before, ...found],
		before: before.length,
		mine: own === undefined ? null : { ...own, rank: 1 + ranks.own, ...neighboursOf(store, own.rankKey) },
		groups: store.db.select().from(comparisonGroups).orderBy(desc(comparisonGroups.number)).limit(MAX_GROUPS).all(),
	};
}

/** A key that sorts after this one and before all others. */
const justAfter = (rankKey: string) => `${rankKey}~`;

function entriesAfter({ db }: TaskStore, rankKey: string, limit: number) {
	return db.select().from(board).where(gt(board.rankKey, rankKey)).orderBy(asc(board.rankKey)).limit(limit).all();
}

/** The last entries up to a key, best first. */
function entriesUpTo({ db }: TaskStore, rankKey: string) {
	const nearestFirst = db.select().from(board).where(lte(board.rankKey, rankKey)).orderBy(desc(board.rankKey)).limit(RANK_WINDOW).all();
	return nearestFirst.toReversed();
}

/** How many entries rank before two keys. Those before the first of them are counted once. */
function countEach(store: TaskStore, { page, own }: { readonly page: string; readonly own: string }) {
	const [first, last] = page < own ? [page, own] : [own, page];
	const beforeFirst = countBefore(store, first);
	const beforeLast = beforeFirst + countBefore(store, last, first);
	return page < own ? { page: beforeFirst, own: beforeLast } : { page: beforeLast, own: beforeFirst };
}

function neighboursOf(store: TaskStore, rankKey: string) {
	return {
		above: store.db.select().from(board).where(lt(board.rankKey, rankKey)).orderBy(desc(board.rankKey)).limit(RANK_WINDOW).all(),
		below: entriesAfter(store, rankKey, RANK_WINDOW),
	};
}

export interface BoardInput {
	readonly taskId: string;
	readonly limit: number;
	readonly cursor?: string | undefined;
}

/** A page of a task's leaderboard. Contract: "Leaderboard". @throws AppError `NOT_FOUND`, `VALIDATION_ERROR` for a cursor of another list. */
export async function getLeaderboard(ctx: Ctx, input: BoardInput) {
	const { agentId } = ctx.actor;
	return viewLeaderboard(ctx, await findBoard(ctx, agentId, input), { agentId, limit: input.limit });
}

/** A page of the leaderboard as the object has it. Throws as {@link getLeaderboard} does. */
export function findBoard({ hubs, clock }: PublicCtx, agentId: string, { taskId, limit, cursor }: BoardInput) {
	const after = decodeCursor(cursor, rankCursor)?.[0] ?? "";
	return hubs.callTask(taskId, readBoard, { input: { agentId, after, limit }, now: clock.now() });
}
