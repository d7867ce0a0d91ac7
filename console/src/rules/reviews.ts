// Describes reviews for people, and handles the scores that an owner gives.
import * as z from "zod/mini";

export const CAUSES = {
	appeal: "Appeal",
	injection: "Addresses the judge",
	spread: "The judge is unsure",
	copy: "Nearly a copy",
	tie: "Tie",
} as const;

export const APPEAL_STATES = {
	open: "Appeal open",
	upheld: "Appeal decided: scores stay",
	changed: "Appeal decided: scores changed",
} as const;

interface ScoredCriterion {
	readonly criterion_name: string;
	readonly score: number;
}

/** The scores that the owner typed. Criteria without an entry keep their score. */
export type TypedScores = Readonly<Record<string, string>>;

const typedDecision = z.object({ decision: z.enum(["upheld", "changed"]), typed: z.record(z.string(), z.string()) });
/** A decision and scores that the owner has typed but not sent. */
export type TypedDecision = z.infer<typeof typedDecision>;

/** Reads a decision that the tab kept. For an empty string, returns a decision that changes nothing. */
export function readDecision(kept: string): TypedDecision {
	return kept === "" ? { decision: "upheld", typed: {} } : typedDecision.parse(JSON.parse(kept));
}

/** Parses a score from 0 to 100 with up to two decimals. Returns null for anything else. */
export function readScore(text: string): number | null {
	if (!/^\d{1,3}([.,]\d{1,2})?$/.test(text.trim())) return null;
	const score = Number(text.trim().replace(",", "."));
	return score <= 100 ? score : null;
}

/** Returns the scores that differ from the current ones, or null while a typed value is not a score. */
export function changedScores(dimensions: readonly ScoredCriterion[], typed: TypedScores): Readonly<Record<string, number>> | null {
	const changes: [string, number][] = [];
	for (const { criterion_name: name, score } of dimensions) {
		const text = typed[name];
		if (text === undefined) continue;
		const wanted = readScore(text);
		if (wanted === null) return null;
		if (wanted !== score) changes.push([name, wanted]);
	}
	return Object.fromEntries(changes);
}

/** Returns true if the owner changed scores after an appeal, and a later evaluation has replaced those scores. */
export function isReplaced({
	reviewed,
	appeal,
}: {
	readonly reviewed: boolean;
	readonly appeal: { readonly status: "open" | "upheld" | "changed" } | null;
}): boolean {
	return appeal?.status === "changed" && !reviewed;
}
