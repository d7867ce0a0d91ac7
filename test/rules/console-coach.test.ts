// Tests what the console keeps of the coach's proposals, and how it finds checks that are older than their text.
import { describe, expect, it } from "vitest";
import { type Coaching, editChecks, editDescription, isStale } from "../../console/src/rules/coach.ts";
import { adviceOn, describeCoaching, fillEmpty, hasProposedChecks, isCurrent, takeChecks } from "../../console/src/rules/coaching.ts";
import { emptyCriterion } from "../../console/src/rules/draft.ts";
import type { CriterionDraft } from "../../console/src/rules/rubric.ts";

const rowOf = (key: string, change: Partial<CriterionDraft> = {}): CriterionDraft => ({
	...{ ...emptyCriterion(key), name: `Criterion ${key}`, description: "Every row is there.", weight: "50" },
	...change,
});
const adviceOf = (key: string) => ({
	...{ name: `Criterion ${key}`, description: "Every row is there.", checks: ["One?", "Two?"], evidence: "any" as const },
	...{ notes: ["It cannot run."], source: "model" as const },
});
const coachingOf = (...keys: string[]): Coaching => ({ advice: keys.map(adviceOf) });

describe("what the coach proposes", () => {
	it("fills criteria without checks, and keeps existing ones", () => {
		const [empty, own, unknown] = [rowOf("a"), rowOf("b", { checks: "Mine?" }), rowOf("c")];
		const { criteria, filledKeys, sources } = fillEmpty([empty, own, unknown], coachingOf("a", "b"));
		expect(criteria).toEqual([{ ...empty, checks: "One?\nTwo?", anyEvidence: true }, own, unknown]);
		expect({ filledKeys, sources }).toEqual({ filledKeys: ["a"], sources: ["model"] });
	});

	it("is found by the name of the criterion, and compared with its present text", () => {
		const coaching = coachingOf("a");
		expect(adviceOn({ name: " Criterion a " }, coaching)).toEqual(adviceOf("a"));
		expect(adviceOn({ name: "Another" }, coaching)).toBeNull();
		expect(isCurrent(adviceOf("a"), rowOf("a", { description: " Every  row is there.\n" }))).toBe(true);
		expect(isCurrent(adviceOf("a"), rowOf("a", { description: "No row is there twice." }))).toBe(false);
		expect(hasProposedChecks({ checks: "\nOne?\n Two? " }, adviceOf("a"))).toBe(true);
		expect(hasProposedChecks({ checks: "Two?\nOne?" }, adviceOf("a"))).toBe(false);
	});

	it("is described by what it did", () => {
		expect(describeCoaching([], 3)).toBe("3 criteria already had checks, and keep them.");
		expect(describeCoaching(["model"], 1)).toBe(
			"1 criterion got new checks. Edit the checks as you like. 1 criterion already had checks, and keeps them.",
		);
		expect(describeCoaching(["rules", "rules"], 0)).toBe(
			"2 criteria got new checks: the sentences of their descriptions. Edit the checks as you like.",
		);
		expect(describeCoaching(["model", "rules"], 0)).toBe("2 criteria got new checks. Edit the checks as you like.");
	});
});

describe("checks", () => {
	const checked = rowOf("a", { checks: "Every row is there" });

	it("are stale once the description differs, until it is as before, they are edited or they are renewed", () => {
		const changed = editDescription(editDescription(checked, "Every row"), "Every row is there twice.");
		expect([checked, changed].map(isStale)).toEqual([false, true]);
		expect(changed.checksOf).toBe("Every row is there.");
		expect(isStale(editDescription(changed, "Every row  is there. "))).toBe(false);
		expect(isStale(editChecks(changed, "Every row is there twice"))).toBe(false);
		expect(isStale(takeChecks(changed, { ...adviceOf("a"), description: "Every row is there twice." }))).toBe(false);
	});

	it("are stale if the coach read an earlier description", () => {
		expect(isStale(takeChecks(rowOf("a", { description: "Something else." }), adviceOf("a")))).toBe(true);
	});

	it("that do not exist are not stale", () => {
		expect(isStale(editDescription(rowOf("a"), "Another text."))).toBe(false);
		expect(isStale(editDescription(rowOf("a", { checks: " \n" }), "Another text."))).toBe(false);
	});
});
