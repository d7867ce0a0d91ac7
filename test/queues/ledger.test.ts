// Tests the ledger of money in the directory: what is reserved at once never passes a ceiling, and nothing is counted twice.
import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import { divideEstimate, RESERVATION_TTL_MS, type ScopePart } from "../../src/core/competition/spend/rules.ts";
import { forgetOldJudgeDays, reserveDay, settleDay } from "../../src/core/competition/spend/service.ts";
import { EvaluationFault } from "../../src/domain/evaluation-fault.ts";
import { DAY_MS, utcDayOf } from "../../src/platform/clock.ts";
import { runSweep } from "../../src/queues/sweeps.ts";
import { testDeps } from "../support/deps.ts";
import { manualClock } from "../support/manual-clock.ts";
import { queryAll, queryOne } from "../support/storage.ts";

const clock = manualClock();
const deps = (change = {}) => testDeps({ clock, ...change });
const day = utcDayOf(clock.now());
const used = (costMicroUsd: number) => ({ calls: 1, inputTokens: 10, outputTokens: 2, costMicroUsd, evaluations: 1 });
const newJob = () => ({ job: crypto.randomUUID(), claim: 1 });

/** Returns the parts of a job in scopes of its own, where a ceiling has room for this. */
function partsOf(poster: string, { amount, most }: { readonly amount: number; readonly most: number | null }): ScopePart[] {
	const ceilings = { task_micro_usd: null, task_budget_percent: null, deployment_day_micro_usd: null, poster_day_micro_usd: most };
	const payers = { submitter: `person:${poster}`, poster: null, posterId: poster };
	const limits = { ceilings, payerSharePercent: 10, usual: null, isFirst: true };
	return divideEstimate({ amount, criteria: 1, checks: 1 }, payers, limits);
}

const sumsOf = (scope: string) => queryOne("select settled, reserved, evaluations from judge_days where scope = ? and day = ?", scope, day);
const countReservations = async (job: string) => (await queryAll("select 1 from reservations where job = ?", job)).length;

describe("two reservations at once in the last free cent", () => {
	it("get it once, and the other one waits for a moment", async () => {
		for (let round = 0; round < 5; round += 1) {
			const poster = crypto.randomUUID();
			const reserve = () => reserveDay(deps(), newJob(), { taskId: poster, parts: partsOf(poster, { amount: 10_000, most: 10_000 }) });
			const results = await Promise.allSettled([reserve(), reserve()]);
			expect(results.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
			const [fault] = results.flatMap((result) => (result.status === "rejected" ? [result.reason] : []));
			expect(fault).toBeInstanceOf(EvaluationFault);
			expect(fault).toMatchObject({ costsAttempt: false, ceilings: ["poster_day"], message: expect.stringContaining("have reserved") });
			expect(await sumsOf(`poster:${poster}`)).toEqual({ settled: 0, reserved: 10_000, evaluations: 0 });
			expect(await sumsOf(`payer:person:${poster}`)).toEqual({ settled: 0, reserved: 10_000, evaluations: 0 });
		}
	});

	it("get as many as fit, of fifty", async () => {
		const poster = crypto.randomUUID();
		const parts = partsOf(poster, { amount: 3, most: 100 });
		const results = await Promise.allSettled(Array.from({ length: 50 }, () => reserveDay(deps(), newJob(), { taskId: poster, parts })));
		expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(33);
		expect(await sumsOf(`poster:${poster}`)).toMatchObject({ reserved: 99 });
	});
});

describe("a reservation", () => {
	it("settles with what the job has cost, once, also if it settles twice at the same time", async () => {
		const [poster, key] = [crypto.randomUUID(), newJob()];
		await reserveDay(deps(), key, { taskId: poster, parts: partsOf(poster, { amount: 500, most: 1_000 }) });
		await Promise.all([settleDay(deps(), key, used(123)), settleDay(deps(), key, used(123))]);
		await settleDay(deps(), key, used(123));
		expect(await sumsOf(`poster:${poster}`)).toEqual({ settled: 123, reserved: 0, evaluations: 1 });
		expect(await countReservations(key.job)).toBe(0);
	});

	it("is released if the job has cost nothing", async () => {
		const [poster, key] = [crypto.randomUUID(), newJob()];
		await reserveDay(deps(), key, { taskId: poster, parts: partsOf(poster, { amount: 500, most: 1_000 }) });
		await settleDay(deps(), key, { ...used(0), costMicroUsd: null, evaluations: 0 });
		expect(await sumsOf(`poster:${poster}`)).toEqual({ settled: 0, reserved: 0, evaluations: 0 });
	});

	it("that fails waits for a ceiling, even if there is room again when the levels are read", async () => {
		const [poster, first] = [crypto.randomUUID(), newJob()];
		const reservation = { taskId: poster, parts: partsOf(poster, { amount: 600, most: 1_000 }) };
		await reserveDay(deps(), first, reservation);
		const own = deps();
		const { idempotent } = own.db;
		const batch = idempotent.batch.bind(idempotent);
		vi.spyOn(idempotent, "batch").mockImplementation(async (statements) => {
			try {
				return await batch(statements);
			} catch (error) {
				await settleDay(deps(), first, { ...used(0), costMicroUsd: null, evaluations: 0 });
				throw error;
			}
		});
		await expect(reserveDay(own, newJob(), reservation)).rejects.toMatchObject({ costsAttempt: false, waitsFor: "ceiling" });
	});

	it("expires when its consumer has died, and a settlement that comes later changes nothing", async () => {
		const own = manualClock(clock.now());
		const later = (change = {}) => testDeps({ clock: own, ...change });
		const [poster, dead, alive] = [crypto.randomUUID(), newJob(), newJob()];
		const reserve = (key: ReturnType<typeof newJob>) =>
			reserveDay(later(), key, { taskId: poster, parts: partsOf(poster, { amount: 500, most: 600 }) });
		await reserve(dead);
		own.advance(RESERVATION_TTL_MS - 1);
		await runSweep(later(), "settle");
		await expect(reserve(alive)).rejects.toThrow("have reserved");
		own.advance(1);
		await Promise.all([runSweep(later(), "settle"), runSweep(later(), "settle")]);
		expect(await countReservations(dead.job)).toBe(0);
		expect(await sumsOf(`poster:${poster}`)).toMatchObject({ settled: 0, reserved: 0 });
		await settleDay(later(), dead, used(100));
		expect(await sumsOf(`poster:${poster}`)).toEqual({ settled: 0, reserved: 0, evaluations: 0 });
		await reserve(alive);
	});

	it("is made once if D1 loses the response and is asked again", async () => {
		const [poster, key] = [crypto.randomUUID(), newJob()];
		const reservation = { taskId: poster, parts: partsOf(poster, { amount: 400, most: 500 }) };
		await reserveDay(deps(), key, reservation);
		await reserveDay(deps(), key, reservation);
		expect(await sumsOf(`poster:${poster}`)).toMatchObject({ reserved: 400 });
		await settleDay(deps(), key, used(50));
		await reserveDay(deps(), { ...key, claim: 2 }, reservation);
		expect(await sumsOf(`poster:${poster}`)).toMatchObject({ settled: 50, reserved: 400 });
	});

	it("of an evaluation with many checks is divided between its submitter and the poster", async () => {
		const [poster, key] = [crypto.randomUUID(), newJob()];
		const ceilings = { task_micro_usd: null, task_budget_percent: null, deployment_day_micro_usd: null, poster_day_micro_usd: null };
		const payers = { submitter: `person:a-${poster}`, poster: `person:p-${poster}`, posterId: poster };
		const limits = { ceilings, payerSharePercent: 10, usual: null, isFirst: true };
		const parts = divideEstimate({ amount: 1_000, criteria: 8, checks: 80 }, payers, limits);
		await reserveDay(deps(), key, { taskId: poster, parts });
		expect(await sumsOf(`payer:person:a-${poster}`)).toMatchObject({ reserved: 250 });
		expect(await sumsOf(`payer:person:p-${poster}`)).toMatchObject({ reserved: 750 });
		await settleDay(deps(), key, used(400));
		expect(await sumsOf(`payer:person:a-${poster}`)).toMatchObject({ settled: 100, reserved: 0 });
		expect(await sumsOf(`payer:person:p-${poster}`)).toMatchObject({ settled: 300, reserved: 0 });
		expect(await sumsOf(`poster:${poster}`)).toMatchObject({ settled: 400, reserved: 0 });
	});
});

it("keeps the sums of posters for 400 days, and those of payers until the next day", async () => {
	const insert = env.DB.prepare(
		"insert into judge_days (scope, day, settled, reserved, evaluations, input_tokens, output_tokens) values (?, ?, 1, 0, 1, 1, 1)",
	);
	const rows = [399, 401, 0, 1, 2].map((ago) => [ago > 2 ? "poster:old" : "payer:old", utcDayOf(clock.now() - ago * DAY_MS)] as const);
	await env.DB.batch(rows.map((row) => insert.bind(...row)));
	await forgetOldJudgeDays(deps());
	const kept = await queryAll("select scope, day from judge_days where scope like '%:old' order by day");
	expect(kept).toEqual([rows[0], rows[3], rows[2]].map((row) => ({ scope: row?.[0], day: row?.[1] })));
});
