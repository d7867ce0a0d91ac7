// Reports contain the texts of an evaluation or a dry run: reasoning, evidence, breakdown, logs.
import { asc, eq, sql } from "drizzle-orm";
import * as z from "zod";
import { prepareOnce } from "../../../db/task/prepared.ts";
import { reports } from "../../../db/task/schema/submissions.ts";
import { FINDINGS } from "../../../domain/checks.ts";
import { type EvalMode, MODES } from "../../../domain/modes.ts";
import { median } from "../../../domain/scores.ts";
import type { ResultTexts } from "../../../ports/judgement.ts";
import type { TaskStore } from "../../../ports/task.ts";

/** The quote is missing in sealed reports. */
const quoteSchema = z.object({ path: z.string(), start: z.number(), end: z.number(), quote: z.string().optional() });

const reportSchema = z.object({
	reasoning: z.string(),
	dimensions: z.array(
		z.object({
			criterion_name: z.string(),
			score: z.number(),
			reasoning: z.string(),
			weight: z.number(),
			checks: z.array(z.object({ check: z.string(), found: z.enum(FINDINGS), evidence: z.array(quoteSchema) })).default([]),
			gaps: z.array(z.string()).default([]),
			/** True if reasoning or gaps repeat a passage of the files. */
			quotes_work: z.boolean().optional(),
		}),
	),
	breakdown: z.record(z.string(), z.unknown()).nullable(),
	/** Fields of the breakdown that only the task's owner sees. */
	ownerBreakdown: z.record(z.string(), z.unknown()).nullable().default(null),
});

export type EvaluationReport = z.output<typeof reportSchema>;

/** The part of a report that a given reader may see. */
export type ReaderReport = Omit<EvaluationReport, "ownerBreakdown">;

export function reportFor(report: EvaluationReport, { isOwner }: { isOwner: boolean }): ReaderReport {
	const { ownerBreakdown, ...shared } = report;
	return isOwner && ownerBreakdown !== null ? { ...shared, breakdown: { ...shared.breakdown, ...ownerBreakdown } } : shared;
}

/** Fields of a breakdown that an image writes. */
const IMAGE_FIELDS = new Set(["message", "image_dimensions", "output", "notes", "breakdown", "reasoning"]);

/**
 * Removes quotes of the work from a report, and everything that the image wrote except its score and how many tests ran and passed. The
 * poster's image could copy the work into any text, or encode parts of it in test results and in the scores of criteria. The scores and
 * reasoning of the platform's judge stay.
 */
export function sealReport<Report extends ReaderReport>(report: Report, evalMode: EvalMode): Report {
	const { facts, tests, ...others } = report.breakdown ?? {};
	const { usesImage } = MODES[evalMode];
	const kept = usesImage ? Object.entries(others).filter(([name]) => !IMAGE_FIELDS.has(name)) : Object.entries(others);
	const breakdown = {
		...Object.fromEntries(kept),
		...(facts === undefined ? {} : { facts: withoutTexts(facts) }),
		...(Array.isArray(tests) ? { tests_total: tests.length } : {}),
	};
	return {
		...report,
		...sealReasoning(report, evalMode),
		breakdown: report.breakdown === null ? null : breakdown,
	};
}

type SealableDimension = Pick<ReaderReport["dimensions"][number], "reasoning" | "checks" | "gaps" | "quotes_work">;

/**
 * Keeps the platform judge's reasoning, except where it quotes the work: a poster can write a criterion that demands quotes. In hybrid
 * mode, the judge's reasoning comes after the image's, so only the end is kept. If only an image scores, it also sets the criteria's
 * scores, so those are removed too.
 */
export function sealReasoning<Dimension extends SealableDimension>(
	{ reasoning, dimensions }: { readonly reasoning: string; readonly dimensions: readonly Dimension[] },
	evalMode: EvalMode,
): { reasoning: string; dimensions: Dimension[] } {
	const { usesImage } = MODES[evalMode];
	const ofJudge = dimensions.map((dimension) => {
		const checks = dimension.checks.map((check) => ({ ...check, evidence: check.evidence.map(({ quote: _, ...place }) => place) }));
		return { ...dimension, checks, ...(dimension.quotes_work ? { reasoning: QUOTING_REASONING, gaps: [] } : {}) };
	});
	if (!usesImage) return { reasoning, dimensions: ofJudge };
	if (!isScoredByImage(evalMode)) return { reasoning: reasoning.slice(reasoning.lastIndexOf("\n\n") + 1).trim(), dimensions: ofJudge };
	return { reasoning: SEALED_REASONING, dimensions: [] };
}

/**
 * Returns true if only the poster's image scores submissions. If so, a sealed task hides the scores of criteria from its owner, and also
 * the receipts, which contain them.
 */
export function isScoredByImage(evalMode: EvalMode): boolean {
	const { usesImage, usesJudge } = MODES[evalMode];
	return usesImage && !usesJudge;
}

const QUOTING_REASONING = "The judge's reasoning quotes the submission, so you can read it only after the task has closed.";
const SEALED_REASONING = "The task's image graded the submission. The image's output is shown only after the task has closed.";

/** Fields that can quote the work. For example, a syntax error is shown with the text around it. */
const QUOTING = new Set(["text", "output", "faults"]);

/** Copies a value without the fields that can quote the work. */
function withoutTexts(value: unknown): unknown {
	if (Array.isArray(value)) return value.map(withoutTexts);
	if (typeof value !== "object" || value === null) return value;
	return Object.fromEntries(Object.entries(value).flatMap(([name, each]) => (QUOTING.has(name) ? [] : [[name, withoutTexts(each)]])));
}

/** Makes the report of a single judgement, for example of a dry run. */
export function singleReport({ reasoning, dimensions, breakdown, ownerBreakdown }: ResultTexts): EvaluationReport {
	return {
		reasoning,
		dimensions: dimensions.map(({ criterion, checks = [], gaps = [], quotesWork = false, ...dimension }) => {
			return { ...dimension, criterion_name: criterion, checks: copyChecks(checks), gaps: [...gaps], quotes_work: quotesWork };
		}),
		breakdown: { ...breakdown },
		ownerBreakdown: ownerBreakdown === null ? null : { ...ownerBreakdown },
	};
}

/** Combines the reasoning of the newest evaluation with each criterion's median score. */
export function mergeReport(
	result: ResultTexts,
	{
		counted,
		evaluations,
	}: {
		/** The evaluations that make up the score, including the newest. */
		readonly counted: readonly { readonly dimensions: readonly { readonly criterion: string; readonly score: number }[] }[];
		readonly evaluations: number;
	},
): EvaluationReport {
	const dimensions = result.dimensions.map(({ criterion, weight, score, reasoning, checks = [], gaps = [], quotesWork = false }) => {
		const scores = counted.flatMap((row) =>
			row.dimensions.filter((dimension) => dimension.criterion === criterion).map((dimension) => dimension.score),
		);
		const texts = { reasoning, checks: copyChecks(checks), gaps: [...gaps], quotes_work: quotesWork };
		return { criterion_name: criterion, weight, score: median(scores) ?? score, ...texts };
	});
	const breakdown = { ...result.breakdown, evaluations };
	return { reasoning: result.reasoning, dimensions, breakdown, ownerBreakdown: result.ownerBreakdown };
}

/** Copies the verdicts on checks, because a report's arrays are not read-only. */
function copyChecks(checks: NonNullable<ResultTexts["dimensions"][number]["checks"]>): EvaluationReport["dimensions"][number]["checks"] {
	return checks.map(({ evidence, ...check }) => ({ ...check, evidence: [...evidence] }));
}

const SHARED_REASONING = "Judged together with a submission that has identical files. Its score counts for both.";

/** Makes a report without reasoning and evidence, because these quote the files of another agent. */
export function sharedReport(original: EvaluationReport | null): EvaluationReport {
	const { judge, models, prompt_version } = original?.breakdown ?? {};
	const dimensions = (original?.dimensions ?? []).map((dimension) => ({
		...dimension,
		checks: dimension.checks.map((check) => ({ ...check, evidence: [] })),
		...{ reasoning: SHARED_REASONING, gaps: [] },
	}));
	return {
		reasoning: SHARED_REASONING,
		dimensions,
		breakdown: { judge, models, prompt_version, shared_judgement: true },
		ownerBreakdown: null,
	};
}

/** A row is limited to 2 MB, and a character takes up to 4 bytes. */
const PART_CHARACTERS = 400_000;

/** Stores the report of an evaluation or a dry run, which must not have one yet. */
export function writeReport({ db }: TaskStore, subjectId: string, report: EvaluationReport): void {
	for (const [part, text] of splitText(JSON.stringify(report)).entries()) db.insert(reports).values({ subjectId, part, text }).run();
}

/** Returns the report of an evaluation or a dry run, or null if there is none. The caller checks who may see it. */
export function readReport({ db }: Pick<TaskStore, "db">, subjectId: string | null): EvaluationReport | null {
	if (subjectId === null) return null;
	const parts = partsQuery(db).all({ subjectId });
	return parts.length === 0 ? null : reportSchema.parse(JSON.parse(parts.map(({ text }) => text).join("")));
}

const partsQuery = prepareOnce((db) =>
	db
		.select({ text: reports.text })
		.from(reports)
		.where(eq(reports.subjectId, sql.placeholder("subjectId")))
		.orderBy(asc(reports.part))
		.prepare(),
);

/** Splits between characters, because half of a surrogate pair cannot be stored. */
export function splitText(text: string): string[] {
	const parts: string[] = [];
	for (let start = 0; start < text.length; ) {
		const end = start + PART_CHARACTERS;
		const isCut = /[\uD800-\uDBFF]/.test(text[end - 1] ?? "");
		parts.push(text.slice(start, isCut ? end - 1 : end));
		start = isCut ? end - 1 : end;
	}
	return parts;
}
