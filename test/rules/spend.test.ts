import { describe, expect, it } from "vitest";
import { judgingSettings } from "../../src/config/judge-settings.ts";
import { readVariables } from "../../src/config/setting.ts";
import {
	describeCeilingWait,
	divideEstimate,
	findTaskRoom,
	type ScopeLevel,
	type TaskLevel,
	usualCost,
} from "../../src/core/competition/spend/rules.ts";
import { estimateEvaluation } from "../../src/core/judging/engine/estimate.ts";
import { type Ceilings, taskCeilingOf } from "../../src/domain/spend.ts";
import { HOUR_MS, MINUTE_MS } from "../../src/platform/clock.ts";
import type { EvaluationRequest } from "../../src/ports/judge.ts";
import { judgeSettings } from "../support/judging.ts";
import { answer, criterion, engineSettings, evaluationRequest, failure, scriptedModel } from "../support/scripted-model.ts";

const { spend: schema } = judgingSettings;
const settings = (variables: Readonly<Record<string, string>>) => schema.parse(readVariables(schema, variables));

describe("configured ceilings", () => {
	it("default to a tenth of a task's budget, and a tenth of the day for each payer", () => {
		const { ceilings, payerSharePercent } = settings({});
		expect(payerSharePercent).toBe(10);
		expect(taskCeilingOf(ceilings, 50_000)).toBe(50_000_000);
	});

	it.each([
		[{ JUDGE_MAX_USD_PER_TASK: "3" }, {}, 3_000_000],
		[{ JUDGE_MAX_USD_PER_TASK: "300" }, {}, 50_000_000],
		[{ JUDGE_MAX_USD_PER_TASK: "300" }, { task_budget_percent: null }, 300_000_000],
		[{}, { task_budget_percent: null }, null],
		[{}, { task_budget_percent: 2.5 }, 12_500_000],
	])("of a task: the smaller one applies (%j, changed to %j)", (variables, changes, most) => {
		expect(taskCeilingOf({ ...settings(variables).ceilings, ...changes }, 50_000)).toBe(most);
	});

	it.each([
		{ JUDGE_MAX_USD_PER_TASK: "0" },
		{ JUDGE_MAX_USD_PER_DAY: "-1" },
		{ JUDGE_MAX_USD_PER_POSTER_DAY: "much" },
		{ JUDGE_MAX_USD_PER_POSTER_DAY: "" },
		{ JUDGE_MAX_USD_PER_DAY: "1000000001" },
		{ JUDGE_PAYER_SHARE: "0" },
		{ JUDGE_PAYER_SHARE: "101" },
	])("are refused if they make no sense (%j)", (variables) => {
		expect(schema.safeParse(readVariables(schema, variables)).success).toBe(false);
	});
});

describe("the scopes of a day", () => {
	const NONE: Ceilings = { task_micro_usd: null, task_budget_percent: null, poster_day_micro_usd: null, deployment_day_micro_usd: null };
	const divide = (
		{ checks = 8, submitter = "network:a", poster = "person:p" }: { checks?: number; submitter?: string | null; poster?: string | null },
		limits: { deployment?: number; usual?: number | null; isFirst?: boolean } = {},
	) => {
		const { deployment = 100_000, usual = 100, isFirst = true } = limits;
		const ceilings = { ...NONE, deployment_day_micro_usd: deployment };
		const payers = { submitter, poster, posterId: "id" };
		return divideEstimate({ amount: 1_000, criteria: 4, checks }, payers, { ceilings, payerSharePercent: 10, usual, isFirst }).map(
			({ scope, amount, most }) => [scope, amount, most],
		);
	};

	it("give a payer a tenth, and keep a fifth for first evaluations", () => {
		const rest = [
			["poster:id", 1_000, null],
			["payer:network:a", 1_000, 10_000],
		];
		expect(divide({})).toEqual([["deployment", 1_000, 100_000], ...rest]);
		expect(divide({}, { isFirst: false })).toEqual([["deployment", 1_000, 80_000], ...rest]);
	});

	it("give a payer three usual evaluations however small the day is, by the estimate until the usual cost is known", () => {
		expect(divide({}, { deployment: 9_000, usual: 2_000 })[2]).toEqual(["payer:network:a", 1_000, 6_000]);
		expect(divide({}, { deployment: 9_000, usual: null })[2]).toEqual(["payer:network:a", 1_000, 3 * 5 * 250]);
	});

	it("have no payer for what the platform judges by itself", () => {
		expect(divide({ submitter: null, poster: null }).map(([scope]) => scope)).toEqual(["deployment", "poster:id"]);
	});

	it("let the poster pay for checks beyond the twentieth, and add up if both are the same payer", () => {
		expect(divide({ checks: 20 }).slice(2)).toEqual([["payer:network:a", 1_000, 10_000]]);
		expect(divide({ checks: 25 }).slice(2)).toEqual([
			["payer:network:a", 800, 10_000],
			["payer:person:p", 200, 10_000],
		]);
		expect(divide({ checks: 25, poster: "network:a" }).slice(2)).toEqual([["payer:network:a", 1_000, 10_000]]);
	});

	it("give all who share an IP address with strangers five shares together", () => {
		expect(divide({ submitter: "agent:x" }).slice(2)).toEqual([
			["payer:agent:x", 1_000, 10_000],
			["payer:strangers", 1_000, 50_000],
		]);
	});

	it("know the usual cost from 100 evaluations on", () => {
		expect(usualCost({ settled: 990, evaluations: 99 })).toBeNull();
		expect(usualCost({ settled: 1_000, evaluations: 100 })).toBe(10);
	});
});

describe("a wait at a ceiling", () => {
	const now = Date.UTC(2026, 10, 22, 23, 30);
	const level = (change: Partial<ScopeLevel>): ScopeLevel => {
		return { scope: "s", kind: "poster_day", share: 1, amount: 5, most: 10, settled: 0, reserved: 0, ...change };
	};
	const wait = (levels: readonly Partial<ScopeLevel>[], at = now) => describeCeilingWait(levels.map(level), { now: at, jitter: 0 });

	it("for what others have reserved is short", () => {
		expect(wait([{ settled: 2, reserved: 6 }])).toMatchObject({ delayMs: MINUTE_MS, message: expect.stringContaining("have reserved") });
	});

	it("for the day ends with the day, and checks each hour if the ceiling was raised", () => {
		expect(wait([{ settled: 8 }])).toMatchObject({ delayMs: HOUR_MS / 2, message: expect.stringContaining("2026-11-23T00:00") });
		expect(wait([{ settled: 8 }], now - 5 * HOUR_MS)).toMatchObject({ delayMs: HOUR_MS });
	});

	it("promises no day to an evaluation that is larger than one of the whole ceilings", () => {
		const { message, ...rest } = wait([{ settled: 8 }, { kind: "deployment_day", most: 4 }]);
		expect(message).toMatch(/^The daily spending ceiling of this platform is lower .* ends after 24 hours\.$/);
		expect(rest).toEqual({ delayMs: HOUR_MS / 2, scopes: ["poster_day", "deployment_day"] });
	});

	it("is short if room was made since the reservation failed", () => {
		expect(wait([{ settled: 1 }])).toMatchObject({ delayMs: MINUTE_MS, scopes: [] });
	});
});

describe("the scope of a task", () => {
	const EMPTY: TaskLevel = { total: 0, further: 0, poster: { used: 0, evaluations: 9 }, payer: { used: 0, evaluations: 9 } };
	const ask = (
		wanted: { amount: number; share?: number; fund?: "agents" | "poster" | "all"; isFirst?: boolean },
		level: Partial<TaskLevel> = {},
		keptShare = 1 / 3,
	) => findTaskRoom({ fund: "agents", isFirst: true, share: 1, ...wanted }, { ...EMPTY, ...level }, { ceiling: 3_000, keptShare });

	it("keeps a third for a final round, which may use all", () => {
		expect(ask({ amount: 100 }, { total: 1_900 })).toBe("room");
		expect(ask({ amount: 101 }, { total: 1_900 })).toBe("task_full");
		expect(ask({ amount: 101 }, { total: 1_900 }, 0)).toBe("room");
		expect(ask({ amount: 1_100, fund: "all" }, { total: 1_900 })).toBe("room");
		expect(ask({ amount: 1_101, fund: "all" }, { total: 1_900 })).toBe("task_full");
	});

	it("keeps half of the rest for first evaluations", () => {
		expect(ask({ amount: 100, isFirst: false }, { total: 1_500, further: 900 })).toBe("room");
		expect(ask({ amount: 101, isFirst: false }, { total: 1_500, further: 900 })).toBe("task_full");
		expect(ask({ amount: 101 }, { total: 1_500, further: 1_000 })).toBe("room");
	});

	it("gives a payer a tenth, and three evaluations in any case", () => {
		expect(ask({ amount: 100 }, { payer: { used: 200, evaluations: 3 } })).toBe("room");
		expect(ask({ amount: 101 }, { payer: { used: 200, evaluations: 3 } })).toBe("share_used");
		expect(ask({ amount: 900 }, { payer: { used: 800, evaluations: 2 } })).toBe("room");
	});

	it("counts only a payer's own share of an evaluation towards its tenth", () => {
		expect(ask({ amount: 400, share: 1 / 4 }, { payer: { used: 200, evaluations: 3 } })).toBe("room");
		expect(ask({ amount: 404, share: 1 / 4 }, { payer: { used: 200, evaluations: 3 } })).toBe("share_used");
		expect(ask({ amount: 101, share: 1 / 4, fund: "poster" }, { poster: { used: 200, evaluations: 3 } })).toBe("share_used");
	});

	it("gives the poster's dry runs, judge checks and re-evaluations a tenth together", () => {
		expect(ask({ amount: 100, fund: "poster" }, { poster: { used: 200, evaluations: 3 } })).toBe("room");
		expect(ask({ amount: 101, fund: "poster" }, { poster: { used: 200, evaluations: 3 } })).toBe("share_used");
	});
});

describe("the estimate of an evaluation", () => {
	const prices = { JUDGE_MODELS: "cheap,dear", JUDGE_PRICES: "cheap=1/2,dear=3/10/1", JUDGE_MAX_INPUT_CHARACTERS: "50000" };
	const cost = (change: Partial<EvaluationRequest> = {}, variables: object = {}, kept?: unknown) =>
		estimateEvaluation(judgeSettings({ ...prices, ...variables }), evaluationRequest(change), kept).costMicroUsd;
	const rubric = (criteria: number) => Array.from({ length: criteria }, (_, index) => criterion(`${index}`, ["One thing", "Another"]));

	it("counts replies of twice the usual length at the price of the dearest model, and what calls share as cached", () => {
		const [one, three] = [cost({ criteria: rubric(1) }), cost({ criteria: rubric(3) })];
		expect(three).toBeLessThan(3 * one);
		expect(three - one).toBeGreaterThan(2 * 2 * 250 * 10);
		expect(cost({ criteria: rubric(1), samples: 3 })).toBeCloseTo(3 * one, -1);
	});

	it("counts a model without a price at 3 and 15 dollars a million tokens", () => {
		expect(cost({}, { JUDGE_PRICES: "" })).toBe(cost({}, { JUDGE_PRICES: "cheap=3/15,dear=1/1" }));
	});

	it("grows with the files up to the limit of a call", () => {
		const of = (text: string) => cost({ files: [{ path: "src/a.js", text }] });
		const line = `${"x".repeat(60)}\n`;
		expect(of(line.repeat(500)) - of(line.repeat(10))).toBeGreaterThan(8_000 * 3);
		expect(of(line.repeat(100_000))).toBeLessThan(24_000 * 3 + 10_000);
	});

	it("leaves out the calls that earlier attempts have made", async () => {
		const choices = { isConfirming: false };
		const model = scriptedModel((call) => (call.number <= 2 ? answer(call) : failure(429)), choices);
		const request = evaluationRequest({ criteria: rubric(4) });
		const outcome = await model.judge(request);
		if (outcome.kind !== "waiting") throw new Error("It did not wait.");
		const settings = engineSettings(choices);
		const [whole, rest] = [undefined, outcome.kept].map((kept) => estimateEvaluation(settings, request, kept).calls);
		expect([whole, rest]).toEqual([4, 2]);
	});
});
