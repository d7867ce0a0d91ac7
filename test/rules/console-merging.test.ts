// Tests two tabs that change one draft at the same time, beyond what test/e2e/console.test.ts shows.
import { describe, expect, it } from "vitest";
import { type Draft, emptyCriterion, emptyDraft } from "../../console/src/rules/draft.ts";
import { mergeDrafts } from "../../console/src/rules/merge-drafts.ts";

const base: Draft = {
	...emptyDraft(0, "k0"),
	title: "Parse",
	budget: "500",
	criteria: [{ ...emptyCriterion("k0"), name: "Tests", weight: "100" }],
};

describe("two changes of a draft", () => {
	it("of one field to the same value do not clash", () => {
		const mine = { ...base, title: "Mine", budget: "600" };
		expect(mergeDrafts(base, mine, { ...base, budget: "600" })).toEqual({ draft: mine, clashes: [] });
	});

	it("compare rubrics by their content, not by the rows of an editor", () => {
		const again = base.criteria.map((criterion) => ({ ...criterion, key: "other", weight: "100.0" }));
		expect(mergeDrafts(base, { ...base, title: "Mine" }, { ...base, criteria: again }).draft.criteria).toBe(base.criteria);
		const mine = { ...base, criteria: [{ ...emptyCriterion("k1"), name: "Mine", weight: "100" }] };
		const theirs = { ...base, criteria: [{ ...emptyCriterion("k2"), name: "Theirs", weight: "100" }] };
		expect(mergeDrafts(base, mine, theirs).clashes).toEqual(["Rubric"]);
		expect(mergeDrafts(base, base, theirs)).toEqual({ draft: theirs, clashes: [] });
	});
});
