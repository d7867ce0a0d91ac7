// A final round is bounded by money and by time, and says so when it does not take place.
import { describe, expect, it } from "vitest";
import { createSwitchboard, toSwitches } from "../../../../src/core/identity/switches/service.ts";
import { MAX_ROUND_MS, NO_ROUND } from "../../../../src/extensions/final-round/rules.ts";
import type { Judge } from "../../../../src/ports/judge.ts";
import { admin } from "../../../support/admin.ts";
import { createClient } from "../../../support/client.ts";
import { configWith } from "../../../support/deps.ts";
import { listEvents } from "../../../support/directory.ts";
import { createRound, finishedWith, scriptedJudge } from "../../../support/final-round.ts";
import { queryTask } from "../../../support/task-object.ts";
import { HOUR_MS } from "../../../support/times.ts";

const anyone = createClient();
const SAMPLE_MICRO_USD = 100_000;
const off = toSwitches([{ name: "judging", isOn: false, message: "The model is away.", since: 1 }]);
/** A consumer with these dependencies sees that judging is switched off. */
const PAUSED = { switchboard: { ...createSwitchboard(), read: async () => off } };
const at = (id: string) => ({ params: { id } });

/** Returns a judge whose samples cost ten cents each, as it estimates. */
function pricedJudge(change: Partial<Judge> = {}): Judge {
	const plain = scriptedJudge();
	return scriptedJudge({
		models: ["priced"],
		estimate: ({ samples }) => {
			return { calls: samples, inputTokens: samples, cachedTokens: 0, outputTokens: samples, costMicroUsd: samples * SAMPLE_MICRO_USD };
		},
		async evaluate(request, attempt) {
			const outcome = await plain.evaluate(request, attempt);
			attempt.onCall({ model: "priced", inputTokens: 1, outputTokens: 1, costMicroUsd: request.samples * SAMPLE_MICRO_USD });
			return outcome;
		},
		...change,
	});
}

/** Returns a deployment whose tasks may cost this much, in dollars. */
function withCeiling(taskUsd: number) {
	const config = configWith({});
	const ceilings = { ...config.spend.ceilings, task_micro_usd: taskUsd * 1_000_000 };
	return { ...config, spend: { ...config.spend, ceilings } };
}

/** Hands in works until the task has that many, each judged with one sample. */
async function fill(round: Awaited<ReturnType<typeof createRound>>, count: number, scoreOf: (index: number) => number) {
	const entries = [];
	for (let index = 0; index < count; index += 1) entries.push(await round.enter({ now: 90, final: scoreOf(index) }));
	return entries;
}

const ended = (taskId: string) => listEvents("final_round.ended", taskId);
/** Returns what the public log says of the ends of a round. */
const loggedEnds = async (taskId: string) =>
	(await anyone.call("getPublicHistory", at(taskId))).data.flatMap(({ event, facts }) => (event === "round_ended" ? [facts] : []));
const reservedBy = async (taskId: string) =>
	(await queryTask<{ sum: number }>(taskId, "select coalesce(sum(reserved), 0) as sum from final_candidates"))[0]?.sum;

const endsAt = async (taskId: string) =>
	(await queryTask<{ ends_at: number | null }>(taskId, "select ends_at from final_rounds"))[0]?.ends_at ?? null;

describe("the money of a final round", () => {
	it("is reserved as a whole before its first call, and the round ends when it is spent", async () => {
		// Three provisional samples, and five for each candidate; eight more for each would not fit.
		const round = await createRound({ judge: pricedJudge(), config: withCeiling(2.5) });
		const entries = await fill(round, 3, (index) => 80 - index);
		await round.close();
		await round.world.visitTask(round.taskId);
		expect(await reservedBy(round.taskId)).toBe(3 * 5 * SAMPLE_MICRO_USD);
		await round.workOff();
		expect((await round.board()).entries).toMatchObject(entries.map(({ id }) => ({ submissionId: id, confirmed: true })));
		const { data } = await round.poster.call("listEvaluations", at(entries[0]?.id ?? ""));
		expect(data.at(-1)?.samples["Parser"]).toHaveLength(5);
		expect(await reservedBy(round.taskId)).toBe(0);
		await expect.poll(() => ended(round.taskId)).toMatchObject([{ candidates: 3, failed: 0, reason: null }]);
	});

	it("pays for further samples if the ceiling has room for all of them", async () => {
		const round = await createRound({ judge: pricedJudge(), config: withCeiling(5) });
		const [first] = await fill(round, 3, (index) => 80 - index);
		await round.close();
		await round.workOff();
		const { data } = await round.poster.call("listEvaluations", at(first?.id ?? ""));
		expect(data.at(-1)?.samples["Parser"]).toHaveLength(13);
	});
});

describe("a ceiling of the day", () => {
	const beginAt = async (posterDayUsd: number) => {
		const config = configWith({});
		const ceilings = { ...config.spend.ceilings, poster_day_micro_usd: 10_000_000 };
		const round = await createRound({ judge: pricedJudge(), config: { ...config, spend: { ...config.spend, ceilings } } });
		const entries = await fill(round, 2, (index) => 80 - index);
		ceilings.poster_day_micro_usd = posterDayUsd * 1_000_000;
		await round.close();
		await round.world.visitTask(round.taskId);
		return { ...round, entries, ceilings };
	};

	it("needs room for one sample of a candidate at a time", async () => {
		// Two provisional samples are settled, so one more fits, and five would not.
		const round = await beginAt(0.35);
		await round.world.visitTask(round.taskId);
		expect(await queryTask(round.taskId, "select state, count(*) as total from final_candidates group by 1 order by 1")).toEqual([
			{ state: "judged", total: 1 },
			{ state: "judging", total: 1 },
		]);
	});

	it("that stays too low makes the candidates wait for 72 hours, and then the round did not take place", async () => {
		const round = await beginAt(0.05);
		await round.workOff();
		expect(await endsAt(round.taskId)).not.toBeNull();
		const waited = round.world.clock.now() - ((await endsAt(round.taskId)) ?? 0);
		expect(waited).toBeGreaterThanOrEqual(0);
		expect(waited).toBeLessThan(2 * HOUR_MS);
		expect((await round.board()).entries.map(({ confirmed }) => confirmed)).toEqual([false, false]);
		await expect.poll(() => ended(round.taskId)).toMatchObject([{ candidates: 0, failed: 0, reason: expect.stringContaining("72 hours") }]);
		expect(await loggedEnds(round.taskId)).toEqual([{ candidates: 0, failed: 0, reason: NO_ROUND.tooLong }]);
	});

	it("that is raised in time lets the round go on", async () => {
		const round = await beginAt(0.05);
		for (let hours = 0; hours < 40; hours += 1) {
			await round.settle();
			await round.world.visitTask(round.taskId);
			round.world.clock.advance(HOUR_MS);
		}
		expect(await round.board()).toMatchObject({ provisional: true });
		round.ceilings.poster_day_micro_usd = 10_000_000;
		await round.workOff();
		expect((await round.board()).entries.map(({ confirmed }) => confirmed)).toEqual([true, true]);
	});
});

describe("the time of a final round", () => {
	/** Returns a round whose candidates wait for their first call. */
	const beginSlow = async () => {
		const round = await createRound();
		const entries = await fill(round, 3, (index) => 80 - index);
		await round.close();
		await round.world.visitTask(round.taskId);
		return { ...round, entries };
	};

	it("begins with its first call, and after 72 hours without all samples the round did not take place", async () => {
		const round = await beginSlow();
		expect(await endsAt(round.taskId)).toBeNull();
		round.world.clock.advance(30 * HOUR_MS);
		await round.settle();
		expect(await round.board()).toMatchObject({ provisional: true });
		await round.world.visitTask(round.taskId);
		expect(await endsAt(round.taskId)).toBe(round.world.clock.now() + MAX_ROUND_MS);
		round.world.clock.advance(MAX_ROUND_MS - 1);
		await round.settle();
		expect(await round.board()).toMatchObject({ provisional: true });
		round.world.clock.advance(1);
		await round.settle();
		const order = round.entries.map(({ id }) => ({ submissionId: id, finalScore: 90, confirmed: false }));
		expect(await round.board()).toMatchObject({ provisional: false, entries: order });
		expect(await queryTask(round.taskId, "select 1 from jobs where round = 'final'")).toEqual([]);
		await expect.poll(() => ended(round.taskId)).toMatchObject([{ candidates: 0, reason: expect.stringContaining("72 hours") }]);
		expect(await loggedEnds(round.taskId)).toEqual([{ candidates: 0, failed: 0, reason: NO_ROUND.tooLong }]);
		for (const { id, agent } of round.entries) {
			expect((await agent.call("listEvaluations", at(id))).data.map(({ round: of }) => of)).toEqual(["submission"]);
		}
	});

	it("ends with five samples for all if only further ones are missing", async () => {
		const round = await beginSlow();
		for (let visit = 0; visit < 3; visit += 1) await round.world.visitTask(round.taskId);
		expect(await queryTask(round.taskId, "select distinct state from final_candidates")).toEqual([{ state: "sampling" }]);
		round.world.clock.advance(MAX_ROUND_MS);
		await round.settle();
		await round.workOff();
		expect((await round.board()).entries).toMatchObject([80, 79, 78].map((finalScore) => ({ finalScore, confirmed: true })));
	});

	it("leaves a result that comes too late without effect", async () => {
		const round = await beginSlow();
		const { promise, resolve } = Promise.withResolvers<void>();
		const started = Promise.withResolvers<void>();
		const judge = scriptedJudge({
			async evaluate(request) {
				started.resolve();
				await promise;
				return finishedWith(request, () => [10]);
			},
		});
		const late = round.world.visitTask(round.taskId, { judge });
		await started.promise;
		// The clock stands still, because a claim is renewed every half a minute.
		await queryTask(round.taskId, "update final_rounds set ends_at = ?", round.world.clock.now());
		await round.settle();
		resolve();
		await late;
		expect(await round.board()).toMatchObject({
			provisional: false,
			entries: [{ finalScore: 90 }, { finalScore: 90 }, { finalScore: 90 }],
		});
		expect(await queryTask(round.taskId, "select 1 from round_judgements")).toEqual([]);
	});

	it("is not used up by an operator's pause", async () => {
		const round = await beginSlow();
		await round.world.visitTask(round.taskId);
		const before = (await endsAt(round.taskId)) ?? 0;
		await round.world.visitTask(round.taskId, PAUSED);
		round.world.clock.advance(MAX_ROUND_MS + HOUR_MS);
		await round.settle();
		expect(await round.board()).toMatchObject({ provisional: true });
		await round.world.visitTask(round.taskId);
		expect(await endsAt(round.taskId)).toBe(before + MAX_ROUND_MS + HOUR_MS);
		await round.workOff();
		expect((await round.board()).entries.every(({ confirmed }) => confirmed)).toBe(true);
	});
});

describe("an operator who voids a candidate while it is judged", () => {
	it("keeps it off the leaderboard", async () => {
		const round = await createRound();
		const [gone, stays] = await fill(round, 2, () => 80);
		await round.close();
		await Promise.all([round.workOff(), admin.call("voidSubmission", { ...at(gone?.id ?? ""), body: { reason: "It is stolen." } })]);
		await round.workOff();
		expect(await round.board()).toMatchObject({ provisional: false, entries: [{ submissionId: stays?.id, confirmed: true }] });
	});
});

describe("an agent that is erased while its candidate is judged", () => {
	it("leaves no text behind, and keeps its confirmed score under a pseudonym", async () => {
		const round = await createRound();
		const [erased, other] = await fill(round, 2, (index) => 80 - index);
		await round.close();
		for (let visit = 0; visit < 3; visit += 1) await round.world.visitTask(round.taskId);
		const kept = async () =>
			(await queryTask<{ text: string }>(round.taskId, "select text from round_judgements where submission_id = ?", erased?.id ?? ""))
				.map(({ text }) => text)
				.join("");
		expect(await kept()).toContain("as asked");
		await admin.call("eraseAgent", { ...at(erased?.agentId ?? ""), body: { reason: "They asked for it." } });
		expect(await kept()).not.toContain("as asked");
		await round.workOff();
		const entries = [80, 79].map((finalScore, index) => ({
			submissionId: (index === 0 ? erased : other)?.id,
			finalScore,
			confirmed: true,
		}));
		expect(await round.board()).toMatchObject({ provisional: false, entries });
	});
});
