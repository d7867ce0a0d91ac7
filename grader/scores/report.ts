// Every format of score file becomes this report, and all formats share these checks.
import * as z from "zod";
import type { GradingTask, TestResult } from "../../src/ports/grading.ts";

/** The file contains something that cannot be a score. Its message is for the poster. */
export class ScoreFault extends Error {
	override readonly name = "ScoreFault";
}

export interface ScoreReport {
	/** The score is from 0 to 100. */
	readonly score: number;
	readonly dimensions: readonly { readonly criterion: string; readonly score: number; readonly reasoning: string }[];
	readonly tests: readonly TestResult[];
	readonly breakdown: Readonly<Record<string, unknown>> | null;
	readonly output: string;
	readonly notes: string;
}

export interface ScoreFormat {
	/** The path to which the image writes the file. */
	readonly path: string;
	/** @throws ScoreFault */
	parse(text: string, task: GradingTask): ScoreReport;
}

/** @throws ScoreFault that names the first field that breaks the schema. */
export function checked<S extends z.ZodType>(schema: S, json: unknown): z.output<S> {
	const parsed = schema.safeParse(json);
	if (parsed.success) return parsed.data;
	const { path, message } = parsed.error.issues[0] ?? { path: [], message: "is not as described" };
	throw new ScoreFault(`${path.length === 0 ? "the file" : path.join(".")}: ${message}`);
}

/** Scores that differ by less count as equal, because a sum of floating-point numbers is not exact. */
export const SAME_SCORE = 1e-9;

/** Refuses a score out of range, because a silent correction would hide the image's mistake. */
export function inRange(value: number, what: string): number {
	const score = Math.min(100, Math.max(0, value));
	if (Math.abs(value - score) < SAME_SCORE) return score;
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
 * Returns the share of tests that passed. Each counts the same, and a skipped one has not passed.
 *
 * @throws ScoreFault without a test.
 */
export function reportOfTests(tests: readonly TestResult[]): ScoreReport {
	if (tests.length === 0) throw new ScoreFault("reports no test.");
	return { ...bareReport((100 * tests.filter(({ passed }) => passed).length) / tests.length), tests };
}

/** A format may leave this text out. */
export const optionalText = z.string().nullish();
