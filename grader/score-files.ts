// The formats in which an image may write its score: ours, and those of the platforms that images were written for.
import * as z from "zod";
import type { GradingTask, TestResult } from "../src/ports/grading.ts";

/** The file says something that cannot be a score. Its message is for the poster. */
export class ScoreFault extends Error {
	override readonly name = "ScoreFault";
}

export interface ScoreReport {
	/** 0..100. */
	readonly score: number;
	readonly dimensions: readonly { readonly criterion: string; readonly score: number; readonly reasoning: string }[];
	readonly tests: readonly TestResult[];
	readonly breakdown: Readonly<Record<string, unknown>> | null;
	readonly output: string;
	readonly notes: string;
}

export interface ScoreFormat {
	/** Where the image writes it. */
	readonly path: string;
	/** @throws ScoreFault */
	parse(text: string, task: GradingTask): ScoreReport;
}

/** Every place where a score may lie. No format goes before another. */
export const SCORE_FORMATS: readonly ScoreFormat[] = [
	{ path: "/results/score.json", parse: (text, task) => parseOwn(parseJson(text), task) },
	{ path: "/autograder/results/results.json", parse: (text) => parseGradescope(parseJson(text)) },
	{ path: "/app/output/scores.json", parse: (text) => parseMetrics(parseJson(text), "score") },
	{ path: "/logs/verifier/reward.json", parse: (text) => fromReward(pickMetric(readMetrics(parseJson(text)), "reward")) },
	{ path: "/logs/verifier/reward.txt", parse: (text) => fromReward(parseNumber(text)) },
	{ path: "/output/metrics.json", parse: (text) => parseMetrics(parseJson(text), "score") },
];

/** Nothing that a person reads is nested deeper, and what writes JSON again would run out of stack. */
const MAX_DEPTH = 64;

function parseJson(text: string): unknown {
	if (depthOf(text) > MAX_DEPTH) throw new ScoreFault(`is nested more than ${MAX_DEPTH} deep.`);
	try {
		return JSON.parse(text);
	} catch {
		const hint = /\b(NaN|-?Infinity)\b/.test(text) ? " NaN and Infinity are no numbers there." : "";
		throw new ScoreFault(`is not valid JSON.${hint}`);
	}
}

/** Of brackets outside of strings. */
function depthOf(text: string): number {
	let depth = 0;
	let deepest = 0;
	for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"?|[[\]{}]/gs)) {
		if (token === "[" || token === "{") depth += 1;
		else if (token === "]" || token === "}") depth -= 1;
		deepest = Math.max(deepest, depth);
	}
	return deepest;
}

function checked<S extends z.ZodType>(schema: S, json: unknown): z.output<S> {
	const parsed = schema.safeParse(json);
	if (parsed.success) return parsed.data;
	const { path, message } = parsed.error.issues[0] ?? { path: [], message: "is not as described" };
	throw new ScoreFault(`${path.length === 0 ? "the file" : path.join(".")}: ${message}`);
}

/** A score out of range is the image's mistake; correcting it silently would hide the mistake. */
function inRange(value: number, what: string): number {
	if (value >= 0 && value <= 100) return value;
	throw new ScoreFault(`${what} is ${value}; it must be from 0 to 100.`);
}

const text = z.string().nullish();

const ownFormat = z.object({
	score: z.number().optional(),
	test_score: z.number().optional(),
	dimensions: z.array(z.object({ criterion: z.string(), score: z.number(), reasoning: text })).optional(),
	breakdown: z.record(z.string(), z.unknown()).nullish(),
	tests: z
		.array(z.object({ name: z.string(), passed: z.boolean(), score: z.number().nullish(), max_score: z.number().nullish(), output: text }))
		.nullish(),
	output: text,
	notes: text,
});

function parseOwn(json: unknown, task: GradingTask): ScoreReport {
	const file = checked(ownFormat, json);
	const dimensions = checkDimensions(file.dimensions ?? [], task);
	return {
		score: ownScore(file, dimensions, task),
		dimensions,
		tests: (file.tests ?? []).map((test) => ({
			name: test.name,
			passed: test.passed,
			score: test.score ?? null,
			max_score: test.max_score ?? null,
			output: test.output ?? "",
		})),
		breakdown: file.breakdown ?? null,
		output: file.output ?? "",
		notes: file.notes ?? "",
	};
}

/** One number, given once, or computed here from the dimensions by the task's weights. */
function ownScore(file: z.output<typeof ownFormat>, dimensions: ScoreReport["dimensions"], task: GradingTask): number {
	const given = [...new Set([file.score, file.test_score].filter((value) => value !== undefined))];
	if (given.length > 1) throw new ScoreFault("score and test_score differ; give one of them.");
	const [value] = given;
	if (dimensions.length === 0) {
		if (value === undefined) throw new ScoreFault("has none of score, test_score and dimensions.");
		return inRange(value, "score");
	}
	if (value !== undefined) throw new ScoreFault("gives both a score and dimensions; the weights make the score, so give dimensions alone.");
	const weightOf = new Map(task.criteria.map(({ name, weight }) => [name, weight]));
	const weights = task.criteria.reduce((sum, { weight }) => sum + weight, 0);
	return dimensions.reduce((sum, { criterion, score }) => sum + score * (weightOf.get(criterion) ?? 0), 0) / weights;
}

function checkDimensions(given: NonNullable<z.output<typeof ownFormat>["dimensions"]>, task: GradingTask): ScoreReport["dimensions"] {
	if (given.length === 0) return [];
	const names = given.map(({ criterion }) => criterion);
	const known = new Set(task.criteria.map(({ name }) => name));
	const unknown = names.find((name) => !known.has(name));
	if (unknown !== undefined) throw new ScoreFault(`dimensions name ${JSON.stringify(unknown)}, which is no criterion of the task.`);
	const doubled = names.find((name, index) => names.indexOf(name) !== index);
	if (doubled !== undefined) throw new ScoreFault(`dimensions name ${JSON.stringify(doubled)} twice.`);
	const missing = [...known].find((name) => !names.includes(name));
	if (missing !== undefined) throw new ScoreFault(`dimensions leave out the criterion ${JSON.stringify(missing)}.`);
	return given.map(({ criterion, score, reasoning }) => ({
		criterion,
		score: inRange(score, `the score of ${JSON.stringify(criterion)}`),
		reasoning: reasoning ?? "",
	}));
}

const gradescopeFormat = z.object({
	score: z.number().optional(),
	output: text,
	tests: z
		.array(
			z.object({
				name: text,
				score: z.number().optional(),
				max_score: z.number().optional(),
				status: z.enum(["passed", "failed"]).optional(),
				output: text,
			}),
		)
		.optional(),
});

/** Points out of the tests' maximum; without a maximum, the score is taken as 0..100. */
function parseGradescope(json: unknown): ScoreReport {
	const file = checked(gradescopeFormat, json);
	const tests = file.tests ?? [];
	const points = file.score ?? sumOfAll(tests.map((test) => test.score));
	if (points === null) throw new ScoreFault("has neither a score nor a score for each test.");
	const maximum = sumOfAll(tests.map((test) => test.max_score));
	return {
		...bare(inRange(maximum === null || maximum === 0 ? points : (100 * points) / maximum, "the score in percent")),
		tests: tests.map(toTestResult),
		output: file.output ?? "",
	};
}

function toTestResult(test: NonNullable<z.output<typeof gradescopeFormat>["tests"]>[number], index: number): TestResult {
	const { score = null, max_score = null } = test;
	const hasAll = score !== null && max_score !== null && score >= max_score;
	const passed = test.status === undefined ? hasAll : test.status === "passed";
	return { name: test.name ?? `test ${index + 1}`, passed, score, max_score, output: test.output ?? "" };
}

/** Null unless there are values and none is missing. */
function sumOfAll(values: readonly (number | undefined)[]): number | null {
	const known = values.filter((value) => value !== undefined);
	return known.length === 0 || known.length < values.length ? null : known.reduce((sum, value) => sum + value, 0);
}

const metricsFormat = z.record(z.string(), z.unknown());

function readMetrics(json: unknown): Record<string, unknown> {
	return checked(metricsFormat, json);
}

/** The number of that name, or the only number there is. */
function pickMetric(metrics: Readonly<Record<string, unknown>>, name: string): number {
	const named = Object.hasOwn(metrics, name) ? metrics[name] : undefined;
	if (typeof named === "number") return named;
	const numbers = Object.values(metrics).filter((value) => typeof value === "number");
	const [only] = numbers;
	if (only !== undefined && numbers.length === 1) return only;
	throw new ScoreFault(`has no number ${name}, and ${numbers.length === 0 ? "no other number either" : "several others"}.`);
}

function parseMetrics(json: unknown, name: string): ScoreReport {
	const metrics = readMetrics(json);
	return { ...bare(inRange(pickMetric(metrics, name), name)), breakdown: metrics };
}

function parseNumber(raw: string): number {
	const trimmed = raw.trim();
	if (!/^-?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(trimmed)) throw new ScoreFault("is not one number.");
	return Number(trimmed);
}

/** Rewards go from 0 to 1. */
function fromReward(reward: number): ScoreReport {
	if (!(reward >= 0 && reward <= 1)) throw new ScoreFault(`the reward is ${reward}; it must be from 0 to 1.`);
	return bare(100 * reward);
}

function bare(score: number): ScoreReport {
	return { score, dimensions: [], tests: [], breakdown: null, output: "", notes: "" };
}
