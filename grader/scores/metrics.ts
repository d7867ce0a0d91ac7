// Files that hold one number: Codabench's scores, Harbor's rewards, metrics.
import * as z from "zod";
import { bareReport, checked, inRange, ScoreFault, type ScoreReport } from "./report.ts";

const metricsFormat = z.record(z.string(), z.unknown());

/**
 * The score 0..100 of that name, or the only number.
 *
 * @throws ScoreFault
 */
export function parseMetrics(json: unknown, name: string): ScoreReport {
	const metrics = checked(metricsFormat, json);
	return { ...bareReport(inRange(pickMetric(metrics, name), name)), breakdown: metrics };
}

/** @throws ScoreFault */
export function parseReward(json: unknown): ScoreReport {
	return fromReward(pickMetric(checked(metricsFormat, json), "reward"));
}

/** @throws ScoreFault */
export function parseRewardText(text: string): ScoreReport {
	const trimmed = text.trim();
	if (!/^-?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(trimmed)) throw new ScoreFault("is not one number.");
	return fromReward(Number(trimmed));
}

function pickMetric(metrics: Readonly<Record<string, unknown>>, name: string): number {
	const named = Object.hasOwn(metrics, name) ? metrics[name] : undefined;
	if (typeof named === "number") return named;
	const numbers = Object.values(metrics).filter((value) => typeof value === "number");
	const [only] = numbers;
	if (only !== undefined && numbers.length === 1) return only;
	throw new ScoreFault(`has no number ${name}, and ${numbers.length === 0 ? "no other number either" : "several others"}.`);
}

/** Rewards go from 0 to 1. */
function fromReward(reward: number): ScoreReport {
	if (!(reward >= 0 && reward <= 1)) throw new ScoreFault(`the reward is ${reward}; it must be from 0 to 1.`);
	return bareReport(100 * reward);
}
