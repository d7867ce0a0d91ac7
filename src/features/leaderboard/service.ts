import { decodeCursor } from "../../http/pagination.ts";
import type { Statement } from "../../ports/database.ts";
import type { Ctx, Deps } from "../../ports/deps.ts";
import { canReadTask, taskNotFound } from "../tasks/service.ts";
import * as statements from "./statements.ts";
import * as store from "./store.ts";
import { rankCursor, viewBoard, viewLeaderboard } from "./views.ts";

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
	return viewLeaderboard(ctx, found, { agentId, limit });
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
	return found === null ? null : viewBoard(deps, found, limit);
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
