import { describe, expect, it } from "vitest";
import { readSpendSettings, spendVariables } from "../../src/config/spend-settings.ts";
import { NO_SPEND } from "../../src/domain/spend.ts";
import { estimateCall } from "../../src/features/judging/model/estimate.ts";
import { keepWithin } from "../../src/features/spend/call-reserve.ts";
import { affordableSamples, ceilingsOf, describeWait, findNear, hasCeiling, type Levels, roomOf } from "../../src/features/spend/rules.ts";
import { HOUR_MS, MINUTE_MS } from "../../src/platform/clock.ts";
import { judgeRequest, judgeSettings, WORK } from "../support/judging.ts";

const NONE = { tokens: null, costMicroUsd: null };
const spend = (costMicroUsd: number) => ({ tokens: 0, costMicroUsd });
const settings = (variables: Readonly<Record<string, string>>) => readSpendSettings(spendVariables.parse(variables));
const level = (used: number, reserved = 0) => ({ used: spend(used), reserved: spend(reserved) });

function levels(change: Partial<Levels>): Levels {
	return { task: level(0), poster_day: level(0), deployment_day: level(0), ...change };
}

describe("configured ceilings", () => {
	it("default to ten million tokens an evaluation and a tenth of a task's budget", () => {
		expect(settings({})).toEqual({
			evaluation: { tokens: 10_000_000, costMicroUsd: null },
			task: NONE,
			taskBudgetPercent: 10,
			posterDay: NONE,
			deploymentDay: NONE,
		});
		expect(ceilingsOf({ budgetCents: 50_000 }, settings({})).task.costMicroUsd).toBe(50_000_000);
	});

	it.each([
		[{ JUDGE_MAX_USD_PER_TASK: "3" }, 3_000_000],
		[{ JUDGE_MAX_USD_PER_TASK: "300" }, 50_000_000],
		[{ JUDGE_MAX_USD_PER_TASK: "300", JUDGE_MAX_BUDGET_PERCENT_PER_TASK: "0" }, 300_000_000],
		[{ JUDGE_MAX_BUDGET_PERCENT_PER_TASK: "0" }, null],
		[{ JUDGE_MAX_BUDGET_PERCENT_PER_TASK: "2.5" }, 12_500_000],
	])("of a task: the smaller one holds (%j)", (variables, most) => {
		const ceilings = ceilingsOf({ budgetCents: 50_000 }, settings(variables));
		expect(ceilings.task.costMicroUsd).toBe(most);
		expect(hasCeiling(ceilings)).toBe(most !== null);
	});

	it.each([
		{ JUDGE_MAX_TOKENS_PER_EVALUATION: "0" },
		{ JUDGE_MAX_TOKENS_PER_DAY: "1.5" },
		{ JUDGE_MAX_USD_PER_DAY: "-1" },
		{ JUDGE_MAX_USD_PER_POSTER_DAY: "much" },
		{ JUDGE_MAX_BUDGET_PERCENT_PER_TASK: "101" },
	])("are refused when they make no sense (%j)", (variables) => {
		expect(spendVariables.safeParse(variables).success).toBe(false);
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

	it("is never without one", () => {
		expect(findNear(levels({ poster_day: level(1e12) }), ceilings)).toEqual([]);
	});
});

describe("a wait", () => {
	const now = Date.UTC(2026, 10, 22, 23, 30);
	const ceilings = { task: NONE, poster_day: { tokens: null, costMicroUsd: 10 }, deployment_day: { tokens: null, costMicroUsd: 20 } };
	const wait = (changed: Partial<Levels>, at = now) =>
		describeWait({ wanted: spend(5), levels: levels(changed), ceilings, now: at, jitter: 0 });

	it("for what others have reserved is short", () => {
		expect(wait({ poster_day: level(2, 6) })).toMatchObject({ delayMs: MINUTE_MS, message: expect.stringContaining("have reserved") });
	});

	it("for the day ends with the day, and looks each hour whether the ceiling was raised", () => {
		expect(wait({ poster_day: level(8) })).toMatchObject({ delayMs: HOUR_MS / 2, message: expect.stringContaining("2026-11-23T00:00") });
		expect(wait({ deployment_day: level(18) }, now - 5 * HOUR_MS)).toMatchObject({ delayMs: HOUR_MS });
	});

	it("is the longest of those that apply", () => {
		expect(wait({ poster_day: level(2, 6), deployment_day: level(18) }).delayMs).toBe(HOUR_MS / 2);
	});
});

describe("an evaluation's own ceiling", () => {
	const plan = { call: spend(10), criteria: 4, samples: 5, spent: NO_SPEND };

	it.each([
		[null, 5],
		[200, 5],
		[199, 4],
		[40, 1],
		[39, 0],
	])("of %s leaves %i samples", (most, samples) => {
		expect(affordableSamples({ ...plan, ceiling: { tokens: null, costMicroUsd: most } })).toBe(samples);
	});

	it("counts what earlier attempts have used", () => {
		expect(affordableSamples({ ...plan, spent: spend(100), ceiling: { tokens: null, costMicroUsd: 200 } })).toBe(2);
	});
});

describe("the room of an attempt", () => {
	it("is what it reserved where a shared ceiling counts, and what its own ceiling leaves elsewhere", () => {
		const reserved = { tokens: 100, costMicroUsd: 7 };
		const none = { task: NONE, poster_day: NONE, deployment_day: NONE };
		const shared = { ...none, poster_day: { tokens: null, costMicroUsd: 50 } };
		const own = { tokens: 1000, costMicroUsd: null };
		const spent = { tokens: 300, costMicroUsd: 1 };
		expect(roomOf({ reserved, shared, own, spent })).toEqual({ tokens: 700, costMicroUsd: 7 });
		expect(roomOf({ reserved, shared: none, own: NONE, spent })).toEqual({ tokens: Infinity, costMicroUsd: Infinity });
	});
});

describe("the estimate of a call", () => {
	const prices = { JUDGE_MODELS: "cheap,dear", JUDGE_PRICES: "cheap=1/2,dear=3/10", JUDGE_MAX_OUTPUT_TOKENS: "1000" };

	it("takes the dearest model, the whole prompt and the longest reply", () => {
		const { tokens, costMicroUsd, samples } = estimateCall(judgeSettings(prices), judgeRequest());
		expect(samples).toBe(1);
		expect(costMicroUsd).toBe((tokens - 1000) * 3 + 1000 * 10);
	});

	it("grows with the files up to the limit of a call, and counts other scripts for what they take", () => {
		const tokensOf = (text: string) =>
			estimateCall(judgeSettings({ ...prices, JUDGE_MAX_INPUT_CHARACTERS: "50000" }), judgeRequest({ files: [{ ...WORK, text }] })).tokens;
		const line = `${"x".repeat(60)}\n`;
		expect(tokensOf(line.repeat(500)) - tokensOf(line.repeat(10))).toBeGreaterThan(8_000);
		expect(tokensOf(line.repeat(100_000))).toBeLessThan(22_000);
		expect(tokensOf("界".repeat(3000))).toBeGreaterThan(tokensOf("x".repeat(3000)) + 1_900);
	});
});

describe("the calls of an evaluation", () => {
	const usedUp = () => new Error("used up");
	const extend = () => Promise.resolve(null);

	it("start together only as far as their reservation reaches, and use what others have left over", async () => {
		let spent = 0;
		let atOnce = 0;
		let most = 0;
		const within = keepWithin({ room: spend(30), call: spend(10), spent: () => spend(spent), extend, usedUp });
		const call = () =>
			within(async () => {
				atOnce += 1;
				most = Math.max(most, atOnce);
				await Promise.resolve();
				atOnce -= 1;
				spent += 4;
			});
		const ends = await Promise.allSettled(Array.from({ length: 10 }, call));
		expect(most).toBe(3);
		expect(spent).toBeLessThanOrEqual(30);
		expect(ends.filter(({ status }) => status === "fulfilled")).toHaveLength(6);
	});

	it("get more than was planned one at a time, as far as the ceilings allow", async () => {
		let spent = 0;
		let room = 20;
		const extendTwice = () => {
			room += 10;
			return Promise.resolve(room > 40 ? null : spend(room));
		};
		const within = keepWithin({ room: spend(20), call: spend(10), spent: () => spend(spent), extend: extendTwice, usedUp });
		const call = () =>
			within(async () => {
				await Promise.resolve();
				spent += 10;
			});
		const ends = await Promise.allSettled(Array.from({ length: 6 }, call));
		expect(ends.filter(({ status }) => status === "fulfilled")).toHaveLength(4);
		expect(spent).toBe(40);
	});

	it("begin with one in any case, and go on after one that fails", async () => {
		const within = keepWithin({ room: spend(10), call: spend(20), spent: () => NO_SPEND, extend, usedUp });
		await expect(within(() => Promise.reject(new Error("broken")))).rejects.toThrow("broken");
		await expect(within(() => Promise.resolve())).rejects.toThrow("used up");
	});
});
