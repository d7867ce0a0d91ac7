// Tests that the console's forms turn typed text into clean values for the API.
import { describe, expect, it } from "vitest";
import { draftOfTask } from "../../console/src/pages/wizard/draft-of-task.ts";
import { findChanges, readAdminSearch } from "../../console/src/rules/admin-views.ts";
import { formatCeiling, toCeilings, toChange, toConfigured } from "../../console/src/rules/ceilings.ts";
import { draft, emptyDraft, findJudgingFaults, findTaskFaults, toJudgingFields, toTaskFields } from "../../console/src/rules/draft.ts";
import { parseDollars } from "../../console/src/rules/money.ts";
import { findRankChanges } from "../../console/src/rules/ranks.ts";
import { readReturnTo } from "../../console/src/rules/return-to.ts";
import { neighbourOf, readStep } from "../../console/src/rules/steps.ts";
import { fromLocalInput, toLocalInput } from "../../console/src/rules/time.ts";
import { exampleDetail } from "../../src/core/competition/tasks/task-detail.ts";
import { formatCents, formatTimeLeft, formatUsd } from "../../src/domain/formats.ts";

const NOW = Date.parse("2026-11-22T08:00:00Z");
const filled = { ...emptyDraft(NOW, "k"), title: " Parse CSV ", budget: "1,250.50", deadline: toLocalInput(NOW + 3 * 86_400_000) };

describe("money", () => {
	it.each([
		["500", 50_000],
		["$1,250.5", 125_050],
		["1,000,000", 100_000_000],
		["0.99", 99],
		["1.500,00", 150_000],
		["1.500", 150_000],
		["1.000.000", 100_000_000],
		["1250,5", 125_050],
		["1,25", 125],
	])("%j is read as cents", (text, cents) => {
		expect(parseDollars(text)).toBe(cents);
	});

	it.each(["", "1,2345", "0.125", "1,250,50", "1.250.50", "1,2.5", "-5", "five", "1e3"])("%j is not an amount", (text) => {
		expect(parseDollars(text)).toBe(null);
	});

	it("shows cents only where there are some", () => {
		expect([50_000, 125_050].map(formatCents)).toEqual(["$500", "$1,250.50"]);
	});
});

describe("time", () => {
	it("shows two units", () => {
		expect([5_000, 65_000, 3_660_000, 90_000_000].map((ms) => formatTimeLeft(ms))).toEqual(["5 s", "1 min 5 s", "1 h 1 min", "1 d 1 h"]);
	});

	it("survives a form field, to the minute", () => {
		expect(fromLocalInput(toLocalInput(NOW))).toBe("2026-11-22T08:00:00.000Z");
		expect(fromLocalInput("")).toBe(null);
	});
});

describe("a draft", () => {
	it("begins valid except for what only its poster knows", () => {
		expect(Object.keys(findTaskFaults(emptyDraft(NOW, "k"), NOW))).toEqual(["title", "budget"]);
		expect(findTaskFaults(filled, NOW)).toEqual({});
		expect(findTaskFaults({ ...filled, budget: "99.99", deadline: toLocalInput(NOW + 3_600_000) }, NOW)).toEqual({
			budget: "At least $100.",
			deadline: "At least 24 hours from now.",
		});
	});

	it("gives the tests half of a hybrid task's score, unless its poster chose another share", () => {
		const shareIn = (eval_mode: "llm" | "hybrid", test_weight: number) =>
			draftOfTask({ ...exampleDetail, eval_mode, test_weight }, { emptyCriteria: [], staleChecks: new Map() }).testWeight;
		expect([shareIn("llm", 0), shareIn("hybrid", 0), shareIn("hybrid", 30)]).toEqual(["50", "0", "30"]);
	});

	it("is sent to the API without empty fields", () => {
		expect(toTaskFields(filled)).toEqual({
			title: "Parse CSV",
			description: null,
			category: "general",
			input_spec: null,
			output_spec: null,
			budget_cents: 125_050,
			deadline: "2026-11-25T08:00:00.000Z",
		});
	});

	it("drops fields that the chosen mode does not use", () => {
		const all = { ...filled, image: "ghcr.io/a/b:1", callbackUrl: "https://judge.example", testWeight: "30" };
		expect(toJudgingFields({ ...all, mode: "llm" })).toMatchObject({ eval_image: null, eval_callback_url: null, final_round: true });
		expect(toJudgingFields({ ...all, mode: "hybrid" })).toMatchObject({ eval_image: "ghcr.io/a/b:1", test_weight: 30, llm_weight: 70 });
		expect(toJudgingFields({ ...all, mode: "external" })).toMatchObject({
			eval_image: null,
			eval_callback_url: "https://judge.example",
			final_round: false,
		});
	});

	it("says the range of a number that the API would reject", () => {
		expect(findJudgingFaults(filled)).toEqual({});
		expect(findJudgingFaults({ ...filled, memoryMb: "4,096", timeoutMinutes: "10.5", testWeight: "33.333" })).toEqual({});
		expect(findJudgingFaults({ ...filled, maxSubmissions: "26", memoryMb: "256", timeoutMinutes: "61", testWeight: "101" })).toEqual({
			maxSubmissions: "From 1 to 25.",
			memoryMb: "From 512 to 4096.",
			timeoutMinutes: "From 10 to 60.",
			testWeight: "From 0 to 100.",
		});
		const unread = findJudgingFaults({ ...filled, maxSubmissions: "", memoryMb: "1024.5", timeoutMinutes: "1e1", testWeight: "half" });
		expect(Object.keys(unread)).toHaveLength(4);
		expect(toJudgingFields({ ...filled, mode: "container", memoryMb: "4,096" })).toMatchObject({ eval_memory_mb: 4096 });
	});

	it("of this browser is used only if it is complete", () => {
		expect(draft.safeParse(JSON.parse(JSON.stringify(filled))).data).toEqual(filled);
		expect(draft.safeParse({ ...filled, criteria: [{ name: "x" }] }).success).toBe(false);
	});
});

describe("the way through the console", () => {
	it("has known steps", () => {
		expect([readStep("rubric"), readStep("nothing"), neighbourOf("task", -1), neighbourOf("task", 1), neighbourOf("publish", 1)]).toEqual([
			"rubric",
			undefined,
			null,
			"rubric",
			null,
		]);
	});

	it.each([
		"//evil.example",
		"https://evil.example",
		"/\\evil.example",
		"/%5c/evil.example\n",
		"\t//evil.example",
		"javascript:alert(1)",
		"data:text/html,x",
		"/tasks/0198-ab#svc_invite_1",
		"",
		7,
		null,
	])("does not lead to %j after signing in", (value) => {
		expect(readReturnTo(value)).toBe(null);
	});

	it("leads back to the console's own pages", () => {
		for (const path of [
			"/tasks/0198-ab/edit?step=rubric",
			"/tasks/new?words=red+fox*&category=maps",
			"/oauth/authorize?state=~a:b!'(c),@d;$&client_id=https://c.example/x",
		])
			expect(readReturnTo(path)).toBe(path);
	});
});

describe("rank changes", () => {
	it("name the agents that moved, and by how many ranks", () => {
		const before = ["a", "b", "c"].map((agentName, index) => ({ agentName, rank: index + 1 }));
		const after = ["c", "a", "new", "b"].map((agentName, index) => ({ agentName, rank: index + 1 }));
		expect(Object.fromEntries(findRankChanges(before, after))).toEqual({ c: 2, a: -1, b: -2 });
	});
});

describe("a spending ceiling", () => {
	const ceilings = toCeilings({ task_usd: 12.5, task_budget_percent: 10, poster_day_usd: null, deployment_day_usd: null });
	const ceilingOf = (id: string) => {
		const found = ceilings.find((ceiling) => ceiling.id === id);
		if (found === undefined) throw new Error(`There is no ceiling ${id}.`);
		return found;
	};

	it("is shown with its unit", () => {
		expect(["task_usd", "task_budget_percent", "poster_day_usd"].map((id) => formatCeiling(ceilingOf(id)))).toEqual([
			"$12.50",
			"10 %",
			"no ceiling",
		]);
		expect([0.0042, 1250.5].map(formatUsd)).toEqual(["$0.0042", "$1,250.50"]);
	});

	it.each([
		["task_usd", " 1,020 ", { task_usd: 1020 }],
		["task_usd", "", { task_usd: null }],
		["task_budget_percent", "", { task_budget_percent: null }],
		["task_budget_percent", "2.5", { task_budget_percent: 2.5 }],
	])("%s changes to what was typed: %j", (id, text, change) => {
		expect(toChange(ceilingOf(id), text)).toEqual(change);
	});

	it.each([
		["task_usd", "12.50"],
		["task_usd", "1.505"],
		["task_usd", "0"],
		["task_usd", "1e3"],
		["task_usd", "-1"],
		["task_budget_percent", "101"],
		["task_budget_percent", "ten"],
	])("%s does not change by %j", (id, text) => {
		expect(toChange(ceilingOf(id), text)).toBe(null);
	});

	it("goes back to the configured value", () => {
		expect(toConfigured(ceilingOf("poster_day_usd"))).toEqual({ as_configured: ["poster_day_usd"] });
	});
});

it("an operator's change is shown as the difference between before and after", () => {
	const before = { judging: { on: true }, writes: { on: true }, gone: 1 };
	expect(findChanges(before, { judging: { on: false }, writes: { on: true } })).toEqual({
		before: { judging: { on: true }, gone: 1 },
		after: { judging: { on: false } },
	});
});

describe("the URL of the page for operators", () => {
	const id = "01900000-0000-7000-8000-000000000000";

	it.each([
		[
			{ view: "acts", target: "agent", id },
			{ view: "acts", target: "agent", id },
		],
		[{ view: "nothing", target: "key", id: "../../agents" }, {}],
		[{ id: 7 }, {}],
	])("%j is read as %j", (search, expected) => {
		expect(readAdminSearch(search)).toEqual(expected);
	});
});
