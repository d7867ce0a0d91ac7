// Plays the calls of an evaluation: two checks a call, a confirmation of what was proven, a second request if a call got no answer, and the
// control question that decides who is at fault.

import type { Random } from "../../../scripts/support/seeded.ts";
import { type CheckSamples, type Finding, lowerFinding } from "../../../src/domain/checks.ts";
import { drawFinding, sampleOf, type Work } from "./work.ts";

const CHECKS_PER_CALL = 2;
/** How often a check is asked in a sample, at most. */
const MAX_ASKS = 2;
/** How many further samples a criterion with a single sample gets if one of its calls stayed silent. */
const FURTHER_FOR_SILENCE = 2;

/** Returns true if the next call fails. Suppliers fail in some of their calls, for every caller. */
export type Supplier = () => boolean;

/**
 * An order in a submission to a model that obeys it. Returns true if the model should stay silent. Knows what the model would answer, and
 * how often the model was asked before.
 */
export type Order = (answers: readonly Finding[], asked: number) => boolean;

export interface Calls {
	readonly noise: number;
	readonly random: Random;
	/** Returns true if the next call fails. */
	readonly fails: Supplier;
	readonly order?: Order;
	/** How often a call that gets no answer is repeated before it counts as asked. 1, unless calls end before their first token. */
	readonly triesPerAsk?: number;
}

/** Fails at random. */
export function failingAt(rate: number, random: Random): Supplier {
	return () => random() < rate;
}

/** Fails in bursts of some calls in a row, once in a period. */
export function failingInBursts({ burst, period }: { readonly burst: number; readonly period: number }, random: Random): Supplier {
	let call = Math.floor(random() * period);
	return () => {
		call += 1;
		return call % period < burst;
	};
}

/** Asks once. Returns null if the model stays silent. */
function askOnce(draw: () => Finding[], asked: number, { fails, order, triesPerAsk = 1 }: Calls): Finding[] | null {
	for (let tried = 0; tried < triesPerAsk; tried += 1) {
		if (fails()) continue;
		const answers = draw();
		if (order?.(answers, asked) !== true) return answers;
	}
	return null;
}

/** Returns the answers that a call gets in the end, or null if it stays silent although the control question is answered. */
function askCall(draw: () => Finding[], calls: Calls): Finding[] | null {
	for (;;) {
		for (let asked = 0; asked < MAX_ASKS; asked += 1) {
			const answers = askOnce(draw, asked, calls);
			if (answers !== null) return answers;
		}
		// If the control question fails too, the job waits, and the next attempt asks again.
		if (!calls.fails()) return null;
	}
}

interface SampledCriterion {
	readonly found: Finding[];
	readonly isSilent: boolean;
}

/** Plays one sample of a criterion. An order reaches only the call that reads the files, and never the confirmation. */
function sampleCriterion(checks: readonly number[], calls: Calls): SampledCriterion {
	const found: Finding[] = [];
	let isSilent = false;
	for (let from = 0; from < checks.length; from += CHECKS_PER_CALL) {
		const asked = checks.slice(from, from + CHECKS_PER_CALL);
		const answers = askCall(() => asked.map((quality) => drawFinding(quality, calls.noise, calls.random)), calls);
		const proven = (answers ?? []).filter((one) => one !== "no");
		const { order: _, ...confirming } = calls;
		const confirmed = proven.length === 0 ? proven : askCall(() => proven, confirming);
		if (answers === null || confirmed === null) isSilent = true;
		found.push(...asked.map((_check, index) => lowerFinding(answers?.[index] ?? "no", confirmed === null ? "no" : "yes")));
	}
	return { found, isSilent };
}

/** Plays an evaluation of a submission. */
export function evaluateByCalls(work: Work, samples: number, calls: Calls): CheckSamples {
	return Object.fromEntries(
		work.map((checks, criterion) => {
			const sampled = Array.from({ length: samples }, () => sampleCriterion(checks, calls));
			if (samples === 1 && sampled.some(({ isSilent }) => isSilent)) {
				sampled.push(...Array.from({ length: FURTHER_FOR_SILENCE }, () => sampleCriterion(checks, calls)));
			}
			return [`${criterion}`, sampled.map(({ found }) => sampleOf(found))];
		}),
	);
}
