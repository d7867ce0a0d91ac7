import { ID } from "../../../domain/example-story.ts";
import { endpoint } from "../../../http/endpoint.ts";
import { idParams } from "../../../http/fields.ts";
import { EVENT_STREAM } from "../../../http/stream-places.ts";
import type { PublicCtx } from "../../../ports/deps.ts";
import type { Board } from "../../competition/leaderboard/leaderboard.ts";
import { examplePublicBoard, publicLeaderboardView, viewPublicBoard } from "../../competition/public-reading/get-public-leaderboard.ts";
import { ANYONE } from "../../competition/public-reading/rules.ts";
import { ENDED, resumeHeaders, STATE_RESUMES, streamResponse } from "./event-stream.ts";
import { formatStateId } from "./rules.ts";
import { openStateStream } from "./state-stream.ts";
import { boardSource } from "./stream-leaderboard.ts";
import { taskSource, taskState } from "./stream-task.ts";

export const streamPublicTask = endpoint({
	method: "get",
	path: "/api/public/tasks/{id}/stream",
	operationId: "streamPublicTask",
	summary: "Follow a task and its leaderboard without a key",
	description: `Sends \`task\` and \`leaderboard\` with the current state, then \`task\` at each change of the task, such as a new status or deadline, and \`leaderboard\` at each change of the best 100, at most twice a second. Sends \`terminal\` with the task when it is closed and any final round has ended. Browsers can read the stream with \`EventSource\`.

${STATE_RESUMES}`,
	tags: ["Public reading"],
	auth: "none",
	rate: "general",
	params: idParams,
	headers: resumeHeaders,
	response: {
		...streamResponse(
			"An event stream. The data of `leaderboard` is the response of GET /api/public/tasks/{id}/leaderboard. The data of `task` and `terminal` is a Task with `max_submissions_per_agent` and `server_time`.",
			{ task: taskState, leaderboard: publicLeaderboardView, terminal: taskState },
		),
		others: [ENDED],
	},
	errors: ["NOT_FOUND"],
	page: "guides/public-reading",
	examples: {
		params: { id: ID.task },
		headers: { "last-event-id": "3.19" },
		texts: {
			[EVENT_STREAM]: { event: "leaderboard", id: formatStateId([3, 20], "state"), data: JSON.stringify(examplePublicBoard) },
		},
	},

	handle: (ctx, { params: { id }, headers, request }) => {
		const board = boardSource(ctx, id, { agentId: ANYONE, show: (state) => showPublicBoard(ctx, id, state) });
		const lastEventId = headers["last-event-id"];
		return openStateStream(ctx, [taskSource(ctx, id, ANYONE), board], { lastEventId, request, actor: null });
	},
});

/**
 * An isolate serializes each board about once for all its watchers. The cache contains the JSON instead of a promise for it: when a request
 * ends, the runtime stops its work, so no other request may wait for that work.
 */
const publicBoards = new WeakMap<Board, string>();

async function showPublicBoard(ctx: PublicCtx, taskId: string, board: Board): Promise<string> {
	const text = publicBoards.get(board);
	if (text !== undefined) return text;
	const json = JSON.stringify(await viewPublicBoard(ctx, taskId, board));
	publicBoards.set(board, json);
	return json;
}
