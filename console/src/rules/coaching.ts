// Applies the rubric coach's reply. Loaded only after asking the coach.
import { type Advice, type Coaching, isSameText } from "./coach.ts";
import { type CriterionDraft, readChecks } from "./rubric.ts";

/** Returns the coach's advice on the criterion with this name. Returns null if there is none, for example because the name has changed. */
export function adviceOn({ name }: Pick<CriterionDraft, "name">, { advice }: Coaching): Advice | null {
	return advice.find((one) => one.name === name.trim()) ?? null;
}

/** Returns true if the coach has read the criterion's current description. */
export function isCurrent({ description }: Advice, criterion: Pick<CriterionDraft, "description">): boolean {
	return isSameText(description, criterion.description);
}

/** Returns true if the criterion already has the proposed checks. */
export function hasProposedChecks(criterion: Pick<CriterionDraft, "checks">, { checks }: Advice): boolean {
	const own = readChecks(criterion);
	return own.length === checks.length && checks.every((check, index) => own[index] === check.trim());
}

/** Replaces a criterion's checks with the proposed ones. */
export function takeChecks(criterion: CriterionDraft, advice: Advice): CriterionDraft {
	return {
		...criterion,
		checks: advice.checks.join("\n"),
		anyEvidence: criterion.anyEvidence || advice.evidence === "any",
		checksOf: isCurrent(advice, criterion) ? null : advice.description,
	};
}

/** Adds the proposed checks to criteria without checks. Existing checks are kept. */
export function fillEmpty(
	criteria: readonly CriterionDraft[],
	coaching: Coaching,
): {
	readonly criteria: readonly CriterionDraft[];
	readonly filledKeys: readonly string[];
	/** For each criterion in `filledKeys`, whether the model or the rules wrote its checks. */
	readonly sources: readonly Advice["source"][];
} {
	const filledKeys: string[] = [];
	const sources: Advice["source"][] = [];
	const filled = criteria.map((criterion) => {
		const advice = adviceOn(criterion, coaching);
		if (advice === null || readChecks(criterion).length > 0) return criterion;
		filledKeys.push(criterion.key);
		sources.push(advice.source);
		return takeChecks(criterion, advice);
	});
	return { criteria: filled, filledKeys, sources };
}

const countCriteria = (count: number): string => `${count} ${count === 1 ? "criterion" : "criteria"}`;

/** Describes what a request to the coach did: who wrote the new checks, and how many criteria already had some. */
export function describeCoaching(sources: readonly Advice["source"][], kept: number): string {
	const filled = sources.length;
	const isByRules = sources.every((source) => source === "rules");
	const origin = isByRules ? `: the sentences of ${filled === 1 ? "its description" : "their descriptions"}` : "";
	const parts = [
		...(filled > 0 ? [`${countCriteria(filled)} got new checks${origin}. Edit the checks as you like.`] : []),
		...(kept > 0 ? [`${countCriteria(kept)} already had checks, and ${kept === 1 ? "keeps" : "keep"} them.`] : []),
	];
	return parts.join(" ");
}
