import * as z from "zod";
import { assertOwner } from "../../core/competition/tasks/rules.ts";
import { readVisibleTask, taskNotFound } from "../../core/competition/tasks/store.ts";
import { repeatableVerb } from "../../db/task/replies.ts";
import { ID } from "../../domain/example-story.ts";
import { endpoint } from "../../http/endpoint.ts";
import { idParams, timestamp } from "../../http/fields.ts";
import { replyWith } from "../../http/repeated-calls.ts";
import { SECOND_MS, toIso } from "../../platform/clock.ts";
import { assertAdvanceable, MAX_AHEAD_SECONDS } from "./rules.ts";

export const advanceClock = endpoint({
	method: "post",
	path: "/api/v1/tasks/{id}/clock",
	operationId: "advanceClock",
	owner: "test-tasks",
	summary: "Advance the clock of a test task",
	description: [
		"Before you get the response, everything that is due by the new time happens in order: the deadline, the reveal of names, the start of the final round, the expiry of upload URLs, and the end of the windows for appeals and reviews. The clock of a task never goes back.",
		"Judging takes real time: advancing the clock does not make a running evaluation end sooner. Only the 24 hours that your own service has to post a score follow the clock. Everything outside of the task follows real time: retries of webhooks, idempotency keys, download URLs, rate limits and inboxes.",
	].join("\n\n"),
	tags: ["Poster"],
	auth: "key",
	rate: "mutation",
	idempotent: true,
	params: idParams,
	body: {
		schema: z
			.object({
				advance_seconds: z
					.int()
					.min(1)
					.max(MAX_AHEAD_SECONDS)
					.describe("Number of seconds by which to advance the clock. The clock can be at most a year ahead of real time."),
			})
			.meta({ id: "AdvanceClockRequest", description: "How far the clock of a test task advances." }),
		required: true,
	},
	response: {
		status: 200,
		description: "The clock is advanced.",
		schema: z
			.object({ now: timestamp.describe("The current time of the task.") })
			.meta({ id: "TaskClock", description: "The clock of a test task." }),
	},
	errors: ["NOT_FOUND", "FORBIDDEN", "INVALID_TRANSITION", "CONFLICT"],
	page: "guides/test-an-integration",
	examples: {
		params: { id: ID.task },
		bodies: { days: { summary: "Two days", value: { advance_seconds: 172_800 } } },
		responses: { advanced: { value: { now: "2026-12-03T12:00:00.000Z" } } },
	},

	async handle(ctx, { params: { id: taskId }, body, repeatable }) {
		const input = { id: ctx.ids.next(), by: ctx.actor.agentId, seconds: body.advance_seconds };
		const advanced = await advanceOwnClock(ctx, taskId, { repeatable, input });
		return replyWith({ now: advanced.output.now }, advanced);
	},
});

interface Advance {
	/** Distinguishes this advance from one by an earlier request with the same `Idempotency-Key`. */
	readonly id: string;
	readonly by: string;
	readonly seconds: number;
}

const advanceOwnClock = repeatableVerb("advanceOwnClock", (store, { id, by, seconds }: Advance) => {
	const task = readVisibleTask(store, by);
	if (!task.isTest) throw taskNotFound();
	assertOwner(task, by);
	assertAdvanceable(task, seconds);
	store.advanceClock(seconds * SECOND_MS);
	return { id, now: toIso(store.now + seconds * SECOND_MS) };
});
