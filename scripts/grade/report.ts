// Formats a grading result as text for a terminal.
import { stripVTControlCharacters } from "node:util";
import type { GradingResult, GradingTask } from "../../src/ports/grading.ts";

const OUTCOMES: Readonly<Record<GradingResult["outcome"], string>> = {
	graded: "graded",
	submission_invalid: "submission invalid: it scores 0, and that counts",
	grader_timeout: "out of time: tried once more, then the evaluation fails",
	grader_oom: "out of memory: tried once more, then the evaluation fails",
	grader_error: "the image failed: tried once more, then the evaluation fails",
	grader_no_result: "no score: tried once more, then the evaluation fails",
	image_error: "the image cannot be started: the evaluation fails, and agents get their slots back",
	platform_error: "could not be run: tried again later, and never counted against the submission",
};

export function formatGrading(result: GradingResult, { image, task }: { image: string; task: GradingTask }): string {
	const lines = [
		`${image}: ${OUTCOMES[result.outcome]}`,
		...(result.image_digest === null ? [] : [`  ${result.image_digest}`]),
		...(result.message === "" ? [] : ["", result.message]),
		...(result.test_score === null ? [] : [""]),
		...formatScores(result),
		...result.dimensions.map((dimension) => formatDimension(dimension, task)),
		...section(
			"Tests",
			result.tests.map(({ name, passed, score, max_score }) => `${passed ? "passed" : "FAILED"}  ${name}${formatPoints(score, max_score)}`),
		),
		...section("Breakdown", result.breakdown === null ? [] : JSON.stringify(result.breakdown, null, 2).split("\n")),
		...section("Notes", result.notes.split("\n")),
		...section("The end of its output", result.output.trimEnd().split("\n")),
	];
	// An image's output must not move the reader's cursor.
	return lines.map(stripVTControlCharacters).join("\n").trimEnd();
}

function formatScores({ test_score, container_score }: GradingResult): string[] {
	if (test_score === null) return [];
	const own = container_score === null || container_score === test_score ? "" : `, the image's own score ${container_score.toFixed(2)}`;
	return [`${test_score.toFixed(2).padStart(6)}  of 100${own}`];
}

function formatDimension({ criterion, score, reasoning }: GradingResult["dimensions"][number], { criteria }: GradingTask): string {
	const weight = criteria.find(({ name }) => name === criterion)?.weight;
	const line = `${score.toFixed(2).padStart(6)}  ${criterion}${weight === undefined ? "" : ` (weight ${weight})`}`;
	return reasoning === "" ? line : `${line}\n        ${reasoning}`;
}

function formatPoints(score: number | null, maxScore: number | null): string {
	if (score === null) return "";
	return maxScore === null ? ` (${score})` : ` (${score} of ${maxScore})`;
}

function section(title: string, lines: readonly string[]): string[] {
	return lines.every((line) => line === "") ? [] : ["", `${title}:`, ...lines.map((line) => `  ${line}`)];
}
