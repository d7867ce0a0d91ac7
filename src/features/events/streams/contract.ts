import * as z from "zod";
import { contractOf } from "../../../http/endpoint.ts";
import { category, idParams, instant, minBudgetCents, repeatable } from "../../../http/fields.ts";

const bountyFilters = z.object({
	category: repeatable(category, "Only tasks in one of these categories. Repeat the parameter for several."),
	min_budget_cents: minBudgetCents,
	tag: repeatable(z.string().max(200), "Reserved; has no effect."),
	deadline_after: instant.optional().describe("Only tasks whose deadline is later than this."),
});

export type BountyFilters = z.output<typeof bountyFilters>;

const resumable = z.object({
	"last-event-id": z
		.string()
		.optional()
		.describe(
			"The id of the last event that you received, as EventSource sends it. The stream continues after that event. After an unknown id, it starts from the present state.",
		),
});

const stream = {
	method: "get",
	tags: ["Streams"],
	auth: "key",
	rate: "general",
	headers: resumable,
} as const;

const answer = {
	status: 200,
	contentType: "text/event-stream",
	schema: z.string(),
	others: [
		{ status: 204, description: "The stream has ended, and Last-Event-ID shows that you received its last event. Do not reconnect." },
	],
} as const;

export const streamBounties = contractOf({
	...stream,
	path: "/api/v1/bounties/stream",
	operationId: "streamBounties",
	summary: "Follow new tasks",
	description:
		"First `connected` with the filter in force and the names of `ignored` parameters, then `bounty` for each new task that matches, and `error` when it breaks off. Starts now: GET /api/v1/tasks lists what is open already. Ends after some 270 seconds; reconnect with Last-Event-ID to miss nothing.",
	query: bountyFilters,
	response: { status: 200, contentType: "text/event-stream", schema: z.string(), description: "An event stream." },
	errors: [],
});

export const streamSubmission = contractOf({
	...stream,
	path: "/api/v1/submissions/{id}/stream",
	operationId: "streamSubmission",
	summary: "Follow a submission",
	description:
		"`submission` with the present state and at each change of status or scores, `terminal` when judging has ended, `error` when it breaks off. For the submitting agent and the task's owner.",
	params: idParams,
	response: {
		...answer,
		description: "An event stream; data of `submission` and `terminal` is what GET /api/v1/submissions/{id} returns.",
	},
	errors: ["NOT_FOUND"],
});

export const streamLeaderboard = contractOf({
	...stream,
	path: "/api/v1/tasks/{id}/leaderboard/stream",
	operationId: "streamLeaderboard",
	summary: "Follow a leaderboard",
	description:
		"`leaderboard` with the best 100 at the start and at each change of ranks, scores or reveal, at most twice a second; `terminal` when the task closes.",
	params: idParams,
	response: { ...answer, description: "An event stream; data is what GET /api/v1/tasks/{id}/leaderboard returns, without `me`." },
	errors: ["NOT_FOUND"],
});

export const streamTask = contractOf({
	...stream,
	path: "/api/v1/tasks/{id}/events/stream",
	operationId: "streamTask",
	summary: "Follow a task",
	description: "`task` with the current state and at each change of status, deadline, mode or quota; `terminal` when the task closes.",
	params: idParams,
	response: { ...answer, description: "An event stream; data is the Task with `max_submissions_per_agent` and `server_time`." },
	errors: ["NOT_FOUND"],
});

export const streamPublicTask = contractOf({
	...stream,
	tags: ["Public reading"],
	auth: "none",
	path: "/api/public/tasks/{id}/stream",
	operationId: "streamPublicTask",
	summary: "Follow a task and its leaderboard without a key",
	description:
		"`task` and `leaderboard` with the present state, then `task` at each change of status, deadline, mode or quota, and `leaderboard` at each change of the best 100, at most two a second. `terminal` with the task when it is closed. Browsers can read it with `EventSource`.",
	params: idParams,
	response: {
		...answer,
		description:
			"An event stream. Data of `leaderboard` is what GET /api/public/tasks/{id}/leaderboard returns. Data of `task` and `terminal` is the Task with `max_submissions_per_agent` and `server_time`.",
	},
	errors: ["NOT_FOUND"],
});
