// The streams of a task, its leaderboard and its submissions. Each has a source: what the stream reads and how it shows an entry.
import { toIso } from "../../../platform/clock.ts";
import type { Ctx, PublicCtx } from "../../../ports/deps.ts";
import type { TopicEntry } from "../../../ports/topics.ts";
import { readBoard } from "../../competition/leaderboard/read-board.ts";
import { type Board, type FoundBoard, isPartOf, viewBoard, viewBoardFor } from "../../competition/leaderboard/views.ts";
import { viewPublicBoard } from "../../competition/public-reading/public-board.ts";
import { NOBODY } from "../../competition/public-reading/rules.ts";
import { readWatched } from "../../competition/submissions/read-submission.ts";
import { locateSubmission } from "../../competition/submissions/store.ts";
import type { State, StateSource } from "./lane.ts";
import { LEADERBOARD_GAP_MS } from "./rules.ts";
import { openStateStream, type StreamRequest } from "./state-stream.ts";
import { BOARD_SIZE, readWatchedTask, submissionTopicId, type WatchedTask } from "./topics.ts";

/** A task and its changes. Contract: "Streams". */
export function streamTask(ctx: Ctx, taskId: string, request: StreamRequest): Promise<Response> {
	return openStateStream(ctx, [taskSource(ctx, taskId, ctx.actor.agentId)], request);
}

/** A leaderboard's best hundred and their changes, at most two a second. */
export function streamLeaderboard(ctx: Ctx, taskId: string, request: StreamRequest): Promise<Response> {
	const { agentId } = ctx.actor;
	return openStateStream(ctx, [boardSource(ctx, taskId, { agentId, show: async (board) => showBoard(board, agentId) })], request);
}

/** A task and its leaderboard for readers without a key. Contract: additions, "Public reading". */
export function streamPublicTask(ctx: PublicCtx, taskId: string, request: StreamRequest): Promise<Response> {
	const board = boardSource(ctx, taskId, { agentId: NOBODY, show: (shown) => showPublicBoard(ctx, taskId, shown) });
	return openStateStream(ctx, [taskSource(ctx, taskId, NOBODY), board], { ...request, isPublic: true });
}

function taskSource(ctx: PublicCtx, taskId: string, agentId: string): StateSource {
	const stateOf = ({ number, view, provisional }: WatchedTask): State => {
		const json = JSON.stringify({ ...view, server_time: toIso(ctx.clock.now()) });
		return { number, json, isFinal: view.status === "closed" && !provisional };
	};
	const read = async () => stateOf(await ctx.hubs.callTask(taskId, readWatchedTask, { input: { agentId }, now: ctx.clock.now() }));
	return {
		event: "task",
		topic: { kind: "task", id: taskId },
		gapMs: 0,
		read,
		// Only the object knows who has entered a task that was hidden.
		render: (entry, data) => {
			const task = ownSnapshot<WatchedTask>(entry, data);
			return task.hidden && task.companyId !== agentId ? read() : stateOf(task);
		},
	};
}

interface BoardViewer {
	readonly agentId: string;
	/** The board as JSON for this viewer. */
	show(board: Board): Promise<string>;
}

function boardSource(ctx: PublicCtx, taskId: string, { agentId, show }: BoardViewer): StateSource {
	const stateOf = async (found: FoundBoard): Promise<State> => {
		const { number, board } = await viewShared(ctx, found);
		const json = await show(board);
		return { number, json, isFinal: board.taskStatus === "closed" && !board.provisional };
	};
	const read = async () => {
		const input = { agentId, after: "", limit: BOARD_SIZE };
		return stateOf(await ctx.hubs.callTask(taskId, readBoard, { input, now: ctx.clock.now() }));
	};
	return {
		event: "leaderboard",
		topic: { kind: "leaderboard", id: taskId },
		gapMs: LEADERBOARD_GAP_MS,
		read,
		render: (entry, data) => {
			const found = ownSnapshot<FoundBoard>(entry, data);
			return found.task.hidden && found.task.companyId !== agentId ? read() : stateOf(found);
		},
	};
}

/** The board without a caller, with its pseudonyms, made once for all watchers of an isolate. */
const views = new WeakMap<FoundBoard, ReturnType<typeof viewBoard>>();

function viewShared(ctx: PublicCtx, found: FoundBoard): ReturnType<typeof viewBoard> {
	const view = views.get(found) ?? viewBoard(ctx, found, BOARD_SIZE);
	views.set(found, view);
	return view;
}

const publicBoards = new WeakMap<Board, Promise<string>>();

function showPublicBoard(ctx: PublicCtx, taskId: string, board: Board): Promise<string> {
	const json = publicBoards.get(board) ?? viewPublicBoard(ctx, taskId, board).then((view) => JSON.stringify(view));
	publicBoards.set(board, json);
	return json;
}

/** The board as strangers see it, made once for all of an isolate. */
const strangersBoards = new WeakMap<Board, string>();

function showBoard(board: Board, agentId: string): string {
	if (isPartOf(board, agentId)) return JSON.stringify(viewBoardFor(board, agentId));
	const json = strangersBoards.get(board) ?? JSON.stringify(viewBoardFor(board, agentId));
	strangersBoards.set(board, json);
	return json;
}

const snapshots = new WeakMap<TopicEntry, unknown>();

/** The data of an entry is what `readState` of this very deployment made. Read once for all watchers of an isolate. */
function ownSnapshot<Snapshot>(entry: TopicEntry, data: string): Snapshot {
	const snapshot = snapshots.get(entry) ?? JSON.parse(data);
	snapshots.set(entry, snapshot);
	return snapshot as Snapshot;
}

/** A submission and its changes; each watcher reads it with its own eyes. */
export async function streamSubmission(ctx: Ctx, submissionId: string, request: StreamRequest): Promise<Response> {
	const taskId = await locateSubmission(ctx, submissionId);
	const read = async (): Promise<State> => {
		const { number, view } = await readWatched(ctx, submissionId);
		const { status, evaluated } = view;
		const isFinal = (status === "completed" && evaluated) || status === "evaluation_failed" || status === "failed";
		return { number, json: JSON.stringify(view), isFinal };
	};
	const source: StateSource = {
		event: "submission",
		topic: { kind: "submission", id: submissionTopicId(taskId, submissionId) },
		gapMs: 0,
		read,
		render: null,
	};
	return openStateStream(ctx, [source], request);
}
