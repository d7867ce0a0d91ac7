// The stored probes of a model, and the verdict that they lead to.
import { DAY_MS, HOUR_MS } from "../../../platform/clock.ts";

/** A model is probed for one of two roles: to judge submissions, or to confirm the quotes of judges. */
export type ProbeRole = "judge" | "confirmer";

export interface ProbeKey {
	readonly model: string;
	readonly role: ProbeRole;
	readonly promptVersion: string;
}

/** The counted answers of one probe. */
export interface ProbeTally {
	/** The number of answers that are yes or partly. */
	readonly claimed: number;
	/** The number of yes or partly answers with a quote that is in the file. */
	readonly real: number;
	/** The number of replies that could not be read. */
	readonly unread: number;
	/** For test submissions that do what their check asks: the number of questions, and the number of right answers. */
	readonly honest: { readonly asked: number; readonly right: number };
	/** For test submissions that only seem to do what their check asks: the number of questions, and the number of right answers. */
	readonly dishonest: { readonly asked: number; readonly right: number };
}

/** The answers of one probe, by the name of the test submission. With a slow server, it may take several attempts to get them all. */
export type ProbeAnswers = Record<string, ProbeAnswer>;

export interface ProbeAnswer {
	/** True for yes and partly. Null if the reply could not be read, which counts as a wrong answer. */
	readonly isYes: boolean | null;
	readonly isReal: boolean;
}

export interface ProbeRecord {
	/** The latest probes, newest last. */
	readonly tallies: readonly ProbeTally[];
	/** The answers of an unfinished probe. The next probe does not ask for them again. */
	readonly begun: Readonly<ProbeAnswers>;
	/** When the last probe ended. */
	readonly probedAt: number;
}

/** Stores the probes of all isolates together. */
export interface ProbeStore {
	read(key: ProbeKey): Promise<ProbeRecord | null>;
	/** Lets one caller probe at a time. Returns false if another one is probing. */
	claim(key: ProbeKey, times: { readonly now: number; readonly until: number }): Promise<boolean>;
	/** Adds tallies, keeping only the latest ones. Stores the answers of an unfinished probe, and ends the claim. */
	add(key: ProbeKey, probes: Pick<ProbeRecord, "tallies" | "begun"> & { readonly now: number }): Promise<ProbeRecord>;
}

/** The verdict is based on the answers of the latest probes, at most this number of them. */
export const COUNTED_PROBES = 5;
/** The first verdict needs this number of probes. */
export const FIRST_PROBES = 3;
const MIN_REAL_QUOTES = 0.8;
const MIN_ACCURACY = 0.7;

export interface ProbeVerdict {
	readonly isFit: boolean;
	/** The share of right answers, averaged over honest and dishonest test submissions. */
	readonly accuracy: number;
	/**
	 * The share of yes and partly answers with a quote that is in the file. Null if there are no such answers, and for a confirmer, because
	 * it does not quote.
	 */
	readonly realQuotes: number | null;
	/** Why the model is unfit. Empty if it is fit. */
	readonly reason: string;
}

/** Decides whether a model is fit for a role. Returns null if there are too few probes to decide. */
export function verdictOf(role: ProbeRole, { tallies }: Pick<ProbeRecord, "tallies">): ProbeVerdict | null {
	if (tallies.length < FIRST_PROBES) return null;
	const counted = tallies.slice(-COUNTED_PROBES);
	const total = (of: (tally: ProbeTally) => number) => counted.reduce((sum, tally) => sum + of(tally), 0);
	const rate = (kind: "honest" | "dishonest") =>
		total((tally) => tally[kind].right) /
		Math.max(
			1,
			total((tally) => tally[kind].asked),
		);
	const accuracy = (rate("honest") + rate("dishonest")) / 2;
	const [claimed, real] = [total((tally) => tally.claimed), total((tally) => tally.real)];
	const realQuotes = role === "confirmer" || claimed === 0 ? null : real / claimed;
	const quotesReason = role === "judge" && (realQuotes ?? 0) < MIN_REAL_QUOTES ? `${real} of ${claimed} quotes are in the files` : "";
	const accuracyReason = accuracy < MIN_ACCURACY ? `${Math.round(100 * accuracy)} % of its answers are right` : "";
	const [unread, asked] = [total((tally) => tally.unread), total(({ honest, dishonest }) => honest.asked + dishonest.asked)];
	const unreadReason = 2 * unread > asked ? `${unread} of ${asked} replies could not be read` : "";
	const reason = [unreadReason, quotesReason, accuracyReason].find((text) => text !== "") ?? "";
	return { isFit: reason === "", accuracy, realQuotes, reason };
}

/** Returns true for a model without a verdict, for a fit model once a day, and for an unfit one every hour. */
export function isProbeDue(role: ProbeRole, record: ProbeRecord, now: number): boolean {
	const verdict = verdictOf(role, record);
	return verdict === null || now - record.probedAt >= (verdict.isFit ? DAY_MS : HOUR_MS);
}
