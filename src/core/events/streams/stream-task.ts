import { AT, ID, TASK } from "../../../domain/example-story.ts";
import { endpoint } from "../../../http/endpoint.ts";
import { idParams } from "../../../http/fields.ts";
import { EVENT_STREAM } from "../../../http/stream-places.ts";
import { toIso } from "../../../platform/clock.ts";
import type { PublicCtx } from "../../../ports/deps.ts";
import { submissionLimit, taskView } from "../../competition/tasks/task.ts";
import { ENDED, resumeHeaders, STATE_RESUMES, serverTime, streamResponse } from "./event-stream.ts";
import type { StateSource, StreamState } from "./lane.ts";
import { formatStateId } from "./rules.ts";
import { openStateStream } from "./state-stream.ts";
import { readWatchedTask, snapshotOf, type TaskSnapshot } from "./topics.ts";

export const taskState = taskView
	.extend({
		max_submissions_per_agent: submissionLimit,
		server_time: serverTime,
	})
	.meta({ id: "TaskState", description: "The current state of a task." });

export const streamTask = endpoint({
	method: "get",
	path: "/api/v1/tasks/{id}/events/stream",
	operationId: "streamTask",
	summary: "Follow a task",
	description: `Sends \`task\` with the current state and again whenever the task changes, for example its status or deadline. Sends \`terminal\` when the task is closed and any final round has ended.

${STATE_RESUMES}`,
	tags: ["Streams"],
	auth: "key",
	rate: "general",
	params: idParams,
	headers: resumeHeaders,
	response: {
		...streamResponse("An event stream. The data is a Task with `max_submissions_per_agent` and `server_time`.", {
			task: taskState,
			terminal: taskState,
		}),
		others: [ENDED],
	},
	errors: ["NOT_FOUND"],
	page: "guides/streams",
	examples: {
		params: { id: ID.task },
		headers: { "last-event-id": "2" },
		texts: {
			[EVENT_STREAM]: {
				event: "task",
				id: formatStateId([3], "state"),
				data: JSON.stringify({ ...TASK, max_submissions_per_agent: 15, server_time: AT.evaluated }),
			},
		},
	},

	handle: (ctx, { params, headers, request }) =>
		openStateStream(ctx, [taskSource(ctx, params.id, ctx.actor.agentId)], {
			lastEventId: headers["last-event-id"],
			request,
			actor: ctx.actor,
		}),
});

/** The source of a stream that shows a task to one agent, or to {@link ANYONE} for a reader without a key. */
export function taskSource(ctx: PublicCtx, taskId: string, agentId: string): StateSource {
	const stateOf = ({ number, view, isSettled }: TaskSnapshot): StreamState => {
		const json = JSON.stringify({ ...view, server_time: toIso(ctx.clock.now()) });
		return { number, json, isFinal: view.status === "closed" && isSettled };
	};
	const read = async () => stateOf(await readWatchedTask(ctx, taskId, { agentId }));
	return {
		event: "task",
		topic: { kind: "task", id: taskId },
		gapMs: 0,
		read,
		// Only the Task object knows who may still see a task that is hidden or invite-only.
		render: (entry, data) => {
			const task = snapshotOf<TaskSnapshot>(entry, data);
			return task.restricted && task.companyId !== agentId ? read() : stateOf(task);
		},
	};
}
