// Formats the measurements of judges as text for a terminal. The last line is a verdict.
import { shareInOrder } from "./agreement.ts";
import { describeJudge, type Measurement } from "./measuring.ts";
import type { Verdict } from "./verdict.ts";

export function formatMeasurements(measurements: readonly Measurement[], verdicts: readonly Verdict[]): string {
	return [...measurements.flatMap((one) => [...formatMeasurement(one), ""]), ...verdicts.map(formatVerdict)].join("\n");
}

function formatVerdict({ model, fitness, reason }: Verdict): string {
	return `${model}: ${fitness === "not fit" ? "not fit to judge" : fitness}: ${reason}.`;
}

function formatMeasurement(one: Measurement): string[] {
	const judged = one.cases - one.failed.length;
	const cost = one.costUsd === null ? "cost unknown" : `${one.costUsd.toFixed(4)} USD`;
	return [
		`${describeJudge(one)}, prompt ${one.promptVersion}: ${judged} of ${one.cases} works judged; ${one.calls} calls, ${cost}, ${one.seconds.toFixed(1)} s`,
		// A judge that failed everywhere gets no figures, because they would look perfect.
		...(judged === 0 ? [] : [...formatAgreement(one), ...formatTraffic(one)].map((line) => `  ${line}`)),
		...one.order.inverted.map((pair) => `  in the wrong order: ${pair}`),
		...one.failed.map(({ name, reason }) => `  not judged: ${name}: ${reason}`),
	];
}

function formatAgreement({ balancedAccuracy, kappa, order, quotes, noise }: Measurement): string[] {
	const inOrder = `${percent(shareInOrder(order))} of ${order.pairs} pairs in the right order, ${order.inverted.length} in the wrong one, ${order.ties} equal`;
	return [
		`answers: balanced accuracy ${percent(balancedAccuracy)}, kappa ${kappa.toFixed(2)}`,
		`scores: rank correlation ${order.rankCorrelation.toFixed(2)}, ${inOrder}`,
		`quotes: ${quotes.real} of ${quotes.claimed} are in the files${noise === null ? "" : `; JUDGE_NOISE=${noise.toFixed(2)}`}`,
	];
}

function formatTraffic({ traffic }: Measurement): string[] {
	const { replies, unreadable, retries, silentCalls, medianMs, slowestMs } = traffic;
	if (replies === 0 || medianMs === null || slowestMs === null) return [];
	const silence = `${silentCalls} calls stayed silent, so their checks count as no`;
	return [
		`replies: ${unreadable} of ${replies} could not be read (${percent(unreadable / replies)}), ${retries} questions asked twice, ${silence}`,
		`time of a reply: ${(medianMs / 1000).toFixed(1)} s, the slowest ${(slowestMs / 1000).toFixed(1)} s`,
	];
}

function percent(share: number): string {
	return `${Math.round(100 * share)} %`;
}
