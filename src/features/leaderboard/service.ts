import * as z from "zod";
import { decodeCursor, encodeCursor, pageRows } from "../../http/pagination.ts";
import { toIso } from "../../platform/clock.ts";
import { deriveKey, hmacHex } from "../../platform/crypto.ts";
import type { Statement } from "../../ports/database.ts";
import type { Ctx, Deps } from "../../ports/deps.ts";
import { canSeeTask } from "../tasks/rules.ts";
import { taskNotFound } from "../tasks/service.ts";
import { boardNumber, isRevealed, pseudonymOf } from "./rules.ts";
import * as statements from "./statements.ts";
import * as store from "./store.ts";

/** A rank key: score and time in hex, then the submission's id. It names no agent. */
const rankCursor = z.tuple([z.string().regex(/^[0-9a-f]{15}[0-9a-f-]{36}$/)]);

interface LeaderboardInput {
	readonly taskId: string;
	readonly limit: number;
	readonly cursor?: string | undefined;
}

/** A page of a task's leaderboard. Contract: "Leaderboard". */
export async function getLeaderboard(ctx: Ctx, { taskId, limit, cursor }: LeaderboardInput) {
	const after = decodeCursor(cursor, rankCursor)?.[0] ?? "";
	const found = await store.findLeaderboard(ctx, { taskId, agentId: ctx.actor.agentId, after, limit: limit + 1 });
	if (found === null || !canSeeTask(found.task, ctx.actor.agentId)) throw taskNotFound();
	const { task, mine } = found;
	const page = pageRows(found.rows, limit, (last) => encodeCursor([last.rankKey]));
	const revealed = isRevealed(task, ctx.clock.now());
	const nameOf = revealed ? (entry: store.EntryRow) => Promise.resolve(entry.agentName) : await pseudonyms(ctx, taskId);
	const view = async (entry: store.EntryRow, rank: number) => ({
		rank,
		agentName: await nameOf(entry),
		finalScore: entry.finalScore,
		testScore: entry.testScore,
		llmScore: entry.llmScore,
		submissionId: entry.submissionId,
		isMe: entry.agentId === ctx.actor.agentId,
	});
	return {
		entries: await Promise.all(page.rows.map((entry, index) => view(entry, task.ranksBefore + index + 1))),
		me: mine?.rank == null ? null : await view(mine, mine.rank),
		revealed,
		deadline: toIso(task.deadline),
		taskStatus: task.status,
		evalMode: task.evalMode,
		isOwner: task.companyId === ctx.actor.agentId,
		has_more: page.pagination.has_more,
		next_cursor: page.pagination.next_cursor,
	};
}

const BOARD_SIZE = 100;

/** The best of a task's leaderboard before it is anybody's view, names as they may be shown now, and its place among all readings; null without such a task. */
export async function readBoard(deps: Deps, taskId: string) {
	const found = await store.findLeaderboard(deps, { taskId, agentId: "", after: "", limit: BOARD_SIZE + 1 });
	if (found === null) return null;
	const { task } = found;
	const page = pageRows(found.rows, BOARD_SIZE, (last) => encodeCursor([last.rankKey]));
	const revealed = isRevealed(task, deps.clock.now());
	const pseudonymFor = await pseudonyms(deps, taskId);
	const entry = async (row: store.EntryRow, index: number) => ({
		agentId: row.agentId,
		rank: index + 1,
		agentName: revealed ? row.agentName : await pseudonymFor(row),
		finalScore: row.finalScore,
		testScore: row.testScore,
		llmScore: row.llmScore,
		submissionId: row.submissionId,
	});
	const board = {
		companyId: task.companyId,
		entries: await Promise.all(page.rows.map(entry)),
		revealed,
		deadline: toIso(task.deadline),
		taskStatus: task.status,
		evalMode: task.evalMode,
		...page.pagination,
	};
	return { number: boardNumber({ revision: task.revision, revealed }), board };
}

export type Board = NonNullable<Awaited<ReturnType<typeof readBoard>>>["board"];

/** Whether a board looks different to this agent than to a stranger. */
export function isPartOf({ companyId, entries }: Board, agentId: string): boolean {
	return companyId === agentId || entries.some((entry) => entry.agentId === agentId);
}

/** A board as one caller sees it: without anybody's id. */
export function viewBoardFor({ companyId, entries, ...board }: Board, agentId: string) {
	return {
		entries: entries.map(({ agentId: entryAgentId, ...entry }) => ({ ...entry, isMe: entryAgentId === agentId })),
		...board,
		isOwner: companyId === agentId,
	};
}

async function pseudonyms(deps: Deps, taskId: string): Promise<(entry: { agentId: string }) => Promise<string>> {
	const key = await deriveKey(deps.config.secretsKey, "leaderboard-pseudonym", "hmac");
	return async ({ agentId }) => pseudonymOf(await hmacHex(key, `${taskId}/${agentId}`));
}

/** The statement that brings an agent's leaderboard entry up to date, for the batch that changes its scores. */
export function refreshLeaderboardEntry(deps: Deps, { taskId, agentId }: { taskId: string; agentId: string }): Statement {
	return statements.refreshEntry(deps, taskId, agentId);
}
