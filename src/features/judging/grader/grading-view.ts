// The agent and the owner see different parts of an image's result. The agent sees only the name of a hidden case and whether it passed.
import { registryOfReference, repositoryOfReference } from "../../../domain/image-reference.ts";
import type { GradingResult, TestResult } from "../../../ports/grading.ts";
import type { EvaluationTask, Grading } from "../work.ts";

const MAX_TESTS = 1_000;
const MAX_NAME_CHARACTERS = 200;
const MAX_TEXT_CHARACTERS = 1_000;
const MAX_BREAKDOWN_CHARACTERS = 100_000;

type SuiteCases = Pick<EvaluationTask, "testSuiteCases" | "testSuitePublicCases">;

/** Returns true if a task's suite has cases whose input and output agents must not see. */
export function hasHiddenCases({ testSuiteCases, testSuitePublicCases }: SuiteCases): boolean {
	return (testSuiteCases ?? 0) > (testSuitePublicCases ?? 0);
}

/**
 * Splits the image's result into a view for the owner and one for the agent. A submission can print everything that it reads,
 * hidden inputs included. So with hidden cases, only the owner sees what the image wrote.
 */
export function viewGrading(
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
	const shown = {
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
		breakdown: { ...facts, ...shown },
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
		// It is nested too deeply to be written down.
	}
	return { omitted: `The image's breakdown is too large; at most ${MAX_BREAKDOWN_CHARACTERS} characters are kept.` };
}

const MAX_MESSAGE_CHARACTERS = 500;
const MAX_OUTPUT_CHARACTERS = 4_096;
export const MAX_NOTES_CHARACTERS = 20_000;

// Texts of images and graders are bounded and lose control characters and the name of the image, so that they are safe to show.

/** Returns the grader's message for the agent and the owner, without URLs and without the image's name, which only the owner may see. */
export function messageForEveryone({ message, outcome }: GradingResult, { evalImage }: Pick<EvaluationTask, "evalImage">): string {
	const withoutUrls = message.replace(/\b[a-z]{1,20}:\/\/\S+/gi, "[address]");
	const safe = boundText(namesOf(evalImage).reduce((text, name) => text.replaceAll(name, "the image"), withoutUrls)).trim();
	return safe === "" && outcome !== "graded" ? "The grader gave no reason." : safe;
}

/** Lists the names of an image. The longest ones come first. */
function namesOf(image: string | null): string[] {
	if (image === null) return [];
	const registry = registryOfReference(image);
	return [image, repositoryOfReference(image), ...(registry === null ? [] : [registry])];
}

/** Returns the end of an output. */
export function tailOf(output: string): string {
	return boundText(output.slice(-MAX_OUTPUT_CHARACTERS), MAX_OUTPUT_CHARACTERS);
}

/** Cleans text so that it can be stored and shown: without control characters except line breaks and tabs. */
export function boundText(raw: string, maxCharacters: number = MAX_MESSAGE_CHARACTERS): string {
	const text = raw.slice(0, maxCharacters).toWellFormed();
	return text.replace(/[^\P{Cc}\n\t]/gu, "");
}
