import * as z from "zod";
import { ID } from "../../../domain/example-story.ts";
import { taskStatus } from "../../../domain/task-status.ts";
import { endpoint } from "../../../http/endpoint.ts";
import { idParams, instant, taskId, timestamp } from "../../../http/fields.ts";
import { toIso } from "../../../platform/clock.ts";
import { taskVerb } from "../../../ports/task.ts";
import { logDeadline } from "../public-log/log.ts";
import { purgeResponses } from "../public-reading/purge.ts";
import { assertDeadlinesLeft, assertExtendable } from "../tasks/rules.ts";
import { keepDeadline, readDeadlines, readOwnTask, updateTaskRow } from "../tasks/store.ts";

export const extendTask = endpoint({
	method: "post",
	path: "/api/v1/tasks/{id}/extend",
	operationId: "extendTask",
	summary: "Move the deadline of an open task to a later time",
	description: [
		"The deadline can only move later.",
		"The task's stream sends the new deadline. Upload URLs of this service that agents already have then work until one hour after the new deadline. Upload URLs that point directly to the bucket last at most a week; `POST /api/v1/submissions/{id}/upload-url` returns a new one.",
	].join("\n\n"),
	tags: ["Poster"],
	auth: "key",
	rate: "general",
	params: idParams,
	body: {
		schema: z
			.object({ deadline: instant.describe("The new deadline. Must be later than the current one.") })
			.meta({ id: "ExtendTaskRequest", description: "A later deadline." }),
		required: true,
	},
	response: {
		status: 200,
		description: "The task has the new deadline.",
		schema: z.object({
			id: taskId,
			status: taskStatus.describe("The status of the task, which stays `open`."),
			deadline: timestamp.describe("The new deadline."),
		}),
	},
	errors: ["NOT_FOUND", "FORBIDDEN", "CONFLICT", "INVALID_TRANSITION"],
	page: "concepts/tasks",
	examples: {
		params: { id: ID.task },
		bodies: { later: { value: { deadline: "2026-12-15T12:00:00.000Z" } } },
		responses: { extended: { value: { id: ID.task, status: "open", deadline: "2026-12-15T12:00:00.000Z" } } },
	},

	async handle(ctx, { params, body: { deadline } }) {
		const input = { by: ctx.actor.agentId, deadline };
		const extended = await extendOwnTask(ctx, params.id, input);
		ctx.background(purgeResponses(ctx, params.id));
		return extended;
	},
});

/** Moves the deadline. `deadline` is in milliseconds since the epoch. */
const extendOwnTask = taskVerb("extendOwnTask", (store, { by, deadline }: { by: string; deadline: number }) => {
	const task = readOwnTask(store, by);
	assertExtendable(task, deadline, store.now);
	assertDeadlinesLeft(readDeadlines(store).length);
	updateTaskRow(store, { deadline });
	keepDeadline(store, deadline);
	logDeadline(store, { from: task.deadline, to: deadline });
	store.record({ type: "task.updated", taskId: store.id });
	store.record({ type: "task.extended", taskId: store.id, deadline });
	return { id: store.id, status: task.status, deadline: toIso(deadline) };
});
