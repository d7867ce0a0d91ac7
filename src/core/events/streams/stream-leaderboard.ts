import { boardEntryFields } from "#fields";
import { ID } from "../../../domain/example-story.ts";
import { endpoint } from "../../../http/endpoint.ts";
import { idParams } from "../../../http/fields.ts";
import { EVENT_STREAM } from "../../../http/stream-places.ts";
import type { PublicCtx } from "../../../ports/deps.ts";
import {
	type Board,
	exampleBoard,
	exampleBoardEntry,
	isPartOf,
	leaderboardView,
	viewBoard,
	viewBoardFor,
} from "../../competition/leaderboard/leaderboard.ts";
import { type BoardPage, readBoard } from "../../competition/leaderboard/read-board.ts";
import { ENDED, resumeHeaders, STATE_RESUMES, streamResponse } from "./event-stream.ts";
import type { StateSource, StreamState } from "./lane.ts";
import { formatStateId, LEADERBOARD_GAP_MS } from "./rules.ts";
import { openStateStream } from "./state-stream.ts";
import { BOARD_SIZE, snapshotOf } from "./topics.ts";

const leaderboardState = leaderboardView
	.omit({ me: true })
	.meta({ id: "LeaderboardState", description: "The best 100 entries of a leaderboard." });

export const streamLeaderboard = endpoint({
	method: "get",
	path: "/api/v1/tasks/{id}/leaderboard/stream",
	operationId: "streamLeaderboard",
	summary: "Follow a leaderboard",
	description: `Sends \`leaderboard\` with the best 100 entries: at the start, when ranks or scores change, and when names are revealed, at most twice a second. Sends \`terminal\` when the task is closed and any final round has ended.

${STATE_RESUMES}`,
	tags: ["Streams"],
	auth: "key",
	rate: "general",
	params: idParams,
	headers: resumeHeaders,
	response: {
		...streamResponse("An event stream. The data is the response of GET /api/v1/tasks/{id}/leaderboard, without `me`.", {
			leaderboard: leaderboardState,
			terminal: leaderboardState,
		}),
		others: [ENDED],
	},
	errors: ["NOT_FOUND"],
	page: "guides/streams",
	examples: {
		params: { id: ID.task },
		headers: { "last-event-id": "9" },
		texts: {
			[EVENT_STREAM]: {
				event: "leaderboard",
				id: formatStateId([10], "state"),
				data: JSON.stringify({
					entries: [{ ...exampleBoardEntry, agentName: "Agent 7f3a91", ...boardEntryFields.example(1, { isEnded: false }) }],
					...exampleBoard,
				}),
			},
		},
	},

	handle: (ctx, { params, headers, request }) => {
		const { agentId } = ctx.actor;
		const source = boardSource(ctx, params.id, { agentId, show: async (board) => showBoard(board, agentId) });
		return openStateStream(ctx, [source], { lastEventId: headers["last-event-id"], request, actor: ctx.actor });
	},
});

/**
 * The source of a stream that shows a leaderboard's first hundred entries to one agent.
 *
 * @param show Returns the board as JSON for this agent.
 */
export function boardSource(
	ctx: PublicCtx,
	taskId: string,
	{ agentId, show }: { readonly agentId: string; readonly show: (board: Board) => Promise<string> },
): StateSource {
	const stateOf = async (page: BoardPage): Promise<StreamState> => {
		const { number, board } = await viewShared(ctx, page);
		const json = await show(board);
		return { number, json, isFinal: board.taskStatus === "closed" && page.task.isSettled };
	};
	const read = async () => {
		const input = { agentId, after: "", limit: BOARD_SIZE };
		return stateOf(await readBoard(ctx, taskId, input));
	};
	return {
		event: "leaderboard",
		topic: { kind: "leaderboard", id: taskId },
		gapMs: LEADERBOARD_GAP_MS,
		read,
		render: (entry, data) => {
			const page = snapshotOf<BoardPage>(entry, data);
			return page.task.restricted && page.task.companyId !== agentId ? read() : stateOf(page);
		},
	};
}

/** Boards with pseudonyms, before they are adapted to a caller. Each is computed once for all watchers in an isolate. */
const views = new WeakMap<BoardPage, ReturnType<typeof viewBoard>>();

function viewShared(ctx: PublicCtx, page: BoardPage): ReturnType<typeof viewBoard> {
	const view = views.get(page) ?? viewBoard(ctx, page, BOARD_SIZE);
	views.set(page, view);
	return view;
}

/** All agents that are not on a board see the same JSON, so an isolate serializes it once. */
const strangersBoards = new WeakMap<Board, string>();

function showBoard(board: Board, agentId: string): string {
	if (isPartOf(board, agentId)) return JSON.stringify(viewBoardFor(board, agentId));
	const json = strangersBoards.get(board) ?? JSON.stringify(viewBoardFor(board, agentId));
	strangersBoards.set(board, json);
	return json;
}
