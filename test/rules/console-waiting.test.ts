import { describe, expect, it } from "vitest";
import { pathInConsole } from "../../console/src/rules/inbox.ts";
import { changedScores, readScore } from "../../console/src/rules/reviews.ts";
import { describeAct, waitingOvertaken } from "../../console/src/rules/waiting.ts";

const act = (kind: Parameters<typeof describeAct>[0]["kind"], count = 1, title = "Parse") =>
	describeAct({
		kind,
		task_id: "t",
		title,
		deal_id: kind.endsWith("deal") ? "d" : null,
		count,
		value_cents: kind.endsWith("deal") ? 50_000 : null,
	});

describe("an entry of what waits", () => {
	it("says what it is about, and leads to the page for it", () => {
		expect(act("pay_deal")).toEqual({ act: "Pay the agent", about: "$500 for “Parse”", path: "/deals/d" });
		expect((["accept_deal", "confirm_deal"] as const).map((kind) => act(kind).act)).toEqual([
			"Accept the deal",
			"Confirm that the money arrived",
		]);
		expect([1, 2, 100].map((count) => act("decide_reviews", count).act)).toEqual([
			"Decide a review",
			"Decide 2 reviews",
			"Decide 100 or more reviews",
		]);
		expect([act("answer_questions"), act("answer_questions", 2)].map((waiting) => waiting.act)).toEqual([
			"Answer a question",
			"Answer 2 questions",
		]);
		const paths = (["choose_winner", "pick_submission", "answer_questions", "decide_reviews"] as const).map((kind) => act(kind).path);
		expect(paths).toEqual(["/tasks/t?view=deal", "/tasks/t?view=own", "/tasks/t?view=questions", "/tasks/t?view=reviews"]);
		expect(act("finish_draft", 1, "")).toMatchObject({ about: "Untitled", path: "/tasks/t/edit" });
	});

	it("reports a lost lead while the task is open", () => {
		const lost = (task_id: string, read: boolean, text = "Lost.") => ({ event: "rank.first_lost", text, task_id, read });
		const others = [{ ...lost("c", true), event: "task.ended" }, lost("c", false)];
		const entries = [lost("a", false, "Lost again."), lost("a", false), lost("b", true), ...others];
		expect(waitingOvertaken(entries)).toMatchObject([{ path: "/tasks/a?view=board", about: "Lost again." }]);
	});
});

describe("an entry of the inbox", () => {
	it("leads only to pages of the console", () => {
		expect(pathInConsole("https://bounties.example.com/console/tasks/1?view=questions")).toBe("/tasks/1?view=questions");
		for (const url of ["https://bounties.example.com/docs", "nothing", "javascript:alert(1)"]) expect(pathInConsole(url)).toBe(null);
	});
});

describe("the scores of a review", () => {
	const dimensions = [
		{ criterion_name: "Parser", score: 40 },
		{ criterion_name: "Tests", score: 2.5 },
	];

	it("are only those that differ, and none while a text is not a score", () => {
		expect(changedScores(dimensions, { Tests: "91" })).toEqual({ Tests: 91 });
		expect(changedScores(dimensions, { Tests: "2.50", Parser: "40" })).toEqual({});
		expect(changedScores(dimensions, { Tests: "101" })).toBe(null);
		expect(["0", "100", "99,5", "", "-1", "1e2", "100.01"].map(readScore)).toEqual([0, 100, 99.5, null, null, null, null]);
	});
});
