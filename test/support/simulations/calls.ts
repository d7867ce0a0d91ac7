// Plays the calls of an evaluation: two checks a call, a confirmation of what was proven, a second request where a call brought nothing, and
// the control that decides who is at fault.

import type { Random } from "../../../scripts/support/seeded.ts";
import { type CheckSamples, type Finding, lowerFinding } from "../../../src/domain/checks.ts";
import { drawFinding, sampleOf, type Work } from "./work.ts";

const CHECKS_PER_CALL = 2;
/** A check is asked at most this often in a sample. */
const MAX_ASKS = 2;
/** A criterion of a single sample in which a call stayed silent gets this number of further samples. */
const FURTHER_FOR_SILENCE = 2;

/** A supplier fails in some of its calls, for every caller. */
export type Supplier = () => boolean;

/** A model that obeys the submission brings nothing where this is true. It sees what it would answer, and how often it was asked before. */
export type Order = (answers: readonly Finding[], asked: number) => boolean;

export interface Calls {
	readonly noise: number;
	readonly random: Random;
	/** Returns true if the next call fails. */
	readonly fails: Supplier;
	readonly order?: Order;
	/** A call that brings nothing is repeated so often before it counts as asked. This is 1, unless it ended before its first token. */
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

/** Asks once. Returns null if the call brings nothing. */
function askOnce(draw: () => Finding[], asked: number, { fails, order, triesPerAsk = 1 }: Calls): Finding[] | null {
	for (let tried = 0; tried < triesPerAsk; tried += 1) {
		if (fails()) continue;
		const answers = draw();
		if (order?.(answers, asked) !== true) return answers;
	}
	return null;
}

/** Returns what a call brings in the end, or null if it stays silent although the control is answered. */
function askCall(draw: () => Finding[], calls: Calls): Finding[] | null {
	for (;;) {
		for (let asked = 0; asked < MAX_ASKS; asked += 1) {
			const answers = askOnce(draw, asked, calls);
			if (answers !== null) return answers;
		}
		// If the control fails too, the job waits, and the next attempt asks again.
		if (!calls.fails()) return null;
	}
}

interface SampledCriterion {
	readonly found: Finding[];
	readonly isSilent: boolean;
}

/** Plays one sample of a criterion. An order reaches the call that reads the files, and never the confirmation. */
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

/** Plays an evaluation of a work. */
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
