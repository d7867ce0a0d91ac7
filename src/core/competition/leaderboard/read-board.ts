// Reads the board inside a Task object. A rank is counted when it is read, by the index of the rank key.
import { and, asc, count, desc, eq, gt, gte, lt, lte, sql } from "drizzle-orm";
import * as z from "zod";
import { prepareOnce } from "../../../db/task/prepared.ts";
import { board, comparisonGroups, type ReviewRow, reviews } from "../../../db/task/schema/submissions.ts";
import type { TaskRow } from "../../../db/task/schema/task.ts";
import { decodeCursor } from "../../../http/pagination.ts";
import type { PublicCtx } from "../../../ports/deps.ts";
import { type TaskStore, taskVerb } from "../../../ports/task.ts";
import { isRestricted } from "../tasks/rules.ts";
import { readVisibleTask } from "../tasks/store.ts";
import { readNoisy } from "./noise.ts";
import { RANK_WINDOW } from "./rules.ts";

const MAX_GROUPS = 10;

interface BoardRequest {
	/** The entry of this agent is read too. It is empty for readers without a key. */
	readonly agentId: string;
	/** The last entry of the page before has this rank key. It is empty for the first page. */
	readonly after: string;
	readonly limit: number;
}

const ownQuery = prepareOnce((db) =>
	db
		.select()
		.from(board)
		.where(eq(board.agentId, sql.placeholder("agentId")))
		.prepare(),
);
const groupsQuery = prepareOnce((db) =>
	db.select().from(comparisonGroups).orderBy(desc(comparisonGroups.number)).limit(MAX_GROUPS).prepare(),
);

/** Reads a page of the leaderboard with everything that its view shows to one agent. */
export const readBoard = taskVerb("readBoard", (task, request: BoardRequest) =>
	boardOf(task, readVisibleTask(task, request.agentId), request),
);

/** Does what {@link readBoard} does, for a verb that has read the task. */
export function boardOf(store: TaskStore, task: TaskRow, { agentId, after, limit }: BoardRequest) {
	const { id, companyId, status, deadline, evalMode, finalRound, roundStatus } = task;
	// This reads one row more than the page, which says whether there is another page.
	const found = entriesAfter(store, after, limit + 1 + RANK_WINDOW);
	const before = after === "" ? [] : entriesUpTo(store, after);
	const own = ownQuery(store.db).get({ agentId });
	const rows = found.slice(0, limit + 1);
	const ranks = countEach(store, { page: after === "" ? "" : justAfter(after), own: own?.rankKey ?? "" });
	return {
		task: { id, companyId, restricted: isRestricted(task), status, deadline, evalMode, finalRound, roundStatus },
		/** Counts the changes of the leaderboard. */
		revision: task.boardRevision,
		/** The last entry before the page has this rank. */
		ranksBefore: ranks.page,
		/** The page has one entry more than the limit, if there are more. */
		rows,
		/** The noise of judging depends on this, and on the deployment's setting. */
		noisy: readNoisy(store, task),
		/** The reviews behind the scores that an owner has changed. */
		reviews: readReviewsOf(store, own === undefined ? rows : [...rows, own]),
		/** The ranges of ranks depend on the entries before the page, the page, and the entries after it. They come best first. */
		around: [...before, ...found],
		/** `around` has this number of entries before the page. */
		before: before.length,
		mine: own === undefined ? null : { ...own, rank: 1 + ranks.own, ...neighboursOf(store, own.rankKey) },
		groups: groupsQuery(store.db).all(),
	};
}

/** Reads the owner's decisions behind the entries whose scores they have changed. */
function readReviewsOf({ db }: TaskStore, rows: readonly (typeof board.$inferSelect)[]): ReviewRow[] {
	const ids = rows.flatMap(({ submissionId, reviewed }) => (reviewed ? [submissionId] : []));
	if (ids.length === 0) return [];
	const isOne = sql`${reviews.submissionId} in (select value from json_each(${JSON.stringify(ids)}))`;
	return db.select().from(reviews).where(isOne).all();
}

export type BoardPage = ReturnType<typeof boardOf>;

/** Returns a key that sorts after this one and before all others. */
const justAfter = (rankKey: string) => `${rankKey}~`;

const afterQuery = prepareOnce((db) =>
	db
		.select()
		.from(board)
		.where(gt(board.rankKey, sql.placeholder("rankKey")))
		.orderBy(asc(board.rankKey))
		.limit(sql.placeholder("limit"))
		.prepare(),
);

function entriesAfter({ db }: TaskStore, rankKey: string, limit: number) {
	return afterQuery(db).all({ rankKey, limit });
}

/** Selects the last entries up to a key, best first. */
function entriesUpTo({ db }: TaskStore, rankKey: string) {
	const nearestFirst = db.select().from(board).where(lte(board.rankKey, rankKey)).orderBy(desc(board.rankKey)).limit(RANK_WINDOW).all();
	return nearestFirst.toReversed();
}

/** Counts the entries that rank before two keys. Those before the first of them are counted once. */
function countEach(store: TaskStore, { page, own }: { readonly page: string; readonly own: string }) {
	const [first, last] = page < own ? [page, own] : [own, page];
	const beforeFirst = countBefore(store, first);
	const beforeLast = beforeFirst + countBefore(store, last, first);
	return page < own ? { page: beforeFirst, own: beforeLast } : { page: beforeLast, own: beforeFirst };
}

const aboveQuery = prepareOnce((db) =>
	db
		.select()
		.from(board)
		.where(lt(board.rankKey, sql.placeholder("rankKey")))
		.orderBy(desc(board.rankKey))
		.limit(RANK_WINDOW)
		.prepare(),
);

function neighboursOf(store: TaskStore, rankKey: string) {
	return {
		above: aboveQuery(store.db).all({ rankKey }),
		below: entriesAfter(store, rankKey, RANK_WINDOW),
	};
}

const rankKeyQuery = prepareOnce((db) =>
	db
		.select({ rankKey: board.rankKey })
		.from(board)
		.where(eq(board.agentId, sql.placeholder("agentId")))
		.prepare(),
);

/** Returns an agent's rank on the task. Returns null before its first scored submission. */
export function rankOf(task: TaskStore, agentId: string): number | null {
	const own = rankKeyQuery(task.db).get({ agentId });
	return own === undefined ? null : 1 + countBefore(task, own.rankKey);
}

const countQuery = prepareOnce((db) =>
	db
		.select({ entries: count() })
		.from(board)
		.where(and(gte(board.rankKey, sql.placeholder("from")), lt(board.rankKey, sql.placeholder("rankKey"))))
		.prepare(),
);

/** Counts the entries that rank before a key, from another key on. */
function countBefore({ db }: TaskStore, rankKey: string, from = ""): number {
	return countQuery(db).get({ from, rankKey })?.entries ?? 0;
}

/** A rank key has a digit for the group, then score and time in hex, then the submission's id. It names no agent. */
const rankCursor = z.tuple([z.string().regex(/^[0-2][0-9a-f]{15}[0-9a-f-]{36}$/)]);

/**
 * Asks the task's object for a page of its leaderboard.
 *
 * @throws AppError `NOT_FOUND`, `VALIDATION_ERROR` for a cursor of another list.
 */
export function findBoard(
	ctx: PublicCtx,
	{ agentId, taskId, limit, cursor }: { agentId: string; taskId: string; limit: number; cursor?: string | undefined },
) {
	const after = decodeCursor(cursor, rankCursor)?.[0] ?? "";
	return readBoard(ctx, taskId, { agentId, after, limit });
}
