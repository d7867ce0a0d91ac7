// Reads the board inside a Task object. Ranks are not stored: each read counts them, with the index on the rank key.
import { and, asc, count, desc, eq, gt, gte, lt, sql } from "drizzle-orm";
import * as z from "zod";
import { boardEntryFields, boardFields } from "#fields";
import { prepareOnce } from "../../../db/task/prepared.ts";
import { board, comparisonGroups } from "../../../db/task/schema/submissions.ts";
import type { TaskRow } from "../../../db/task/schema/task.ts";
import { decodeCursor } from "../../../http/pagination.ts";
import type { PublicCtx } from "../../../ports/deps.ts";
import { type TaskStore, taskVerb } from "../../../ports/task.ts";
import { isRestricted } from "../tasks/rules.ts";
import { readVisibleTask } from "../tasks/store.ts";

const MAX_GROUPS = 10;

interface BoardRequest {
	/** The reader, whose own entry is read too. Empty for readers without a key. */
	readonly agentId: string;
	/** The rank key of the previous page's last entry. Empty for the first page. */
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

/** Like {@link readBoard}, for a verb that has already read the task. */
export function boardOf(store: TaskStore, task: TaskRow, { agentId, after, limit }: BoardRequest) {
	const { id, companyId, status, deadline, clockOffsetMs, evalMode } = task;
	const rows = afterQuery(store.db).all({ rankKey: after, limit: limit + 1 });
	const own = ownQuery(store.db).get({ agentId });
	const ranks = countEach(store, { page: after === "" ? "" : justAfter(after), own: own?.rankKey ?? "" });
	const page = rows.map((row, index) => ({ ...row, rank: ranks.page + index + 1 }));
	const mine = own === undefined ? null : { ...own, rank: 1 + ranks.own };
	const fieldsOf = boardEntryFields.read(store, { task, page, hasMore: rows.length > limit, own: mine });
	return {
		task: { id, companyId, restricted: isRestricted(task), status, deadline, clockOffsetMs, evalMode, isSettled: task.settledAt !== null },
		added: boardFields.read(task),
		/** The number of changes to the leaderboard so far. */
		revision: task.boardRevision,
		/** The entries of the page, and one more if there is another page. */
		rows: page.map((row) => ({ ...row, added: fieldsOf(row) })),
		mine: mine === null ? null : { ...mine, added: fieldsOf(mine) },
		groups: groupsQuery(store.db).all(),
	};
}

export type BoardPage = ReturnType<typeof boardOf>;

/** Returns a key that sorts directly after this one. */
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

/** Counts the entries before each of two keys. Reads the entries before the first key only once. */
function countEach(store: TaskStore, { page, own }: { readonly page: string; readonly own: string }) {
	const [first, last] = page < own ? [page, own] : [own, page];
	const beforeFirst = countBefore(store, first);
	const beforeLast = beforeFirst + countBefore(store, last, first);
	return page < own ? { page: beforeFirst, own: beforeLast } : { page: beforeLast, own: beforeFirst };
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

/** Counts the entries from one key up to but not including another. */
function countBefore({ db }: TaskStore, rankKey: string, from = ""): number {
	if (rankKey === from) return 0;
	return countQuery(db).get({ from, rankKey })?.entries ?? 0;
}

/** A rank key is a digit for the tier, then the score and the time in hex, then the submission's id. It does not identify the agent. */
const rankCursor = z.tuple([z.string().regex(/^[0-2][0-9a-f]{15}[0-9a-f-]{36}$/)]);

/**
 * Reads a page of the leaderboard from the Task object.
 *
 * @throws AppError `NOT_FOUND`, `VALIDATION_ERROR` for a malformed cursor.
 */
export function findBoard(
	ctx: PublicCtx,
	{ agentId, taskId, limit, cursor }: { agentId: string; taskId: string; limit: number; cursor?: string | undefined },
) {
	const after = decodeCursor(cursor, rankCursor)?.[0] ?? "";
	return readBoard(ctx, taskId, { agentId, after, limit });
}
