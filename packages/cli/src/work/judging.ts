// Waits for a judgement and formats it.

import { CommandError } from "../core/exit-codes.ts";
import type { BountyClient, Schemas } from "../core/sdk.ts";
import type { Context } from "../terminal/context.ts";
import { clean, fields, type Paint, table } from "../terminal/text.ts";

type Submission = Schemas["Submission"];

export interface WaitOptions {
	/** In seconds. */
	readonly timeout?: number;
	/** In seconds. */
	readonly maxOutage?: number;
}

/** Waits until judging has ended, and shows each step. */
export async function waitForJudgement(
	ctx: Context,
	client: BountyClient,
	{ id, options }: { id: string; options: WaitOptions },
): Promise<Submission> {
	const { terminal, signal } = ctx;
	const { timeout, maxOutage } = options;
	terminal.progress.show("judging");
	const ended = await client.waitForSubmission(id, {
		signal,
		timeoutMs: timeout === undefined ? undefined : timeout * 1000,
		maxOutageMs: maxOutage === undefined ? undefined : maxOutage * 1000,
		onProgress: ({ status, waiting_for: waitingFor, scores }) => {
			const isJudged = scores !== null;
			terminal.progress.show(`judging: ${status}${waitingFor === null ? "" : `, waiting: ${waitingFor.message}`}`, {
				done: isJudged ? 1 : 0,
				total: 1,
			});
		},
	});
	terminal.progress.clear();
	return ended;
}

/** Checks that judging has succeeded. @throws CommandError if it failed, or if the score is below the minimum. */
export function assertJudged(submission: Submission, minimumScore: number | undefined): void {
	const { status, scores, error_message: message, id } = submission;
	if (status !== "completed" || scores === null) {
		throw new CommandError(`Judging submission ${id} ended with ${status}${message === undefined ? "." : `: ${message}`}`, { exitCode: 7 });
	}
	if (minimumScore !== undefined && scores.final_score < minimumScore) {
		throw new CommandError(`The score ${scores.final_score} is below ${minimumScore}.`, { exitCode: 8 });
	}
}

/** Formats a submission with its scores, one line for each criterion. */
export function describeSubmission(paint: Paint, submission: Submission, { reasoning }: { reasoning: boolean }): string {
	const { id, task_id: taskId, status, scores, position, quota, error_message: error, waiting_for: waitingFor, dimensions } = submission;
	const facts = fields(paint, {
		...{
			submission: id,
			task: taskId,
			status,
			score: scores?.final_score,
			rank: position ?? undefined,
			error,
			"waiting for": waitingFor?.message,
		},
		"submissions used": `${quota.used} of ${quota.limit}`,
	});
	if (dimensions.length === 0) return facts;
	return [facts, "", describeDimensions(paint, dimensions, { reasoning })].join("\n");
}

/** Formats one line for each criterion, and its reasoning. */
export function describeDimensions(
	paint: Paint,
	dimensions: readonly Schemas["Dimension"][],
	{ reasoning }: { reasoning: boolean },
): string {
	const rows = dimensions.map(({ criterion_name: name, score, weight }) => [score, `${weight} %`, name]);
	const scores = table(paint, ["SCORE", "WEIGHT", "CRITERION"], rows);
	if (!reasoning) return scores;
	const texts = dimensions.map(({ criterion_name: name, reasoning: text }) => `${paint("bold", clean(name))}\n${clean(text)}`);
	return [scores, ...texts].join("\n\n");
}
