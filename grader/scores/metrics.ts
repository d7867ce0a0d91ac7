// Reads files that contain one number: Codabench's scores, Harbor's rewards, metrics.
import * as z from "zod";
import { bareReport, checked, inRange, ScoreFault, type ScoreReport } from "./report.ts";

const metricsFormat = z.record(z.string(), z.unknown());

/**
 * Returns the score with that name, or the only number, from 0 to 100.
 *
 * @throws ScoreFault
 */
export function parseMetrics(json: unknown, name: string): ScoreReport {
	const metrics = checked(metricsFormat, json);
	return { ...bareReport(inRange(pickMetric(metrics, name), name)), breakdown: metrics };
}

/** A file may give the same result under these names, from 0 to 1 or from 0 to 100. */
const SAME_AS_REWARD: readonly string[] = ["score", "test_score", "final_score", "total_score", "accuracy", "pass_rate"];

/** @throws ScoreFault also if the file's results contradict each other, because none has priority. */
export function parseReward(json: unknown): ScoreReport {
	const metrics = checked(metricsFormat, json);
	const reward = pickMetric(metrics, "reward");
	for (const name of SAME_AS_REWARD) {
		const other = Object.hasOwn(metrics, name) ? metrics[name] : undefined;
		if (typeof other !== "number" || isSame(other, reward) || isSame(other, 100 * reward)) continue;
		throw new ScoreFault(`contradicts itself: the reward is ${reward}, and ${name} is ${other}.`);
	}
	return fromReward(reward);
}

function isSame(a: number, b: number): boolean {
	return Math.abs(a - b) < 0.01;
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

/** Converts a reward, which is from 0 to 1. */
function fromReward(reward: number): ScoreReport {
	if (!(reward >= 0 && reward <= 1)) throw new ScoreFault(`the reward is ${reward}; it must be from 0 to 1.`);
	return bareReport(100 * reward);
}
