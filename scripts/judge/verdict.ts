// Decides from measurements whether a model is fit to judge.
import type { Measurement } from "./measuring.ts";

/** The limits that a model must meet to judge. The first two are those of the platform's own probe. */
const LIMITS = {
	/** The minimum share of the model's yes and partly answers whose quote is in the files. */
	realQuotes: 0.8,
	balancedAccuracy: 0.7,
	/** The maximum share of pairs that are in the wrong order, among those that people order. */
	inverted: 0.2,
	/** The maximum share of submissions without a judgement, and of replies that cannot be read. */
	failed: 0.1,
	unreadable: 0.1,
} as const;

export interface Verdict {
	readonly model: string;
	readonly fitness: "fit" | "fit with confirmation" | "not fit";
	/** A sentence. */
	readonly reason: string;
	/** The settings of the measurement that the verdict is based on. */
	readonly checksPerCall: number | null;
}

/** Returns the reasons why a model with these settings must not judge. Empty if it may. */
function reasonsAgainst({ cases, failed, quotes, balancedAccuracy, order, traffic }: Measurement): string[] {
	const [first] = failed;
	if (first !== undefined && failed.length > LIMITS.failed * cases) {
		return [`${failed.length} of ${cases} works have no judgement, because: ${first.reason}`];
	}
	const percent = (share: number) => `${Math.round(100 * share)} %`;
	const reasons: string[] = [];
	if (quotes.claimed === 0) reasons.push("it found nothing in any work");
	else if (quotes.real < LIMITS.realQuotes * quotes.claimed) {
		reasons.push(`${quotes.real} of ${quotes.claimed} answers have a quote that is in the files (at least ${percent(LIMITS.realQuotes)})`);
	}
	if (balancedAccuracy < LIMITS.balancedAccuracy) {
		reasons.push(
			`its balanced accuracy is ${percent(balancedAccuracy)}, where guessing has 50 % (at least ${percent(LIMITS.balancedAccuracy)})`,
		);
	}
	if (order.inverted.length > LIMITS.inverted * order.pairs) {
		reasons.push(`${order.inverted.length} of ${order.pairs} pairs are in the wrong order (at most ${percent(LIMITS.inverted)})`);
	}
	if (traffic.unreadable > LIMITS.unreadable * traffic.replies) {
		reasons.push(`${traffic.unreadable} of ${traffic.replies} replies could not be read (at most ${percent(LIMITS.unreadable)})`);
	}
	return reasons;
}

/**
 * Decides about one model.
 *
 * @param measurements All measurements of the model, first those with the configured number of checks per call.
 */
export function decideFitness(measurements: readonly Measurement[]): Verdict {
	const [first] = measurements;
	if (first === undefined) throw new Error("Nothing was measured.");
	for (const { checksPerCall } of measurements) {
		const same = measurements.filter((one) => one.checksPerCall === checksPerCall);
		const passing = same.filter((one) => reasonsAgainst(one).length === 0);
		if (passing.length === 0) continue;
		const isFitAlone = passing.some(({ isConfirming }) => !isConfirming);
		return {
			model: first.model,
			checksPerCall,
			fitness: isFitAlone ? "fit" : "fit with confirmation",
			reason: praise(passing, first.checksPerCall),
		};
	}
	const confirmed = measurements.find((one) => one.isConfirming && one.checksPerCall === first.checksPerCall) ?? first;
	return {
		model: first.model,
		checksPerCall: first.checksPerCall,
		fitness: "not fit",
		reason: `${reasonsAgainst(confirmed).join(", and ")}`,
	};
}

/** Says with which settings a model has met the limits. */
function praise(passing: readonly Measurement[], configured: number | null): string {
	const best = passing.toSorted((a, b) => b.balancedAccuracy - a.balancedAccuracy)[0];
	if (best === undefined) throw new Error("No measurement passed.");
	const accuracy = `its balanced accuracy is ${Math.round(100 * best.balancedAccuracy)} %`;
	const isOnlyUnconfirmed = passing.every(({ isConfirming }) => !isConfirming);
	const settings = [
		...(best.checksPerCall === configured ? [] : [`JUDGE_CHECKS_PER_CALL=${best.checksPerCall ?? "8"}`]),
		...(isOnlyUnconfirmed ? ["JUDGE_CONFIRM=false"] : []),
	];
	return settings.length === 0 ? accuracy : `${accuracy}, with ${settings.join(" and ")}`;
}
