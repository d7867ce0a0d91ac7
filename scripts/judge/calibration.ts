// Measures a judge with cases of known levels: its agreement, cost and time.
import { randomBytes } from "node:crypto";
import { EvaluationFault } from "../../src/domain/evaluation-fault.ts";
import { judgeRubric } from "../../src/features/judging/model/rubric.ts";
import { openJudgeSession } from "../../src/features/judging/model/session.ts";
import { createUsageMeter, describeUsage } from "../../src/features/judging/model/usage-meter.ts";
import type { Judge } from "../../src/ports/judge.ts";
import type { CalibrationCase } from "./calibration-cases.ts";
import { spreadOf } from "./spread.ts";

const POINTS_PER_LEVEL = 20;
const MAX_LEVEL = 5;
const MARK_BYTES = 4;

interface Rating {
	readonly group: string;
	readonly name: string;
	/** People or construction give these levels of 0 to 5, and the judge's score is in levels. */
	readonly expected: number;
	readonly given: number;
}

export interface Calibration {
	readonly judge: string;
	readonly models: readonly string[];
	readonly promptVersion: string;
	readonly cases: number;
	/** These cases ended in a fault, so the figures below are of the others. */
	readonly failed: readonly { readonly name: string; readonly reason: string }[];
	/** This is the quadratic weighted kappa of the rounded levels: 1 for full agreement, 0 for none beyond chance. */
	readonly kappa: number;
	/** The unit is a level. */
	readonly meanAbsoluteError: number;
	/** This is Kendall's tau-b over the pairs of one task. */
	readonly rankCorrelation: number;
	/** This share of pairs with different expected levels got the same score, from 0 to 1. */
	readonly ties: number;
	/** In these pairs the worse work got more. */
	readonly inverted: readonly string[];
	/** A score with one sample for each criterion has this standard deviation in points. It is null if no case had several samples. */
	readonly spread: number | null;
	readonly calls: number;
	readonly costUsd: number | null;
	readonly seconds: number;
}

interface CalibrationOptions {
	/** Each criterion is judged this often. The default follows from the case's budget. */
	readonly samples?: number;
	/** Returns milliseconds. */
	readonly now: () => number;
}

/** Judges each case once, one after the other, and compares. */
export async function calibrate(
	judge: Judge,
	cases: readonly CalibrationCase[],
	{ now, ...sampling }: CalibrationOptions,
): Promise<Calibration> {
	const meter = createUsageMeter();
	const ratings: Rating[] = [];
	const failed: { name: string; reason: string }[] = [];
	const spreads: number[] = [];
	const startedAt = now();
	for (const { name, group, task, criteria, files, levels } of cases) {
		const material = { task, criteria, files, ...sampling, unreadPaths: [], missingSections: [] };
		const session = openJudgeSession({ mark: randomBytes(MARK_BYTES).toString("hex"), notes: new Map() });
		const judged = await judgeRubric(judge, material, { meter, session }).catch(takeFault);
		if ("reason" in judged) failed.push({ name, reason: judged.reason });
		if ("reason" in judged) continue;
		spreads.push(...[spreadOf(judged)].filter((spread) => spread !== null));
		for (const { criterion, score } of judged.dimensions) {
			const expected = levels[criterion];
			if (expected !== undefined) ratings.push({ group: `${group}/${criterion}`, name, expected, given: score / POINTS_PER_LEVEL });
		}
	}
	const usage = describeUsage(meter.byModel());
	return {
		judge: judge.name,
		models: judge.models,
		promptVersion: judge.promptVersion,
		cases: cases.length,
		failed,
		kappa: weightedKappa(ratings),
		meanAbsoluteError: ratings.reduce((sum, { expected, given }) => sum + Math.abs(expected - given), 0) / Math.max(1, ratings.length),
		...compareOrders(ratings),
		spread: spreads.length === 0 ? null : Math.sqrt(spreads.reduce((sum, spread) => sum + spread ** 2, 0) / spreads.length),
		calls: usage.calls,
		costUsd: usage.cost_usd,
		seconds: (now() - startedAt) / 1000,
	};
}

/** Returns the reason of a judge's fault, which is a result. Anything else is a mistake in the code. */
function takeFault(error: unknown): { readonly reason: string } {
	if (error instanceof EvaluationFault) return { reason: error.message };
	throw error;
}

/** Computes Cohen's kappa with quadratic weights. It is 1 if everything agrees, also if all levels are the same. */
export function weightedKappa(ratings: readonly Pick<Rating, "expected" | "given">[]): number {
	const pairs = ratings.map(({ expected, given }) => [Math.round(expected), Math.min(MAX_LEVEL, Math.round(given))] as const);
	const distance = (a: number, b: number) => ((a - b) / MAX_LEVEL) ** 2;
	const observed = pairs.reduce((sum, [a, b]) => sum + distance(a, b), 0) / Math.max(1, pairs.length);
	const chance =
		pairs.reduce((sum, [a]) => sum + pairs.reduce((inner, [, b]) => inner + distance(a, b), 0), 0) / Math.max(1, pairs.length ** 2);
	return chance === 0 ? 1 : 1 - observed / chance;
}

function compareOrders(ratings: readonly Rating[]): Pick<Calibration, "rankCorrelation" | "ties" | "inverted"> {
	const groups = [...Map.groupBy(ratings, (rating) => rating.group).values()];
	const pairs = groups.flatMap((group) => group.flatMap((a, index) => group.slice(index + 1).map((b) => compareOrder(a, b))));
	const ordered = pairs.filter(({ expected }) => expected !== 0);
	const givenOrdered = pairs.filter(({ given }) => given !== 0).length;
	const agreeing = ordered.reduce((sum, { expected, given }) => sum + expected * given, 0);
	return {
		rankCorrelation: agreeing / Math.max(1, Math.sqrt(ordered.length * givenOrdered)),
		ties: ordered.filter(({ given }) => given === 0).length / Math.max(1, ordered.length),
		inverted: ordered.filter(({ expected, given }) => given === -expected).map(({ above }) => above),
	};
}

/** Compares the order of two works by their expected levels and by the judge. 1 means that the first is better. */
function compareOrder(a: Rating, b: Rating) {
	const [expected, given] = [Math.sign(a.expected - b.expected), Math.sign(a.given - b.given)];
	return { expected, given, above: given > 0 ? `${a.name} above ${b.name}` : `${b.name} above ${a.name}` };
}

/** Writes one line for each judge, and the faults below them. A judge that failed everywhere has no figures, which would look perfect. */
export function formatCalibrations(all: readonly Calibration[]): string {
	const lines = all.map((one) => {
		const who = one.models.length === 0 ? one.judge : one.models.join(", ");
		const cost = one.costUsd === null ? "cost unknown" : `${one.costUsd.toFixed(4)} USD`;
		const agreement = one.failed.length === one.cases ? "" : `${describeAgreement(one)}, `;
		return `${who}, prompt ${one.promptVersion}: ${agreement}${one.failed.length} of ${one.cases} cases failed; ${one.calls} calls, ${cost}, ${one.seconds.toFixed(1)} s`;
	});
	const details = all.flatMap(({ inverted, failed }) => [
		...inverted.map((pair) => `  ${pair}`),
		...failed.map(({ name, reason }) => `  failed: ${name}: ${reason}`),
	]);
	return [...lines, ...details].join("\n");
}

function describeAgreement({ kappa, meanAbsoluteError, rankCorrelation, ties, inverted, spread }: Calibration): string {
	const noise = spread === null ? "" : `, spread ${spread.toFixed(1)} points`;
	return `kappa ${kappa.toFixed(2)}, error ${meanAbsoluteError.toFixed(2)} levels, rank correlation ${rankCorrelation.toFixed(2)}, ties ${Math.round(100 * ties)} %, ${inverted.length} pairs in the wrong order${noise}`;
}
