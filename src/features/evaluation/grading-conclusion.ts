// What a grader's result means for an evaluation. The platform works the scores out by itself, from cases and criteria.

import { EvaluationFault } from "../../domain/evaluation-fault.ts";
import { roundScore, weightedScore } from "../../domain/scores.ts";
import type { GradingResult } from "../../ports/grading.ts";
import { findUnknownDimensions } from "./rules.ts";
import type { EvaluationResult, EvaluationWork } from "./work.ts";

type Judged = Pick<EvaluationWork, "task" | "criteria">;

/** The part of an evaluation that comes from the image. */
export type Grading = Pick<EvaluationResult, "testScore" | "containerScore" | "dimensions" | "reasoning" | "breakdown" | "imageDigest">;

/** The run failed by the image's doing; it is run once more. */
export interface ImageFailure {
	/** For the agent and the poster, with the end of the output. */
	readonly message: string;
}

const MAX_MESSAGE_CHARACTERS = 500;
const MAX_OUTPUT_CHARACTERS = 4_096;
const MAX_NOTES_CHARACTERS = 20_000;
const MAX_TESTS = 1_000;
const MAX_TEST_NAME_CHARACTERS = 200;
const MAX_TEST_OUTPUT_CHARACTERS = 1_000;
const MAX_BREAKDOWN_CHARACTERS = 100_000;

/**
 * Reads a result.
 *
 * @throws EvaluationFault of the platform's, retryable, for `platform_error` and for a result that contradicts what was asked for.
 */
export function concludeGrading(result: GradingResult, judged: Judged): Grading | ImageFailure {
	switch (result.outcome) {
		case "graded":
			return concludeScores(result, judged);
		case "submission_invalid":
			return describe(result, judged, {
				testScore: 0,
				containerScore: judged.task.testSuiteCases === null ? 0 : null,
				dimensions: [],
				reasoning: `${messageOf(result, judged)} ${describeOutput(result)}`,
			});
		case "grader_timeout":
		case "grader_oom":
		case "grader_error":
		case "grader_no_result":
			return imageFailure(result, messageOf(result, judged));
		case "platform_error":
			throw platformFault(messageOf(result, judged));
	}
}

/** The agent and the poster get the same text, because a submission can make the image print what it sees. */
function imageFailure({ outcome, output }: GradingResult, message: string): ImageFailure {
	return { message: `${outcome === "graded" ? "grader_error" : outcome}: ${message} ${describeOutput({ output })}` };
}

/** Contract: ruling "Evaluation", container. */
function concludeScores(result: GradingResult, judged: Judged): Grading | ImageFailure {
	const { criteria } = judged;
	const given = result.dimensions.map((dimension) => ({ ...dimension, criterion_name: dimension.criterion }));
	const [stray] = findUnknownDimensions({ dimensions: given }, criteria);
	if (stray !== undefined)
		return imageFailure(result, `The image scored ${JSON.stringify(stray.slice(0, 200))}, which is not a criterion or occurs twice.`);
	if (given.length > 0 && given.length < criteria.length) return imageFailure(result, "The image left out criteria of the task.");
	const dimensions = criteria.flatMap(({ name, weight }) =>
		given
			.filter(({ criterion }) => criterion === name)
			.map(({ score, reasoning }) => ({
				criterion: name,
				weight,
				score: roundScore(score),
				reasoning: clean(reasoning, MAX_NOTES_CHARACTERS),
			})),
	);
	const fileScore = dimensions.length > 0 ? weightedScore(dimensions) : result.container_score;
	const containerScore = fileScore === null ? null : roundScore(fileScore);
	const testScore = judged.task.testSuiteCases === null ? containerScore : shareOfPassed(result, judged.task.testSuiteCases);
	if (testScore === null) throw platformFault("The grader returned a result without a score.");
	const reasoning = clean(result.notes, MAX_NOTES_CHARACTERS) || summarize(result, { testScore, containerScore });
	return describe(result, judged, { testScore, containerScore, dimensions, reasoning });
}

function shareOfPassed({ tests }: GradingResult, cases: number): number {
	if (tests.length !== cases) throw platformFault("The grader returned a result that does not match the test suite.");
	return roundScore((100 * tests.filter(({ passed }) => passed).length) / cases);
}

function summarize({ tests }: GradingResult, scores: Pick<Grading, "testScore" | "containerScore">): string {
	const passed = tests.length === 0 ? "" : ` ${tests.filter((test) => test.passed).length} of ${tests.length} tests passed.`;
	return `The task's image graded the submission: ${scores.containerScore ?? scores.testScore}.${passed}`;
}

/** The breakdown, for the agent as for the poster: what the image said, and never how the platform reached it. */
function describe(result: GradingResult, judged: Judged, scores: Omit<Grading, "breakdown" | "imageDigest">): Grading {
	const tests = result.tests.slice(0, MAX_TESTS).map((test) => ({
		...test,
		name: clean(test.name, MAX_TEST_NAME_CHARACTERS),
		output: clean(test.output, MAX_TEST_OUTPUT_CHARACTERS),
	}));
	const imageDigest = result.image_digest === null ? null : clean(result.image_digest, MAX_TEST_NAME_CHARACTERS);
	const breakdown = {
		outcome: result.outcome,
		message: messageOf(result, judged),
		image_digest: imageDigest,
		image_dimensions: scores.dimensions.map(({ criterion, score, reasoning }) => ({ criterion, score, reasoning })),
		tests,
		tests_passed: tests.filter(({ passed }) => passed).length,
		breakdown: boundBreakdown(result.breakdown),
		output: tailOf(result.output),
		notes: clean(result.notes, MAX_NOTES_CHARACTERS),
	};
	return { ...scores, breakdown, imageDigest };
}

function boundBreakdown(breakdown: GradingResult["breakdown"]): GradingResult["breakdown"] {
	try {
		if (JSON.stringify(breakdown).length <= MAX_BREAKDOWN_CHARACTERS) return breakdown;
	} catch {
		// Nested too deeply to be written down.
	}
	return { omitted: `The image's breakdown is too large; at most ${MAX_BREAKDOWN_CHARACTERS} characters are kept.` };
}

function describeOutput({ output }: Pick<GradingResult, "output">): string {
	const tail = tailOf(output).trim();
	return tail === "" ? "The image wrote nothing." : `The end of its output:\n${tail}`;
}

/** The grader's words without the image's name, which is the poster's own, and without addresses. */
function messageOf({ message, outcome }: GradingResult, { task }: Judged): string {
	const named = task.evalImage === null ? message : message.replaceAll(task.evalImage, "the image");
	const safe = clean(named.replace(/\b[a-z]+:\/\/\S+/gi, "[address]"), MAX_MESSAGE_CHARACTERS).trim();
	return safe === "" && outcome !== "graded" ? "The grader gave no reason." : safe;
}

function tailOf(output: string): string {
	return clean(output.slice(-MAX_OUTPUT_CHARACTERS), MAX_OUTPUT_CHARACTERS);
}

/** Text that can be stored and shown: without control characters but line breaks and tabs. */
function clean(raw: string, maxCharacters: number): string {
	const text = raw.slice(0, maxCharacters).toWellFormed();
	return text.replace(/[^\P{Cc}\n\t]/gu, "");
}

function platformFault(message: string): EvaluationFault {
	return new EvaluationFault(message, { blame: "platform", isRetryable: true });
}
