// The view of a wait: of a submission, a dry run or a whole task.
import * as z from "zod";
import { AT } from "../../../domain/example-story.ts";
import { type ShownWait, WAIT_REASONS } from "../../../domain/waits.ts";
import { timestamp } from "../../../http/fields.ts";
import { toIso, toIsoOrNull } from "../../../platform/clock.ts";

const waitingView = z
	.object({
		reason: z
			.enum(WAIT_REASONS)
			.describe(
				"`ceiling`: a spending ceiling is reached. `rate_limit`: the supplier of the judge's model limits the rate of requests. `supplier`: the judge's model does not respond, or has not passed its probe yet. `grader`: no grader accepts the run. `paused`: the platform has paused judging.",
			),
		message: z.string().describe("The reason as a sentence."),
		since: timestamp.describe("When this wait began."),
		until: timestamp
			.nullable()
			.describe(
				"If the evaluation is still waiting at this time, it ends without a score: an evaluation can wait for at most 24 hours in total. Null while judging is paused, and in the `waiting_for` of a task.",
			),
	})
	.meta({ id: "Waiting", description: "What an evaluation is waiting for. Waiting uses neither an attempt nor a submission slot." });

export const waitingFor = waitingView
	.nullable()
	.describe("What the evaluation is waiting for. Null if it is not waiting. An evaluation by an external judge does not count as waiting.");

export const taskWaitingFor = waitingView
	.nullable()
	.describe(
		"What is currently holding up all judging, or the judging of this task. Null if nothing is, or if only one person's work is held up.",
	);

export function viewWaiting(wait: ShownWait | null): z.output<typeof waitingFor> {
	if (wait === null) return null;
	const { reason, message, since, until } = wait;
	return { reason, message, since: toIso(since), until: toIsoOrNull(until) };
}

export const exampleWaiting = {
	reason: "supplier" as const,
	message: "The supplier of the judge's model openai:gpt-5-mini responded with status 503.",
	since: AT.submitted,
	until: AT.waitEnds,
};
