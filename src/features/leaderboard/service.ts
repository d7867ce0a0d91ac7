import * as z from "zod";
import { isProvisional } from "../../domain/evaluation-rounds.ts";
import { decodeCursor, encodeCursor, pageRows } from "../../http/pagination.ts";
import { toIso } from "../../platform/clock.ts";
import { deriveKey, hmacHex } from "../../platform/crypto.ts";
import type { Statement } from "../../ports/database.ts";
import type { Ctx, Deps } from "../../ports/deps.ts";
import { canReadTask, taskNotFound } from "../tasks/service.ts";
import { boardNumber, isRevealed, pseudonymOf, RANK_WINDOW, rankRange } from "./rules.ts";
import * as statements from "./statements.ts";
import * as store from "./store.ts";

/** A rank key: group, score and time in hex, then the submission's id. It names no agent. */
const rankCursor = z.tuple([z.string().regex(/^[01][0-9a-f]{15}[0-9a-f-]{36}$/)]);

interface LeaderboardInput {
	readonly taskId: string;
	readonly limit: number;
	readonly cursor?: string | undefined;
}

/** A page of a task's leaderboard. Contract: "Leaderboard". */
export async function getLeaderboard(ctx: Ctx, { taskId, limit, cursor }: LeaderboardInput) {
	const after = decodeCursor(cursor, rankCursor)?.[0] ?? "";
	const { agentId } = ctx.actor;
	const found = await store.findLeaderboard(ctx, { taskId, agentId, after, limit: limit + 1 });
	if (found === null || !(await canReadTask(ctx, found.task, agentId))) throw taskNotFound();
	const { mine } = found;
	const { entries, viewEntry, frame } = await viewBoard(ctx, taskId, { found, limit });
	return {
		entries: entries.map((entry) => viewFor(entry, agentId)),
		me: mine?.rank == null ? null : viewFor(await viewEntry(mine, mine.rank, mine), agentId),
		...frame,
		isOwner: found.task.companyId === agentId,
	};
}

type FoundBoard = NonNullable<Awaited<ReturnType<typeof store.findLeaderboard>>>;

/** A page before it is adapted to a caller: entries with agents' ids, and the fields next to them. */
async function viewBoard(deps: Deps, taskId: string, { found, limit }: { found: FoundBoard; limit: number }) {
	const { task, around, groups } = found;
	const page = pageRows(found.rows, limit, (last) => encodeCursor([last.rankKey]));
	const revealed = isRevealed(task, deps.clock.now());
	const pseudonymFor = revealed ? null : await pseudonyms(deps, taskId);
	const viewEntry = async (entry: store.EntryRow, rank: number, neighbours: Parameters<typeof rankRange>[2]) => ({
		agentId: entry.agentId,
		rank,
		agentName: pseudonymFor === null ? entry.agentName : await pseudonymFor(entry),
		finalScore: entry.finalScore,
		testScore: entry.testScore,
		llmScore: entry.llmScore,
		submissionId: entry.submissionId,
		confirmed: entry.confirmed,
		...rankRange(entry, rank, neighbours),
		comparisonGroup: entry.comparisonGroup,
		byOwner: entry.agentId === task.companyId,
	});
	const start = found.before;
	const neighboursOf = (index: number) => ({
		above: around.slice(Math.max(0, start + index - RANK_WINDOW), start + index),
		below: around.slice(start + index + 1, start + index + 1 + RANK_WINDOW),
	});
	return {
		viewEntry,
		entries: await Promise.all(page.rows.map((entry, index) => viewEntry(entry, task.ranksBefore + index + 1, neighboursOf(index)))),
		frame: {
			revealed,
			provisional: isProvisional(task),
			comparisonGroups: groups.map(({ promptVersion, since, ...group }) => ({
				...group,
				prompt_version: promptVersion,
				since: toIso(since),
			})),
			deadline: toIso(task.deadline),
			taskStatus: task.status,
			evalMode: task.evalMode,
			...page.pagination,
		},
	};
}

/** An entry for one caller, without the agent's id. */
function viewFor<Entry extends { readonly agentId: string }>({ agentId: entryAgentId, ...entry }: Entry, agentId: string) {
	return { ...entry, isMe: entryAgentId === agentId };
}

const BOARD_SIZE = 100;

interface BoardPage {
	readonly limit?: number;
	readonly cursor?: string | undefined;
}

/**
 * A page of a task's leaderboard before it is adapted to a caller, and the number of this version; null for an unknown task. Before
 * the reveal, names are pseudonyms.
 *
 * @throws AppError `VALIDATION_ERROR` for a cursor that is not one of this list.
 */
export async function readBoard(deps: Deps, taskId: string, { limit = BOARD_SIZE, cursor }: BoardPage = {}) {
	const after = decodeCursor(cursor, rankCursor)?.[0] ?? "";
	const found = await store.findLeaderboard(deps, { taskId, agentId: "", after, limit: limit + 1 });
	if (found === null) return null;
	const { entries, frame } = await viewBoard(deps, taskId, { found, limit });
	const { companyId, hidden, revision } = found.task;
	return { number: boardNumber({ revision, revealed: frame.revealed }), board: { companyId, hidden, entries, ...frame } };
}

export type Board = NonNullable<Awaited<ReturnType<typeof readBoard>>>["board"];

/** Whether a board looks different to this agent than to a stranger. */
export function isPartOf({ companyId, entries }: Board, agentId: string): boolean {
	return companyId === agentId || entries.some((entry) => entry.agentId === agentId);
}

/** A board for one caller, without agents' ids. */
export function viewBoardFor({ companyId, hidden: _, entries, ...board }: Board, agentId: string) {
	return {
		entries: entries.map((entry) => viewFor(entry, agentId)),
		...board,
		isOwner: companyId === agentId,
	};
}

async function pseudonyms(deps: Deps, taskId: string): Promise<(entry: { agentId: string }) => Promise<string>> {
	const key = await deriveKey(deps.config.keys.current, "leaderboard-pseudonym", "hmac");
	return async ({ agentId }) => pseudonymOf(await hmacHex(key, `${taskId}/${agentId}`));
}

/** The statement that brings an agent's leaderboard entry up to date, for the batch that changes its scores. */
export function refreshLeaderboardEntry(deps: Deps, { taskId, agentId }: { taskId: string; agentId: string }): Statement {
	return statements.refreshEntry(deps, taskId, agentId);
}

/** The statements that take a voided submission off the leaderboard. The agent's next best one takes its place. */
export function withdrawLeaderboardEntry(deps: Deps, ids: { taskId: string; agentId: string; submissionId: string }): Statement[] {
	return [statements.removeEntry(deps, ids), statements.refreshEntry(deps, ids.taskId, ids.agentId)];
}

/** The statement that ranks all candidates of a final round by their confirmed submissions, for the batch that ends the round. */
export function confirmLeaderboardEntries(deps: Deps, taskId: string): Statement {
	return statements.confirmEntries(deps, taskId);
}
