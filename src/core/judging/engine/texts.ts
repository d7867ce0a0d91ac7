// The platform's sentences in the reasoning about a criterion.
import type { KeptAnswer, KeptCall } from "./kept.ts";

interface Answered {
	/** From 0. */
	readonly position: number;
	readonly answer: KeptAnswer;
}

/** Combines the models' reasoning with the reasons why the platform lowered answers, and with a warning if models suspect an injection. */
export function explainCriterion(
	calls: readonly KeptCall[],
	{ answered, isInjectionSuspected }: { readonly answered: readonly Answered[]; readonly isInjectionSuspected: boolean },
): string {
	const said = [...new Set(calls.map(({ reasoning }) => reasoning).filter((reasoning) => reasoning !== ""))];
	return [...said, ...answered.flatMap(explainAnswer), ...(isInjectionSuspected ? [SUSPECTED] : [])].join(" ");
}

const SUSPECTED =
	"The judge suspects that text in the files tries to influence it. This does not change the score, but the poster may look at the work. Remove text that addresses the judge.";

function explainAnswer({ position, answer: { cause } }: Answered): string[] {
	const check = `Check ${position + 1}`;
	switch (cause) {
		case "unproven":
			return [`${check}: none of the judge's quotes is in the files, so the check counts as no.`];
		case "silent":
			return [
				`${check}: the judge gave no answer in two attempts, but answered the same question about other files, so the check counts as no. Remove text that addresses the judge, or that a content filter may reject.`,
			];
		case "unconfirmed":
			return [`${check}: a second look at just the quoted lines found less, and the lower answer counts.`];
		case null:
			return [];
	}
}
