// Every format of score file becomes this report, and all formats share these checks.
import * as z from "zod";
import type { GradingTask, TestResult } from "../../src/ports/grading.ts";

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
	/** The image writes it to this path. */
	readonly path: string;
	/** @throws ScoreFault */
	parse(text: string, task: GradingTask): ScoreReport;
}

/** @throws ScoreFault naming the first field that is not as the schema says. */
export function checked<S extends z.ZodType>(schema: S, json: unknown): z.output<S> {
	const parsed = schema.safeParse(json);
	if (parsed.success) return parsed.data;
	const { path, message } = parsed.error.issues[0] ?? { path: [], message: "is not as described" };
	throw new ScoreFault(`${path.length === 0 ? "the file" : path.join(".")}: ${message}`);
}

/** A score out of range is the image's mistake; correcting it silently would hide the mistake. */
export function inRange(value: number, what: string): number {
	if (value >= 0 && value <= 100) return value;
	throw new ScoreFault(`${what} is ${value}; it must be from 0 to 100.`);
}

/** Returns a score and nothing else. */
export function bareReport(score: number): ScoreReport {
	return { score, dimensions: [], tests: [], breakdown: null, output: "", notes: "" };
}

/** Returns a test that the image reports, as opposed to a case of the poster's suite. */
export function reportedTest(test: Pick<TestResult, "name" | "passed"> & Partial<TestResult>): TestResult {
	return { score: null, max_score: null, output: "", public: null, input: null, ...test };
}

/**
 * The share of tests that passed. Each counts the same, and only a passed test has passed: a skipped one has not.
 *
 * @throws ScoreFault without a test.
 */
export function reportOfTests(tests: readonly TestResult[]): ScoreReport {
	if (tests.length === 0) throw new ScoreFault("reports no test.");
	return { ...bareReport((100 * tests.filter(({ passed }) => passed).length) / tests.length), tests };
}

/** Text that a format may leave out. */
export const optionalText = z.string().nullish();
