import { describe, expect, it } from "vitest";
import { pathInConsole } from "../../console/src/rules/inbox.ts";
import { changedScores, readScore } from "../../console/src/rules/reviews.ts";
import { tasksWithChoice, waitingDeals, waitingOnTask, waitingOvertaken, waitingPick } from "../../console/src/rules/waiting.ts";

const TASK = {
	...{ id: "t", title: "Parse", status: "open" as const, unanswered: 0, reviews: 0 },
	...{ hasMoreReviews: false, submissions: 3, hasDeal: false },
};

describe("what waits for someone", () => {
	it("is a deal whose next step is its own", () => {
		const deals = (["recorded", "accepted", "paid", "received", "disputed"] as const).flatMap((status) =>
			(["poster", "agent"] as const).map((role) => ({ id: `${status}-${role}`, status, role, deal_value_cents: 50_000 })),
		);
		expect(waitingDeals(deals).map(({ act, path }) => [act, path])).toEqual([
			["Accept the deal", "/deals/recorded-agent"],
			["Pay the agent", "/deals/accepted-poster"],
			["Confirm that the money arrived", "/deals/paid-agent"],
		]);
	});

	it("is what a task needs from its owner", () => {
		expect(waitingOnTask(TASK)).toEqual([]);
		const acts = waitingOnTask({ ...TASK, status: "closed", unanswered: 2, reviews: 100, hasMoreReviews: true }).map(({ act }) => act);
		expect(acts).toEqual(["Decide 100 or more reviews", "Answer 2 questions", "Choose the winner"]);
		expect(waitingOnTask({ ...TASK, status: "closed", hasDeal: true })).toEqual([]);
		expect(waitingOnTask({ ...TASK, status: "draft", title: "" })).toMatchObject([{ about: "Without a title", path: "/tasks/t/edit" }]);
	});

	it("is a pick between several scored submissions, and a lead that was lost", () => {
		const scored = (task_id: string, isScored = true) => ({ task_id, scores: isScored ? {} : null });
		expect(tasksWithChoice([scored("a"), scored("b"), scored("a"), scored("b", false)])).toEqual(["a"]);
		const task = { id: "a", title: "A", status: "open", final_round: true, pick: null };
		expect(waitingPick(task)?.path).toBe("/bounties/a?view=own");
		for (const change of [{ pick: "s" }, { status: "closed" }, { final_round: false }])
			expect(waitingPick({ ...task, ...change })).toBe(null);
		const lost = (task_id: string, read: boolean) => ({ event: "rank.first_lost", text: "Lost.", task_id, read });
		const others = [{ ...lost("c", false), event: "task.ended" }];
		expect(waitingOvertaken([lost("a", false), lost("a", false), lost("b", true), ...others]).map(({ path }) => path)).toEqual([
			"/bounties/a",
		]);
	});
});

describe("an entry of the inbox", () => {
	it("leads to pages of the console only", () => {
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
