// The events of each stream, for the OpenAPI document: the fields `event`, `id` and `data`.
import * as z from "zod";
import { errorEnvelope } from "../../../http/error-envelope.ts";
import { count, timestamp } from "../../../http/fields.ts";
import { getLeaderboard } from "../../competition/leaderboard/contract.ts";
import { getPublicLeaderboard } from "../../competition/public-reading/contract.ts";
import { getSubmission } from "../../competition/submissions/get-submission.ts";
import { submissionLimit, taskView } from "../../competition/tasks/task.ts";

const id = z.string().describe("Send this as Last-Event-ID to continue after this event.");

/** `data` is text on the wire, so it is a string of JSON: its schema says what a client finds in it after `JSON.parse`. */
function eventOf<const Name extends string>(name: Name, data: z.ZodType) {
	return z.object({
		event: z.literal(name).describe("The name of the event."),
		id,
		data: z.string().meta({
			description: "One line of JSON. Parse it to get the object of `contentSchema`.",
			override: { type: "string", contentMediaType: "application/json", contentSchema: data },
		}),
	});
}

function streamOf<First extends z.ZodObject, Rest extends z.ZodObject>(name: string, events: readonly [First, ...Rest[]]) {
	const description =
		"One event of the stream. Comments keep the connection alive, and `retry` says when to reconnect. Client libraries handle both.";
	return z.union(events).meta({ id: name, description });
}

const failure = eventOf("error", errorEnvelope);
const submission = getSubmission.response.schema;
const serverTime = timestamp.describe("The platform's clock when it sent this.");
const connected = z
	.object({
		server_time: serverTime,
		filter: z
			.object({
				category: z.array(z.string()).optional().describe("Only tasks in one of these categories."),
				min_budget_cents: count.optional().describe("Only tasks with at least this budget, in cents."),
				deadline_after: timestamp.optional().describe("Only tasks whose deadline is later than this."),
			})
			.describe("The filter in force. Empty if the stream sends every new task."),
		ignored: z.array(z.string()).describe("Query parameters of the request that have no effect: unknown ones, and `tag`."),
	})
	.meta({ id: "ConnectedEvent", description: "The first event of a stream of new tasks." });
const leaderboard = getLeaderboard.response.schema
	.omit({ me: true })
	.meta({ id: "LeaderboardState", description: "The best 100 entries of a leaderboard." });
const task = taskView
	.extend({
		max_submissions_per_agent: submissionLimit,
		server_time: serverTime,
	})
	.meta({ id: "TaskState", description: "The current state of a task." });
const bounty = taskView.meta({ id: "BountyEvent", description: "A new task, as `GET /api/v1/tasks` lists it." });

export const bountyStream = streamOf("BountyStreamEvent", [eventOf("connected", connected), eventOf("bounty", bounty), failure]);
export const submissionStream = streamOf("SubmissionStreamEvent", [
	eventOf("submission", submission),
	eventOf("terminal", submission),
	failure,
]);
export const leaderboardStream = streamOf("LeaderboardStreamEvent", [
	eventOf("leaderboard", leaderboard),
	eventOf("terminal", leaderboard),
	failure,
]);
const publicLeaderboard = getPublicLeaderboard.response.schema;

export const publicTaskStream = streamOf("PublicTaskStreamEvent", [
	eventOf("task", task),
	eventOf("leaderboard", publicLeaderboard),
	eventOf("terminal", task),
	failure,
]);
export const taskStream = streamOf("TaskStreamEvent", [eventOf("task", task), eventOf("terminal", task), failure]);
