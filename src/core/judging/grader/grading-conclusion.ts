// Turns a grader's result into scores or a fault. If the result has test cases or scores of criteria, the platform computes its scores.
import { EvaluationFault } from "../../../domain/evaluation-fault.ts";
import { type Failure, PUBLIC_FAILURES } from "../../../domain/failures.ts";
import { registryOfReference, repositoryOfReference } from "../../../domain/image-reference.ts";
import { roundScore, weightedScore } from "../../../domain/scores.ts";
import type { GradingResult, TestResult } from "../../../ports/grading.ts";
import { findUnknownDimensions } from "../rules.ts";
import type { EvaluationTask, EvaluationWork, Grading } from "../work.ts";
import { platformFault } from "./client.ts";

type TaskRubric = Pick<EvaluationWork, "task" | "criteria">;

/** A run that failed after the image had started. The run is repeated once. */
export interface ImageFailure {
	readonly failure: Failure;
	/** The message for the agent. Includes the end of the output, unless the suite has hidden cases. */
	readonly message: string;
	/** The message for the owner. Includes the end of the output. */
	readonly ownerMessage: string;
}

/**
 * Turns a grader's result into scores, or into a failure of the image.
 *
 * @throws EvaluationFault that blames the platform and is retryable, for `platform_error` and for a result that contradicts the request.
 * For `image_error`, the fault blames the task.
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
 * Builds the fault of an image that failed. A submission could print the inputs of hidden cases and then fail. So if there are hidden
 * cases, the agent only learns how the run ended.
 */
function imageFailure(
	result: GradingResult,
	{ task }: TaskRubric,
	{ failure, message }: { failure: Failure; message: string },
): ImageFailure {
	const full = `${failure}: ${message} ${describeOutput(result)}`;
	const short = `${failure}: ${PUBLIC_FAILURES[failure]} Only the poster can see the output, because the test suite has hidden cases.`;
	return { failure, message: hasHiddenCases(task) ? short : full, ownerMessage: full };
}

/** Builds the fault of an image that could not start. The agent cannot fix this, and only the poster may see the name of the image. */
function imageFault(result: GradingResult): EvaluationFault {
	return new EvaluationFault("image_error: The task's image could not be started. The task's poster has been notified.", {
		blame: "task",
		isRetryable: false,
		ownerMessage: `image_error: ${boundText(result.message)} ${describeOutput(result)}`,
	});
}

function concludeZero(
	result: GradingResult,
	{ task }: TaskRubric,
	texts: { readonly reasoning: string; readonly reasoningForAgent: string },
): Grading {
	return viewGrading(result, task, { testScore: 0, containerScore: task.testSuiteCases === null ? 0 : null, dimensions: [], ...texts });
}

/** Computes the scores of a graded submission. */
function concludeScores(result: GradingResult, judged: TaskRubric): Grading | ImageFailure {
	const { criteria, task } = judged;
	const unusable = (message: string) => imageFailure(result, judged, { failure: "grader_error", message });
	const scoredByImage = result.dimensions.map((dimension) => ({ ...dimension, criterion_name: dimension.criterion }));
	const [stray] = findUnknownDimensions({ dimensions: scoredByImage }, criteria);
	if (stray !== undefined) {
		return unusable(`The image scored ${JSON.stringify(stray.slice(0, 200))}, which is not a criterion or is listed twice.`);
	}
	if (scoredByImage.length > 0 && scoredByImage.length < criteria.length)
		return unusable("The image did not score all criteria of the task.");
	const dimensions = criteria.flatMap(({ name, weight }) =>
		scoredByImage
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
	return `The task's image gave the submission ${scores.containerScore ?? scores.testScore} of 100 points.${passed}`;
}

function describeOutput({ output }: Pick<GradingResult, "output">): string {
	const tail = tailOf(output).trim();
	return tail === "" ? "The image wrote no output." : `The end of its output:\n${tail}`;
}

// The agent and the owner see different parts of an image's result. If a case is hidden, the agent sees only its name and whether it
// passed.

const MAX_TESTS = 1_000;
const MAX_NAME_CHARACTERS = 200;
const MAX_TEXT_CHARACTERS = 1_000;
const MAX_BREAKDOWN_CHARACTERS = 100_000;

type SuiteCases = Pick<EvaluationTask, "testSuiteCases" | "testSuitePublicCases">;

/** Returns true if a task's suite has cases whose input and output agents must not see. */
function hasHiddenCases({ testSuiteCases, testSuitePublicCases }: SuiteCases): boolean {
	return (testSuiteCases ?? 0) > (testSuitePublicCases ?? 0);
}

/**
 * Splits the image's result into a view for the owner and a view for the agent. A submission can print everything that it reads, including
 * hidden inputs. So if there are hidden cases, only the owner sees what the image wrote.
 */
function viewGrading(
	result: GradingResult,
	task: SuiteCases & Pick<EvaluationTask, "evalImage">,
	{
		reasoningForAgent,
		...scores
	}: Pick<Grading, "testScore" | "containerScore" | "dimensions" | "reasoning"> & { readonly reasoningForAgent: string },
): Grading {
	const imageDigest = result.image_digest === null ? null : boundText(result.image_digest, MAX_NAME_CHARACTERS);
	const tests = result.tests.slice(0, MAX_TESTS).map(boundTest);
	const facts = { outcome: result.outcome, image_digest: imageDigest, tests_passed: tests.filter(({ passed }) => passed).length };
	const texts = {
		message: messageForEveryone(result, task),
		image_dimensions: scores.dimensions.map(({ criterion, score, reasoning }) => ({ criterion, score, reasoning })),
		tests,
		breakdown: boundBreakdown(result.breakdown),
		output: tailOf(result.output),
		notes: boundText(result.notes, MAX_NOTES_CHARACTERS),
	};
	if (!hasHiddenCases(task)) return { ...scores, breakdown: { ...facts, ...texts }, ownerBreakdown: null, imageDigest };
	const publicTexts = {
		message: "",
		image_dimensions: texts.image_dimensions.map((dimension) => ({ ...dimension, reasoning: "" })),
		tests: tests.map((test) => (test.public === true ? test : { ...test, input: null, output: "" })),
		breakdown: null,
		output: "",
		notes: "",
	};
	const dimensions = scores.dimensions.map((dimension) => ({ ...dimension, reasoning: "" }));
	return {
		...scores,
		dimensions,
		reasoning: reasoningForAgent,
		breakdown: { ...facts, ...publicTexts },
		ownerBreakdown: { ...texts, reasoning: scores.reasoning },
		imageDigest,
	};
}

function boundTest(test: TestResult): TestResult {
	return {
		...test,
		name: boundText(test.name, MAX_NAME_CHARACTERS),
		output: boundText(test.output, MAX_TEXT_CHARACTERS),
		input: test.input === null ? null : boundText(test.input, MAX_TEXT_CHARACTERS),
	};
}

function boundBreakdown(breakdown: GradingResult["breakdown"]): GradingResult["breakdown"] {
	try {
		if (JSON.stringify(breakdown).length <= MAX_BREAKDOWN_CHARACTERS) return breakdown;
	} catch {
		// The value is nested too deeply to be written as JSON.
	}
	return { omitted: `The image's breakdown is too large; at most ${MAX_BREAKDOWN_CHARACTERS} characters are kept.` };
}

const MAX_MESSAGE_CHARACTERS = 500;
const MAX_OUTPUT_CHARACTERS = 4_096;
const MAX_NOTES_CHARACTERS = 20_000;

// These functions make the texts of images and graders safe to show: they cut texts, and remove control characters and the image's name.

/**
 * Returns the grader's message for the agent and the owner. It contains neither URLs nor the image's name, because the agent must not see
 * them.
 */
function messageForEveryone({ message, outcome }: GradingResult, { evalImage }: Pick<EvaluationTask, "evalImage">): string {
	const withoutUrls = message.replace(/\b[a-z]{1,20}:\/\/\S+/gi, "[address]");
	const safe = boundText(namesOf(evalImage).reduce((text, name) => text.replaceAll(name, "the image"), withoutUrls)).trim();
	return safe === "" && outcome !== "graded" ? "The grader gave no reason." : safe;
}

/** Lists the names by which text may mention an image, longest first. */
function namesOf(image: string | null): string[] {
	if (image === null) return [];
	const registry = registryOfReference(image);
	return [image, repositoryOfReference(image), ...(registry === null ? [] : [registry])];
}

function tailOf(output: string): string {
	return boundText(output.slice(-MAX_OUTPUT_CHARACTERS), MAX_OUTPUT_CHARACTERS);
}

/** Cuts text to a maximum length, and removes control characters except line breaks and tabs, so that it can be stored and shown. */
function boundText(raw: string, maxCharacters: number = MAX_MESSAGE_CHARACTERS): string {
	const text = raw.slice(0, maxCharacters).toWellFormed();
	return text.replace(/[^\P{Cc}\n\t]/gu, "");
}
