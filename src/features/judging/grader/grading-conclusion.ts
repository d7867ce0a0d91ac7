// Turns a grader's result into scores or a fault. The platform computes the scores itself, from cases and criteria.
import { EvaluationFault } from "../../../domain/evaluation-fault.ts";
import { type Failure, PUBLIC_FAILURES } from "../../../domain/failures.ts";
import { roundScore, weightedScore } from "../../../domain/scores.ts";
import type { GradingResult } from "../../../ports/grading.ts";
import { findUnknownDimensions } from "../rules.ts";
import type { EvaluationWork, Grading } from "../work.ts";
import { boundText, hasHiddenCases, MAX_NOTES_CHARACTERS, messageForEveryone, tailOf, viewGrading } from "./grading-view.ts";

type TaskRubric = Pick<EvaluationWork, "task" | "criteria">;

/** The run failed after the image had started. It is repeated once. */
export interface ImageFailure {
	readonly failure: Failure;
	/** The agent reads this. It has the end of the output unless the suite has hidden cases. */
	readonly message: string;
	/** The owner reads this. It has the end of the output. */
	readonly ownerMessage: string;
}

/**
 * Reads a result. Contract: ruling "Blame".
 *
 * @throws EvaluationFault of the platform, retryable, for `platform_error` and for a result that contradicts the request;
 * of the task for `image_error`.
 */
export function concludeGrading(result: GradingResult, judged: TaskRubric): Grading | ImageFailure {
	switch (result.outcome) {
		case "graded":
			return concludeScores(result, judged);
		case "submission_invalid":
			return concludeZero(result, judged, {
				reasoning: `${messageForEveryone(result, judged.task)} ${describeOutput(result)}`,
				reasoningForAgent: messageForEveryone(result, judged.task),
			});
		case "grader_timeout":
		case "grader_oom":
		case "grader_error":
		case "grader_no_result":
			return imageFailure(result, judged, { failure: result.outcome, message: messageForEveryone(result, judged.task) });
		case "image_error":
			throw imageFault(result);
		case "platform_error":
			throw platformFault(messageForEveryone(result, judged.task));
	}
}

/**
 * Makes the fault of an image that has failed. A submission could print the inputs of hidden cases and then fail, so with hidden cases
 * the agent reads only how the run ended.
 */
function imageFailure(
	result: GradingResult,
	{ task }: TaskRubric,
	{ failure, message }: { failure: Failure; message: string },
): ImageFailure {
	const full = `${failure}: ${message} ${describeOutput(result)}`;
	const short = `${failure}: ${PUBLIC_FAILURES[failure]} Its output is for the poster, because the test suite has hidden cases.`;
	return { failure, message: hasHiddenCases(task) ? short : full, ownerMessage: full };
}

/** Makes the fault of an image that could not start. The agent cannot correct this, and only the poster may see the image's name. */
function imageFault(result: GradingResult): EvaluationFault {
	return new EvaluationFault("image_error: The task's image could not be started. Its poster has been notified.", {
		blame: "task",
		isRetryable: false,
		ownerMessage: `image_error: ${boundText(result.message)} ${describeOutput(result)}`,
	});
}

/** Computes the image part of a candidate whose runs have failed in a final round: 0, as for a submission that the grader cannot unpack. */
export function concludeFailedRound(result: GradingResult, judged: TaskRubric, { message }: Pick<ImageFailure, "message">): Grading {
	const reasoning = `The image failed twice in the final round, so its part of the score is 0. ${message}`;
	return concludeZero(result, judged, { reasoning, reasoningForAgent: reasoning });
}

function concludeZero(
	result: GradingResult,
	{ task }: TaskRubric,
	texts: { readonly reasoning: string; readonly reasoningForAgent: string },
): Grading {
	return viewGrading(result, task, { testScore: 0, containerScore: task.testSuiteCases === null ? 0 : null, dimensions: [], ...texts });
}

/** Computes the scores of a graded submission. Contract: ruling "Evaluation", container. */
function concludeScores(result: GradingResult, judged: TaskRubric): Grading | ImageFailure {
	const { criteria, task } = judged;
	const unusable = (message: string) => imageFailure(result, judged, { failure: "grader_error", message });
	const given = result.dimensions.map((dimension) => ({ ...dimension, criterion_name: dimension.criterion }));
	const [stray] = findUnknownDimensions({ dimensions: given }, criteria);
	if (stray !== undefined) {
		return unusable(`The image scored ${JSON.stringify(stray.slice(0, 200))}, which is not a criterion or occurs twice.`);
	}
	if (given.length > 0 && given.length < criteria.length) return unusable("The image left out criteria of the task.");
	const dimensions = criteria.flatMap(({ name, weight }) =>
		given
			.filter(({ criterion }) => criterion === name)
			.map(({ score, reasoning }) => ({
				criterion: name,
				weight,
				score: roundScore(score),
				reasoning: boundText(reasoning, MAX_NOTES_CHARACTERS),
			})),
	);
	const fileScore = dimensions.length > 0 ? weightedScore(dimensions) : result.container_score;
	const containerScore = fileScore === null ? null : roundScore(fileScore);
	const testScore = task.testSuiteCases === null ? containerScore : shareOfPassed(result, task.testSuiteCases);
	if (testScore === null) throw platformFault("The grader returned a result without a score.");
	const summary = summarizeRun(result, { testScore, containerScore });
	const reasoning = boundText(result.notes, MAX_NOTES_CHARACTERS) || summary;
	return viewGrading(result, task, { testScore, containerScore, dimensions, reasoning, reasoningForAgent: summary });
}

function shareOfPassed({ tests }: GradingResult, cases: number): number {
	if (tests.length !== cases) throw platformFault("The grader returned a result that does not match the test suite.");
	return roundScore((100 * tests.filter(({ passed }) => passed).length) / cases);
}

function summarizeRun({ tests }: GradingResult, scores: Pick<Grading, "testScore" | "containerScore">): string {
	const passed = tests.length === 0 ? "" : ` ${tests.filter((test) => test.passed).length} of ${tests.length} tests passed.`;
	return `The task's image graded the submission: ${scores.containerScore ?? scores.testScore}.${passed}`;
}

function describeOutput({ output }: Pick<GradingResult, "output">): string {
	const tail = tailOf(output).trim();
	return tail === "" ? "The image wrote nothing." : `The end of its output:\n${tail}`;
}

function platformFault(message: string): EvaluationFault {
	return new EvaluationFault(message, { blame: "platform", isRetryable: true });
}
