import { describe, expect, it } from "vitest";
import { judgingSettings } from "../../src/config/judge-settings.ts";
import { readVariables } from "../../src/config/setting.ts";
import { applyCeilingChanges, type CeilingChanges } from "../../src/domain/spend.ts";
import {
	ceilingsOf,
	describeCeilingWait,
	findNear,
	hasCeiling,
	isWithinShare,
	openPart,
	type SpendLevels,
} from "../../src/features/competition/spend/rules.ts";
import { estimateCall } from "../../src/features/judging/model/estimate.ts";
import { HOUR_MS, MINUTE_MS } from "../../src/platform/clock.ts";
import { judgeRequest, judgeSettings, WORK } from "../support/judging.ts";

const NONE = { tokens: null, costMicroUsd: null };
const spend = (costMicroUsd: number) => ({ tokens: 0, costMicroUsd });
const { spend: schema } = judgingSettings;
const settings = (variables: Readonly<Record<string, string>>, changes: CeilingChanges = {}) =>
	applyCeilingChanges(schema.parse(readVariables(schema, variables)), changes);
const level = (used: number, reserved = 0) => ({ used: spend(used), reserved: spend(reserved) });

function levels(change: Partial<SpendLevels>): SpendLevels {
	return { task: level(0), poster_day: level(0), deployment_day: level(0), ...change };
}

describe("configured ceilings", () => {
	it("default to a tenth of a task's budget", () => {
		expect(settings({})).toEqual({
			task: NONE,
			taskBudgetPercent: 10,
			posterDay: NONE,
			deploymentDay: NONE,
		});
		expect(ceilingsOf({ budgetCents: 50_000 }, settings({})).task.costMicroUsd).toBe(50_000_000);
	});

	it.each([
		[{ JUDGE_MAX_USD_PER_TASK: "3" }, {}, 3_000_000],
		[{ JUDGE_MAX_USD_PER_TASK: "300" }, {}, 50_000_000],
		[{ JUDGE_MAX_USD_PER_TASK: "300" }, { task_budget_percent: null }, 300_000_000],
		[{}, { task_budget_percent: null }, null],
		[{}, { task_budget_percent: 2.5 }, 12_500_000],
	])("of a task: the smaller one applies (%j, changed to %j)", (variables, changes, most) => {
		const ceilings = ceilingsOf({ budgetCents: 50_000 }, settings(variables, changes));
		expect(ceilings.task.costMicroUsd).toBe(most);
		expect(hasCeiling(ceilings)).toBe(most !== null);
	});

	it.each([
		{ JUDGE_MAX_USD_PER_TASK: "0" },
		{ JUDGE_MAX_USD_PER_DAY: "-1" },
		{ JUDGE_MAX_USD_PER_POSTER_DAY: "much" },
		{ JUDGE_MAX_USD_PER_POSTER_DAY: "" },
		{ JUDGE_MAX_USD_PER_DAY: "1000000001" },
	])("are refused if they make no sense (%j)", (variables) => {
		expect(schema.safeParse(readVariables(schema, variables)).success).toBe(false);
	});
});

describe("near a ceiling", () => {
	const ceilings = ceilingsOf({ budgetCents: 10_000 }, settings({ JUDGE_MAX_USD_PER_DAY: "100" }));

	it.each([
		[7_999_999, 0, []],
		[8_000_000, 0, ["task"]],
		[4_000_000, 4_000_000, ["task"]],
	])("means that 80 %% are used or reserved: %i and %i", (used, reserved, near) => {
		expect(findNear(levels({ task: level(used, reserved) }), ceilings)).toEqual(near);
	});

	it("is never true without a ceiling", () => {
		expect(findNear(levels({ poster_day: level(1e12) }), ceilings)).toEqual([]);
	});
});

describe("a wait at a ceiling", () => {
	const now = Date.UTC(2026, 10, 22, 23, 30);
	const ceilings = { task: NONE, poster_day: { tokens: null, costMicroUsd: 10 }, deployment_day: { tokens: null, costMicroUsd: 20 } };
	const wait = (changed: Partial<SpendLevels>, at = now) =>
		describeCeilingWait({ wanted: spend(5), levels: levels(changed), ceilings }, { now: at, jitter: 0 });

	it("for what others have reserved is short", () => {
		expect(wait({ poster_day: level(2, 6) })).toMatchObject({ delayMs: MINUTE_MS, message: expect.stringContaining("have reserved") });
	});

	it("for the day ends with the day, and checks each hour if the ceiling was raised", () => {
		expect(wait({ poster_day: level(8) })).toMatchObject({ delayMs: HOUR_MS / 2, message: expect.stringContaining("2026-11-23T00:00") });
		expect(wait({ deployment_day: level(18) }, now - 5 * HOUR_MS)).toMatchObject({ delayMs: HOUR_MS });
	});

	it("does not say that a ceiling is reached that has something left", () => {
		const none = { task: NONE, poster_day: NONE, deployment_day: NONE };
		const message = (scope: "task" | "poster_day") =>
			describeCeilingWait(
				{ wanted: spend(6), levels: levels({ [scope]: level(5) }), ceilings: { ...none, [scope]: { tokens: null, costMicroUsd: 10 } } },
				{ now, jitter: 0 },
			).message;
		expect(message("task")).toMatch(/^Judging this task has less left under its spending ceiling than this evaluation can use\. .* raised/);
		expect(message("poster_day")).toMatch(
			/^Judging the tasks of this poster has less left under its spending ceiling for today .* at 2026-11-23/,
		);
	});

	it("promises no day to an evaluation that is larger than the whole ceiling", () => {
		const tooLow = { ...ceilings, deployment_day: { tokens: null, costMicroUsd: 4 } };
		const { message, ...rest } = describeCeilingWait({ wanted: spend(5), levels: levels({}), ceilings: tooLow }, { now, jitter: 0 });
		expect(message).toMatch(/^Judging on this platform has a spending ceiling that is lower .* ends after 24 hours\.$/);
		expect(rest).toEqual({ delayMs: HOUR_MS / 2, scopes: ["deployment_day"] });
	});

	it("promises no day if one of several ceilings is too low, and waits as long as the others", () => {
		const tooLow = { ...ceilings, task: { tokens: null, costMicroUsd: 4 } };
		const reached = levels({ deployment_day: level(18) });
		const { message, ...rest } = describeCeilingWait({ wanted: spend(5), levels: reached, ceilings: tooLow }, { now, jitter: 0 });
		expect(message).toMatch(/^Judging this task has a spending ceiling that is lower/);
		expect(rest).toEqual({ delayMs: HOUR_MS / 2, scopes: ["task", "deployment_day"] });
	});

	it("is the longest of those that apply, and names each of their ceilings", () => {
		expect(wait({ poster_day: level(2, 6), deployment_day: level(18) })).toMatchObject({
			delayMs: HOUR_MS / 2,
			scopes: ["poster_day", "deployment_day"],
		});
	});
});

describe("the estimate of a call", () => {
	const prices = { JUDGE_MODELS: "cheap,dear", JUDGE_PRICES: "cheap=1/2,dear=3/10", JUDGE_MAX_OUTPUT_TOKENS: "1000" };

	it("assumes the most expensive model, the whole prompt and the longest reply", () => {
		const { tokens, costMicroUsd, samples } = estimateCall(judgeSettings(prices), judgeRequest());
		expect(samples).toBe(1);
		expect(costMicroUsd).toBe((tokens - 1000) * 3 + 1000 * 10);
	});

	it("grows with the files up to the limit of a call, and counts other scripts by their tokens", () => {
		const tokensOf = (text: string) =>
			estimateCall(judgeSettings({ ...prices, JUDGE_MAX_INPUT_CHARACTERS: "50000" }), judgeRequest({ files: [{ ...WORK, text }] })).tokens;
		const line = `${"x".repeat(60)}\n`;
		expect(tokensOf(line.repeat(500)) - tokensOf(line.repeat(10))).toBeGreaterThan(8_000);
		expect(tokensOf(line.repeat(100_000))).toBeLessThan(22_000);
		expect(tokensOf("界".repeat(3000))).toBeGreaterThan(tokensOf("x".repeat(3000)) + 1_900);
	});
});

describe("the parts of a task's ceiling", () => {
	const ceiling = { tokens: 1000, costMicroUsd: 10_000_000 };

	it("reserve a fifth for a final round, if there is one", () => {
		expect(openPart(ceiling, { finalRound: true })).toEqual({ tokens: 800, costMicroUsd: 8_000_000 });
		expect(openPart(ceiling, { finalRound: false })).toEqual(ceiling);
		expect(openPart(NONE, { finalRound: true })).toEqual(NONE);
	});

	it.each([
		["has not been judged", 0, 0, 9_000_000, true],
		["has been judged twice", 2, 5_000_000, 9_000_000, true],
		["has been judged three times for little", 3, 600_000, 400_000, true],
		["has used its tenth", 3, 600_001, 400_000, false],
		["has used its tenth long ago", 40, 8_000_000, 1, false],
	])("give an agent that %s a tenth, and three evaluations at least", (_, evaluations, used, costMicroUsd, expected) => {
		const ofAgent = { used: spend(used), reserved: spend(0), calls: 6 * evaluations };
		expect(isWithinShare(ofAgent, { wanted: spend(costMicroUsd), calls: 6 }, ceiling)).toBe(expected);
		expect(isWithinShare(ofAgent, { wanted: spend(costMicroUsd), calls: 6 }, NONE)).toBe(true);
	});
});
