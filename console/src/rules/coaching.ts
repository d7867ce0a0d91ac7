// Applies what the rubric coach said. Only those who asked it load this.
import { type Advice, type Coaching, isSameText } from "./coach.ts";
import { type CriterionDraft, readChecks } from "./rubric.ts";

/** Returns what the coach said about a criterion, as long as it has the same name. */
export function adviceOn({ name }: Pick<CriterionDraft, "name">, { advice }: Coaching): Advice | null {
	return advice.find((one) => one.name === name.trim()) ?? null;
}

/** Returns true if the coach has read the criterion's present description. */
export function isCurrent({ description }: Advice, criterion: Pick<CriterionDraft, "description">): boolean {
	return isSameText(description, criterion.description);
}

/** Returns true if the criterion has the proposed checks. */
export function hasProposedChecks(criterion: Pick<CriterionDraft, "checks">, { checks }: Advice): boolean {
	const own = readChecks(criterion);
	return own.length === checks.length && checks.every((check, index) => own[index] === check.trim());
}

/** Replaces the checks of a criterion by the proposed ones. */
export function takeChecks(criterion: CriterionDraft, advice: Advice): CriterionDraft {
	return {
		...criterion,
		checks: advice.checks.join("\n"),
		anyEvidence: criterion.anyEvidence || advice.evidence === "any",
		checksOf: isCurrent(advice, criterion) ? null : advice.description,
	};
}

/** Gives the proposed checks to the criteria without checks, and keeps existing ones. */
export function fillEmpty(
	criteria: readonly CriterionDraft[],
	coaching: Coaching,
): {
	readonly criteria: readonly CriterionDraft[];
	readonly filledKeys: readonly string[];
	/** The model or the rules have written the checks of each of them. */
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

/** Says what a request to the coach did: who has written the new checks, and how many criteria had some. */
export function describeCoaching(sources: readonly Advice["source"][], kept: number): string {
	const filled = sources.length;
	const isByRules = sources.every((source) => source === "rules");
	const origin = isByRules ? `: the sentences of ${filled === 1 ? "its description" : "their descriptions"}` : "";
	const parts = [
		...(filled > 0 ? [`${countCriteria(filled)} got new checks${origin}. Edit them as you like.`] : []),
		...(kept > 0 ? [`${countCriteria(kept)} already had checks, and ${kept === 1 ? "keeps" : "keep"} them.`] : []),
	];
	return parts.join(" ");
}
