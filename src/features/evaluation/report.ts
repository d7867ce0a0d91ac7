// The long text of an evaluation, stored in R2: reasoning, evidence, logs. D1 keeps only the numbers.
import * as z from "zod";
import type { Deps } from "../../ports/deps.ts";
import type { StoredObjects } from "../stored-objects/service.ts";
import { ReportCache } from "./report-cache.ts";
import { selectUnreferencedReports } from "./store.ts";

/**
 * Reports of evaluations. While a job is unfinished, its own objects are kept too: verdicts of an attempt that failed, and the
 * result of an image.
 */
export const reportObjects: StoredObjects = {
	prefix: "reports/",
	selectUnreferenced: (deps, keys) =>
		selectUnreferencedReports(
			deps,
			keys.map((key) => ({ key, evaluationId: evaluationIdOf(key), jobId: jobIdOf(key) })),
		),
};

/** The job in `reports/<submission>/unfinished-<job>.json` and `…/graded-<job>.json`; null for a report. */
function jobIdOf(key: string): string | null {
	return /\/(?:unfinished|graded)-([^/]+)\.json$/.exec(key)?.[1] ?? null;
}

/** The evaluation in a key of {@link reportKeyOf}. */
function evaluationIdOf(key: string): string | null {
	return /\/([^/]+)\.json$/.exec(key)?.[1] ?? null;
}

const reportSchema = z.object({
	reasoning: z.string(),
	dimensions: z.array(z.object({ criterion_name: z.string(), score: z.number(), reasoning: z.string(), weight: z.number() })),
	breakdown: z.record(z.string(), z.unknown()).nullable(),
	/** Fields of the breakdown as the task's owner sees them. */
	ownerBreakdown: z.record(z.string(), z.unknown()).nullable().default(null),
});

export type EvaluationReport = z.output<typeof reportSchema>;

export function reportKeyOf({ submissionId, evaluationId }: { submissionId: string; evaluationId: string }): string {
	return `reports/${submissionId}/${evaluationId}.json`;
}

/** Stores a report and returns its key. The same evaluation writes the same key, so a repetition leaves nothing behind. */
export async function writeReport(
	deps: Deps,
	{ submissionId, evaluationId, report }: { submissionId: string; evaluationId: string; report: EvaluationReport },
) {
	const key = reportKeyOf({ submissionId, evaluationId });
	await deps.bucket.put(key, JSON.stringify(report), { httpMetadata: { contentType: "application/json" } });
	return key;
}

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

const knownReports = new ReportCache<EvaluationReport>();

/** The report under a key, or null when there is none. The caller has checked who may see it. */
export async function readReport(deps: Deps, key: string | null): Promise<EvaluationReport | null> {
	if (key === null) return null;
	const known = knownReports.find(key);
	if (known !== null) return known;
	const object = await deps.bucket.get(key);
	if (object === null) return null;
	const text = await object.text();
	const report = parseReport(text);
	knownReports.remember(key, report, text.length);
	return report;
}
