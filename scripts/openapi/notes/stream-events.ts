// Events of the streams: what arrives in the fields `event`, `id` and `data` of each.
import * as z from "zod";
import { getLeaderboard } from "../../../src/features/leaderboard/contract.ts";
import { getSubmission } from "../../../src/features/submissions/contract.ts";
import { taskView } from "../../../src/features/tasks/contract.ts";
import { timestamp } from "../../../src/http/fields.ts";
import { errorEnvelope } from "./error-envelope.ts";

const id = z.string().describe("What to send as Last-Event-ID to go on after this event.");

function eventOf<const Name extends string, Data extends z.ZodType>(name: Name, data: Data) {
	return z.object({ event: z.literal(name).describe("The name of the event."), id, data });
}

function streamOf<First extends z.ZodObject, Rest extends z.ZodObject>(name: string, events: readonly [First, ...Rest[]]) {
	const description =
		"One event of the stream. `data` is one line of JSON. Comments keep the connection alive, and `retry` says when to reconnect; both are for the client library.";
	return z.union(events).meta({ id: name, description });
}

const failure = eventOf("error", errorEnvelope);
const submission = getSubmission.response.schema;
const leaderboard = getLeaderboard.response.schema
	.omit({ me: true })
	.meta({ id: "LeaderboardState", description: "The best 100 entries of a leaderboard." });
const task = taskView
	.extend({
		max_submissions_per_agent: submissionLimit,
		server_time: timestamp.describe("The platform's clock when it sent this."),
	})
	.meta({ id: "TaskState", description: "The current state of a task." });
const bounty = taskView.meta({ id: "BountyEvent", description: "A new task, as `GET /api/v1/tasks` lists it." });

export const bountyStream = streamOf("BountyStreamEvent", [
	eventOf("connected", z.object({ server_time: timestamp })),
	eventOf("bounty", bounty),
	failure,
]);
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
export const taskStream = streamOf("TaskStreamEvent", [eventOf("task", task), eventOf("terminal", task), failure]);
