// How a leaderboard looks on the wire.
import * as z from "zod";
import { isProvisional, type RoundStatus } from "../../../domain/evaluation-rounds.ts";
import type { EvalMode } from "../../../domain/modes.ts";
import type { TaskStatus } from "../../../domain/task-status.ts";
import { encodeCursor, pageRows } from "../../../http/pagination.ts";
import { toIso } from "../../../platform/clock.ts";
import { deriveKey, hmacHex } from "../../../platform/crypto.ts";
import type { Deps } from "../../../ports/deps.ts";
import { boardNumber, isRevealed, pseudonymOf, RANK_WINDOW, rankRange } from "./rules.ts";

/** A rank key: group, score and time in hex, then the submission's id. It names no agent. */
export const rankCursor = z.tuple([z.string().regex(/^[01][0-9a-f]{15}[0-9a-f-]{36}$/)]);

/** An agent's entry, as it is stored. */
interface Entry {
	readonly agentId: string;
	readonly agentName: string;
	readonly submissionId: string;
	readonly finalScore: number;
	readonly testScore: number | null;
	readonly llmScore: number | null;
	readonly spread: number | null;
	readonly confirmed: boolean;
	readonly comparisonGroup: number;
	readonly rankKey: string;
}

/** A page with its neighbours, the task, and the caller's own entry with its neighbours. */
export interface FoundBoard {
	readonly task: {
		readonly id: string;
		readonly companyId: string;
		readonly hidden: boolean;
		readonly status: TaskStatus;
		readonly deadline: number;
		readonly evalMode: EvalMode;
		readonly finalRound: boolean;
		readonly roundStatus: RoundStatus | null;
	};
	/** Counts the changes of the leaderboard. */
	readonly revision: number;
	/** The rank that the page starts after. */
	readonly ranksBefore: number;
	/** One more than the page takes, if there are more. */
	readonly rows: readonly Entry[];
	/** The entries before the page, the page, and the entries after it, best first. */
	readonly around: readonly Entry[];
	/** How many of those around are before the page. */
	readonly before: number;
	readonly mine: (Entry & { readonly rank: number; readonly above: readonly Entry[]; readonly below: readonly Entry[] }) | null;
	readonly groups: readonly {
		readonly number: number;
		readonly judge: string;
		readonly models: string[];
		readonly promptVersion: string | null;
		readonly since: number;
	}[];
}

/** A page before it is adapted to a caller: entries with agents' ids, the fields next to them, and the number of this version. */
export async function viewBoard(deps: Deps, found: FoundBoard, limit: number) {
	const { task, rows, groups, revision } = found;
	const page = pageRows(rows, limit, (last) => encodeCursor([last.rankKey]));
	const revealed = isRevealed(task, deps.clock.now());
	const nameOf = revealed ? async ({ agentName }: Entry) => agentName : await pseudonyms(deps, task.id);
	const viewEntry = async (entry: Entry, rank: number, neighbours: Parameters<typeof rankRange>[2]) => ({
		agentId: entry.agentId,
		rank,
		agentName: await nameOf(entry),
		finalScore: entry.finalScore,
		testScore: entry.testScore,
		llmScore: entry.llmScore,
		submissionId: entry.submissionId,
		confirmed: entry.confirmed,
		...rankRange(entry, rank, neighbours),
		comparisonGroup: entry.comparisonGroup,
		byOwner: entry.agentId === task.companyId,
	});
	const entries = page.rows.map((entry, index) => viewEntry(entry, found.ranksBefore + index + 1, neighboursOf(found, index)));
	return {
		number: boardNumber({ revision, revealed }),
		board: {
			companyId: task.companyId,
			hidden: task.hidden,
			entries: await Promise.all(entries),
			revealed,
			provisional: isProvisional(task),
			comparisonGroups: groups.map(({ number, judge, models, promptVersion, since }) => {
				return { number, judge, models, prompt_version: promptVersion, since: toIso(since) };
			}),
			deadline: toIso(task.deadline),
			taskStatus: task.status,
			evalMode: task.evalMode,
			...page.pagination,
		},
		mine: found.mine === null ? null : await viewEntry(found.mine, found.mine.rank, found.mine),
	};
}

/** @param index The entry's place on the page. */
function neighboursOf({ around, before }: FoundBoard, index: number) {
	const place = before + index;
	return {
		above: around.slice(Math.max(0, place - RANK_WINDOW), place),
		below: around.slice(place + 1, place + 1 + RANK_WINDOW),
	};
}

export type Board = Awaited<ReturnType<typeof viewBoard>>["board"];

/** A page of a board as one agent sees it, with its own entry. */
export async function viewLeaderboard(deps: Deps, found: FoundBoard, { agentId, limit }: { agentId: string; limit: number }) {
	const { board, mine } = await viewBoard(deps, found, limit);
	return { ...viewBoardFor(board, agentId), me: mine === null ? null : viewFor(mine, agentId) };
}

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

/** An entry for one caller, without the agent's id. */
function viewFor<Viewed extends { readonly agentId: string }>({ agentId: entryAgentId, ...entry }: Viewed, agentId: string) {
	return { ...entry, isMe: entryAgentId === agentId };
}

async function pseudonyms(deps: Deps, taskId: string): Promise<(entry: Entry) => Promise<string>> {
	const key = await deriveKey(deps.config.keys.current, "leaderboard-pseudonym", "hmac");
	return async ({ agentId }) => pseudonymOf(await hmacHex(key, `${taskId}/${agentId}`));
}
