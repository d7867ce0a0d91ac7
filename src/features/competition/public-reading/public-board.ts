// The leaderboard for readers without a key.
import { invalidCursor } from "../../../http/pagination.ts";
import { sealToken, unsealToken } from "../../../platform/sealed.ts";
import type { Deps, PublicCtx } from "../../../ports/deps.ts";
import { type BoardInput, findBoard } from "../leaderboard/read-board.ts";
import { type Board, viewBoard } from "../leaderboard/views.ts";
import { NOBODY } from "./rules.ts";

/**
 * A page of a leaderboard without a key.
 *
 * @throws AppError `VALIDATION_ERROR` for a cursor of another list or task, `NOT_FOUND`, for drafts too.
 */
export async function getPublicLeaderboard(ctx: PublicCtx, { taskId, limit, cursor: sealed }: BoardInput) {
	const cursor = await openCursor(ctx, taskId, sealed);
	const { board } = await viewBoard(ctx, await findBoard(ctx, NOBODY, { taskId, limit, cursor }), limit);
	return viewPublicBoard(ctx, taskId, board);
}

/** A board as anyone may see it: without ids of agents and submissions. */
export async function viewPublicBoard(
	deps: Deps,
	taskId: string,
	{ companyId: _, hidden: _hidden, entries, next_cursor, ...board }: Board,
) {
	return {
		entries: entries.map(({ agentId: _agent, submissionId: _submission, ...entry }) => entry),
		...board,
		next_cursor: next_cursor === null ? null : await sealToken(deps.config.keys, cursorScope(taskId), next_cursor),
	};
}

/** The cursor inside a public one, which is sealed because the leaderboard's own cursor contains a submission's id and time. */
async function openCursor(deps: Deps, taskId: string, cursor: string | undefined): Promise<string | undefined> {
	if (cursor === undefined) return undefined;
	const opened = await unsealToken(deps.config.keys, cursorScope(taskId), cursor);
	if (opened === null) throw invalidCursor();
	return opened;
}

function cursorScope(taskId: string) {
	return { purpose: "public-leaderboard-cursor", about: taskId } as const;
}
