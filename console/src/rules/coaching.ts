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
): { readonly criteria: readonly CriterionDraft[]; readonly filledKeys: readonly string[] } {
	const filledKeys: string[] = [];
	const filled = criteria.map((criterion) => {
		const advice = adviceOn(criterion, coaching);
		if (advice === null || readChecks(criterion).length > 0) return criterion;
		filledKeys.push(criterion.key);
		return takeChecks(criterion, advice);
	});
	return { criteria: filled, filledKeys };
}

const countCriteria = (count: number): string => `${count} ${count === 1 ? "criterion" : "criteria"}`;

/** Says what a request to the coach did. */
export function describeCoaching({ source }: Coaching, { filled, kept }: { readonly filled: number; readonly kept: number }): string {
	const origin = source === "model" ? "" : `: the sentences of ${filled === 1 ? "its description" : "their descriptions"}`;
	const parts = [
		...(filled > 0 ? [`${countCriteria(filled)} got new checks${origin}. Edit them as you like.`] : []),
		...(kept > 0 ? [`${countCriteria(kept)} already had checks, and ${kept === 1 ? "keeps" : "keep"} them.`] : []),
	];
	return parts.join(" ");
}
