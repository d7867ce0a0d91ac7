// Reads /results/score.json, the platform's own format.
import * as z from "zod";
import type { GradingTask } from "../../src/ports/grading.ts";
import { checked, inRange, optionalText, reportedTest, ScoreFault, type ScoreReport } from "./report.ts";

const ownFormat = z.object({
	score: z.number().optional(),
	test_score: z.number().optional(),
	dimensions: z.array(z.object({ criterion: z.string(), score: z.number(), reasoning: optionalText })).optional(),
	breakdown: z.record(z.string(), z.unknown()).nullish(),
	tests: z
		.array(
			z.object({
				name: z.string(),
				passed: z.boolean(),
				score: z.number().nullish(),
				max_score: z.number().nullish(),
				output: optionalText,
			}),
		)
		.nullish(),
	output: optionalText,
	notes: optionalText,
});

type OwnFormat = z.output<typeof ownFormat>;

/** @throws ScoreFault */
export function parseOwn(json: unknown, task: GradingTask): ScoreReport {
	const file = checked(ownFormat, json);
	const dimensions = checkDimensions(file.dimensions ?? [], task);
	return {
		score: scoreOf(file, dimensions, task),
		dimensions,
		tests: (file.tests ?? []).map((test) =>
			reportedTest({
				name: test.name,
				passed: test.passed,
				score: test.score ?? null,
				max_score: test.max_score ?? null,
				output: test.output ?? "",
			}),
		),
		breakdown: file.breakdown ?? null,
		output: file.output ?? "",
		notes: file.notes ?? "",
	};
}

/** Returns the number in the file, or the weighted mean of its dimensions. */
function scoreOf(file: OwnFormat, dimensions: ScoreReport["dimensions"], task: GradingTask): number {
	const given = [...new Set([file.score, file.test_score].filter((value) => value !== undefined))];
	if (given.length > 1) throw new ScoreFault("score and test_score differ; give one of them.");
	const [value] = given;
	if (dimensions.length === 0) {
		if (value === undefined) throw new ScoreFault("has none of score, test_score and dimensions.");
		return inRange(value, "score");
	}
	if (value !== undefined) throw new ScoreFault("gives both a score and dimensions. The weights make the score: only give dimensions.");
	const weightOf = new Map(task.criteria.map(({ name, weight }) => [name, weight]));
	const weights = task.criteria.reduce((sum, { weight }) => sum + weight, 0);
	const points = dimensions.reduce((sum, { criterion, score }) => sum + score * (weightOf.get(criterion) ?? 0), 0);
	return inRange(points / weights, "the weighted score");
}

function checkDimensions(given: NonNullable<OwnFormat["dimensions"]>, task: GradingTask): ScoreReport["dimensions"] {
	if (given.length === 0) return [];
	const names = given.map(({ criterion }) => criterion);
	const known = new Set(task.criteria.map(({ name }) => name));
	const unknown = names.find((name) => !known.has(name));
	if (unknown !== undefined) throw new ScoreFault(`dimensions name ${JSON.stringify(unknown)}, which is not a criterion of the task.`);
	const doubled = names.length === new Set(names).size ? undefined : names.find((name, index) => names.indexOf(name) !== index);
	if (doubled !== undefined) throw new ScoreFault(`dimensions name ${JSON.stringify(doubled)} twice.`);
	const missing = [...known].find((name) => !names.includes(name));
	if (missing !== undefined) throw new ScoreFault(`dimensions leave out the criterion ${JSON.stringify(missing)}.`);
	return given.map(({ criterion, score, reasoning }) => ({
		criterion,
		score: inRange(score, `the score of ${JSON.stringify(criterion)}`),
		reasoning: reasoning ?? "",
	}));
}
