// The texts of an evaluation or a dry run: reasoning, evidence, breakdown, logs.
import * as z from "zod";
import type { EvaluationResult } from "../../judging/work.ts";

const reportSchema = z.object({
	reasoning: z.string(),
	dimensions: z.array(z.object({ criterion_name: z.string(), score: z.number(), reasoning: z.string(), weight: z.number() })),
	breakdown: z.record(z.string(), z.unknown()).nullable(),
	/** Fields of the breakdown as the task's owner sees them. */
	ownerBreakdown: z.record(z.string(), z.unknown()).nullable().default(null),
});

export type EvaluationReport = z.output<typeof reportSchema>;

/** The texts of a result. */
export type ResultTexts = Pick<EvaluationResult, "reasoning" | "dimensions" | "breakdown" | "ownerBreakdown">;

/** Reads the JSON of a report. */
export function parseReport(json: string): EvaluationReport {
	return reportSchema.parse(JSON.parse(json));
}

/** A report as one reader may see it. */
export type ShownReport = Omit<EvaluationReport, "ownerBreakdown">;

export function reportFor(report: EvaluationReport, { isOwner }: { isOwner: boolean }): ShownReport {
	const { ownerBreakdown, ...shared } = report;
	return isOwner && ownerBreakdown !== null ? { ...shared, breakdown: { ...shared.breakdown, ...ownerBreakdown } } : shared;
}

/** The report of a single judgement, such as a dry run's. */
export function singleReport({ reasoning, dimensions, breakdown, ownerBreakdown }: ResultTexts): EvaluationReport {
	return {
		reasoning,
		dimensions: dimensions.map(({ criterion, ...dimension }) => ({ ...dimension, criterion_name: criterion })),
		breakdown: { ...breakdown },
		ownerBreakdown: ownerBreakdown === null ? null : { ...ownerBreakdown },
	};
}

const REASONING = "Judged together with a submission whose files are nearly the same. Its score counts for both.";

/** Scores only: reasoning and evidence quote the files of another agent. */
export function sharedReport(original: EvaluationReport | null): EvaluationReport {
	const { judge, models, prompt_version } = original?.breakdown ?? {};
	const dimensions = (original?.dimensions ?? []).map((dimension) => ({ ...dimension, reasoning: REASONING }));
	return { reasoning: REASONING, dimensions, breakdown: { judge, models, prompt_version, shared_judgement: true }, ownerBreakdown: null };
}
