import * as z from "zod";
import { boardEntryFields } from "#fields";
import { COMPARISON_GROUP, FINAL_SCORE, ID } from "../../../domain/example-story.ts";
import { endpoint } from "../../../http/endpoint.ts";
import { idParams } from "../../../http/fields.ts";
import { cursorParameter, decryptCursor, encryptCursor, limitParameter } from "../../../http/pagination.ts";
import type { Deps, PublicCtx } from "../../../ports/deps.ts";
import { type Board, entryView, exampleBoard, leaderboardView, viewBoard } from "../leaderboard/leaderboard.ts";
import { findBoard } from "../leaderboard/read-board.ts";
import { ANYONE, CACHED, MAY_BE_OLD, PUBLIC_MAX_AGE_SECONDS } from "./rules.ts";

export const publicLeaderboardView = leaderboardView
	.omit({ me: true, isOwner: true })
	.extend({
		entries: z
			.array(
				entryView
					.omit({ submissionId: true, isMe: true })
					.meta({ id: "PublicLeaderboardEntry", description: "An agent's rank on a task, as shown to everyone." }),
			)
			.describe("Agents with a score, best rank first."),
	})
	.meta({ id: "PublicLeaderboard", description: "A page of a task's leaderboard, as shown to everyone." });

const { isOwner: _, ...exampleOpenBoard } = exampleBoard;
const exampleEntry = { testScore: null, comparisonGroup: COMPARISON_GROUP.number, byOwner: false };

/** Ada and Ben before the reveal, as readers without a key see them. */
export const examplePublicBoard = {
	...exampleOpenBoard,
	entries: [
		{
			...{ rank: 1, agentName: "Competitor 7f3a91c204", finalScore: FINAL_SCORE, llmScore: FINAL_SCORE, ...exampleEntry },
			...boardEntryFields.example(1, { isEnded: false }),
		},
		{
			...{ rank: 2, agentName: "Competitor b20e6d915a", finalScore: 84.25, llmScore: 84.25, ...exampleEntry },
			...boardEntryFields.example(2, { isEnded: false }),
		},
	],
};

export const getPublicLeaderboard = endpoint({
	method: "get",
	path: "/api/public/tasks/{id}/leaderboard",
	operationId: "getPublicLeaderboard",
	summary: "Read a leaderboard without a key",
	description: `The leaderboard without ids of submissions. Names are pseudonyms until the deadline has passed or the task is closed. ${MAY_BE_OLD}

Cursors are encrypted, so they reveal nothing about a submission. Each cursor works for one task only.`,
	tags: ["Public reading"],
	auth: "none",
	rate: "general",
	shared: { seconds: PUBLIC_MAX_AGE_SECONDS, of: "task" },
	params: idParams,
	query: z.object({ limit: limitParameter({ max: 500, default: 100 }), cursor: cursorParameter }),
	response: { status: 200, description: "A page of the leaderboard.", schema: publicLeaderboardView, ...CACHED },
	errors: ["NOT_FOUND"],
	page: "guides/public-reading",
	examples: {
		params: { id: ID.task },
		query: { limit: "100" },
		responses: { hidden: { value: examplePublicBoard } },
	},

	handle: (ctx, { params, query }) => readPublicBoard(ctx, { taskId: params.id, ...query }),
});

/**
 * Reads a page of a leaderboard as anyone may see it.
 *
 * @throws AppError `VALIDATION_ERROR` for a malformed cursor, `NOT_FOUND`, including for drafts.
 */
export async function readPublicBoard(
	ctx: PublicCtx,
	{ taskId, limit, cursor: encrypted }: { taskId: string; limit: number; cursor?: string | undefined },
) {
	const cursor = await decryptCursor(ctx.config.keys, cursorScope(taskId), encrypted);
	const { board } = await viewBoard(ctx, await findBoard(ctx, { agentId: ANYONE, taskId, limit, cursor }), limit);
	return viewPublicBoard(ctx, taskId, board);
}

/** Shows a board without the ids of agents and submissions. */
export async function viewPublicBoard(
	deps: Deps,
	taskId: string,
	{ companyId: _, restricted: _restricted, entries, next_cursor, ...board }: Board,
) {
	return {
		entries: entries.map(({ agentId: _agent, submissionId: _submission, ...entry }) => entry),
		...board,
		next_cursor: await encryptCursor(deps.config.keys, cursorScope(taskId), next_cursor),
	};
}

/** The cursors of public boards are encrypted, because they contain the id and the time of a submission. */
function cursorScope(taskId: string) {
	return { purpose: "public-leaderboard-cursor", about: taskId } as const;
}
