// Describes the probes of a model that are kept, and derives its verdict from them.
import { DAY_MS, HOUR_MS } from "../../../platform/clock.ts";

/** A model judges works, or confirms the quotes of judges. */
export type ProbeRole = "judge" | "confirmer";

export interface ProbeKey {
	readonly model: string;
	readonly role: ProbeRole;
	readonly promptVersion: string;
}

/** Counts the answers of one probe. */
export interface ProbeTally {
	/** The model said yes or partly this often. */
	readonly claimed: number;
	/** For this number of them, the file had one of the quotes. */
	readonly real: number;
	/** This number of replies could not be read. */
	readonly unread: number;
	/** The work did what was asked, and this number of answers is right. */
	readonly honest: { readonly asked: number; readonly right: number };
	readonly dishonest: { readonly asked: number; readonly right: number };
}

/** The answers of one probe, by the name of the work. A slow server may need several attempts to give them all. */
export type ProbeAnswers = Record<string, ProbeAnswer>;

export interface ProbeAnswer {
	/** It is null if the reply could not be read, which is wrong for both kinds of works. */
	readonly isYes: boolean | null;
	readonly isReal: boolean;
}

export interface ProbeRecord {
	/** The newest probe comes last. */
	readonly tallies: readonly ProbeTally[];
	/** The next probe has these answers already. */
	readonly begun: Readonly<ProbeAnswers>;
	/** The last probe ended at this time. */
	readonly probedAt: number;
}

/** The probes of all isolates are stored in one place. */
export interface ProbeStore {
	read(key: ProbeKey): Promise<ProbeRecord | null>;
	/** Lets one caller probe at a time. Returns false if another one does. */
	claim(key: ProbeKey, times: { readonly now: number; readonly until: number }): Promise<boolean>;
	/** Adds tallies, keeps the last ones and the answers of a probe that has begun, and ends the claim. */
	add(key: ProbeKey, probes: Pick<ProbeRecord, "tallies" | "begun"> & { readonly now: number }): Promise<ProbeRecord>;
}

/** The verdict is over all answers of the last probes. */
export const COUNTED_PROBES = 5;
/** The first verdict needs this number of probes. */
export const FIRST_PROBES = 3;
const MIN_REAL_QUOTES = 0.8;
const MIN_ACCURACY = 0.7;

export interface ProbeVerdict {
	readonly isFit: boolean;
	/** The share of right answers, balanced over both kinds of works. */
	readonly accuracy: number;
	/** The share is null if the model never said yes or partly, and for a confirmer, which quotes nothing. */
	readonly realQuotes: number | null;
	/** It says why the model is not fit. It is empty if it is. */
	readonly reason: string;
}

/** Returns null as long as there are too few probes. */
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

/** A model that is fit is probed once a day, another one every hour. */
export function isProbeDue(role: ProbeRole, record: ProbeRecord, now: number): boolean {
	const verdict = verdictOf(role, record);
	return verdict === null || now - record.probedAt >= (verdict.isFit ? DAY_MS : HOUR_MS);
}
