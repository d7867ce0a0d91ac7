// Tests what a deal says about the score behind it: until when its agent may appeal, and what a review has changed since. Neither changes
// the deal.
import { describe, expect, it } from "vitest";
import { admin } from "../../support/admin.ts";
import type { Client } from "../../support/client.ts";
import { createRound } from "../../support/final-round.ts";
import { registerAgent } from "../../support/scenario.ts";
import { inTask } from "../../support/task-object.ts";
import { HOUR_MS } from "../../support/times.ts";

const at = (id: string) => ({ params: { id } });
const appealed = (id: string) => ({ ...at(id), body: { reason: "It does that." } });
const changed = (id: string, scores: object) => ({ ...at(id), body: { decision: "changed", reason: "You are right.", scores } });
const worth = (score: number) => ({ now: score, final: score });
const hoursAfter = (time: string, hours: number) => new Date(Date.parse(time) + hours * HOUR_MS).toISOString();

const createTask = () => createRound({ task: { final_round: false } });

/** Returns the closed task's winner, a rival, and the deal with the winner. */
async function createDealt(round = createTask()) {
	const task = await round;
	const [chosen, rival] = [await task.enter(worth(50)), await task.enter(worth(40))];
	await task.close();
	const deal = await recordDeal(task.poster, task.taskId, chosen.agentId);
	return { ...task, chosen, rival, deal };
}

const recordDeal = (poster: Client, taskId: string, agentId: string) =>
	poster.call("createDeal", { body: { taskId, agentId, dealType: "output_purchase", dealValueCents: 10_000 } });

const terms = ({ deal_value_cents, platform_fee_cents, status, agent_id }: Awaited<ReturnType<typeof recordDeal>>) => ({
	...{ deal_value_cents, platform_fee_cents, status, agent_id },
});

describe("a deal", () => {
	it("says until when its agent may appeal, and the appeal is accepted until that moment", async () => {
		const { world, poster, chosen, rival, deal } = await createDealt();
		// The owner has just closed the task.
		expect(deal).toMatchObject({ final_at: hoursAfter(deal.created_at, 72), score_changed: null });
		for (const party of [poster, chosen.agent]) {
			expect(await party.call("getDeal", at(deal.id))).toMatchObject({ final_at: deal.final_at });
			expect((await party.call("listDeals")).data).toMatchObject([{ id: deal.id, final_at: deal.final_at, score_changed: null }]);
		}
		world.clock.advance(Date.parse(deal.final_at ?? "") - world.clock.now());
		await chosen.agent.call("createAppeal", appealed(chosen.id));
		world.clock.advance(1);
		await rival.agent.refused("createAppeal", "TASK_CLOSED", appealed(rival.id));
		expect((await poster.call("getDeal", at(deal.id))).final_at).toBe(deal.final_at);
	});

	it("that is recorded during the final round has no such time, until the round has ended", async () => {
		const round = await createRound();
		const entry = await round.enter(worth(50));
		await round.close();
		const deal = await recordDeal(round.poster, round.taskId, entry.agentId);
		expect(deal).toMatchObject({ final_at: null, warnings: [{ code: "PROVISIONAL_RANKING" }] });
		round.world.clock.advance(5 * HOUR_MS);
		await round.workOff();
		const now = await round.poster.call("getDeal", at(deal.id));
		expect(now.final_at).toBe(hoursAfter(new Date(round.world.clock.now()).toISOString(), 72));
		expect((await entry.agent.call("listDeals")).data).toMatchObject([{ final_at: now.final_at }]);
		round.world.clock.advance(72 * HOUR_MS - 60_000);
		await entry.agent.call("createAppeal", appealed(entry.id));
	});

	it("keeps its deadline when an operator has a candidate judged again, which ends the round once more", async () => {
		const round = await createRound();
		const entry = await round.enter(worth(50));
		await round.close();
		await round.workOff();
		const deal = await recordDeal(round.poster, round.taskId, entry.agentId);
		expect(deal.warnings).toEqual([]);
		round.world.clock.advance(10 * HOUR_MS);
		await admin.call("reEvaluateSubmission", { ...at(entry.id), body: { reason: "The judge was ill." } });
		await round.workOff();
		expect((await round.poster.call("getDeal", at(deal.id))).final_at).toBe(deal.final_at);
	});
});

describe("a review after the deal", () => {
	it("is in the deal of its agent for both parties, and changes nothing of it", async () => {
		const { poster, chosen, deal } = await createDealt();
		await chosen.agent.call("createAppeal", appealed(chosen.id));
		await poster.call("reviewSubmission", changed(chosen.id, { Tests: 90 }));
		// 0.6 * 50 + 0.4 * 90
		const change = { from: 50, to: 66, at: expect.any(String) };
		for (const party of [poster, chosen.agent]) {
			const now = await party.call("getDeal", at(deal.id));
			expect(now.score_changed).toEqual(change);
			expect({ ...now, score_changed: null, warnings: [] }).toEqual(deal);
			expect((await party.call("listDeals")).data).toMatchObject([{ score_changed: change, ...terms(deal) }]);
		}
	});

	it("replaces what an earlier one has said, and one before the deal says nothing", async () => {
		const task = await createTask();
		const entry = await task.enter(worth(50));
		await task.close();
		await entry.agent.call("createAppeal", appealed(entry.id));
		await task.poster.call("reviewSubmission", changed(entry.id, { Tests: 60 }));
		task.world.clock.advance(HOUR_MS);
		const deal = await recordDeal(task.poster, task.taskId, entry.agentId);
		expect((await task.poster.call("getDeal", at(deal.id))).score_changed).toBeNull();
	});

	it("of another work of the agent counts once the agent ranks with it, and as the score that the agent ranked with", async () => {
		const task = await createTask();
		const client = await registerAgent();
		const best = await task.enter(worth(50), client);
		const [worse, better] = [await task.enter(worth(30), client), await task.enter(worth(40), client)];
		await task.close();
		const deal = await recordDeal(task.poster, task.taskId, best.agentId);
		const scoreChanged = async () => (await task.poster.call("getDeal", at(deal.id))).score_changed;
		await best.agent.call("createAppeal", appealed(worse.id));
		// 0.6 * 30 + 0.4 * 60: the agent still ranks with its best work.
		await task.poster.call("reviewSubmission", changed(worse.id, { Tests: 60 }));
		expect(await scoreChanged()).toBeNull();
		task.world.clock.advance(HOUR_MS);
		await best.agent.call("createAppeal", appealed(better.id));
		// 0.6 * 40 + 0.4 * 100: the agent ranks with this work from now on.
		await task.poster.call("reviewSubmission", changed(better.id, { Tests: 100 }));
		expect(await scoreChanged()).toMatchObject({ from: 50, to: 64 });
	});

	it("is told by its own event, so that a later decision does not hide it", async () => {
		const { taskId, poster, chosen, deal } = await createDealt();
		const ranked = { from: 50, to: 70, at: Date.parse(deal.created_at) + HOUR_MS };
		const review = { type: "review.decided", taskId, submissionId: chosen.id, agentId: chosen.agentId } as const;
		await inTask(taskId, (task) => {
			task.record({ ...review, decision: "changed", ranked });
			task.record({ ...review, decision: "upheld", ranked: null });
		});
		await expect.poll(async () => (await poster.call("getDeal", at(deal.id))).score_changed).toMatchObject({ from: 50, to: 70 });
	});

	it("of a rival shows in its own score, and in no deal of others", async () => {
		const { poster, rival, deal } = await createDealt();
		await rival.agent.call("createAppeal", appealed(rival.id));
		await poster.call("reviewSubmission", changed(rival.id, { Tests: 100, Parser: 100 }));
		expect((await poster.call("getDeal", at(deal.id))).score_changed).toBeNull();
	});
});

describe("a review after the final round: what a rival sees", () => {
	it("is the change on the leaderboards and in the public log, and not the deal", async () => {
		const round = await createRound();
		const [chosen, rival] = [await round.enter(worth(50)), await round.enter(worth(60))];
		await round.close();
		await round.workOff();
		const deal = await recordDeal(round.poster, round.taskId, chosen.agentId);
		await chosen.agent.call("createAppeal", appealed(chosen.id));
		await round.poster.call("reviewSubmission", changed(chosen.id, { Tests: 100 }));
		// 0.6 * 50 + 0.4 * 100: the rival is second now, and sees why.
		const review = { from: 50, to: 70, criteria: ["Tests"], reason: "You are right.", decided_at: expect.any(String) };
		const { entries } = await rival.agent.call("getLeaderboard", at(round.taskId));
		expect(entries).toMatchObject([
			{ finalScore: 70, confirmed: true, reviewed: true, review },
			{ finalScore: 60, reviewed: false, review: null, isMe: true },
		]);
		const anyone = round.world.enter({ key: null });
		expect((await anyone.call("getPublicLeaderboard", at(round.taskId))).entries[0]).toMatchObject({ reviewed: true, review });
		const { data: log } = await anyone.call("getPublicHistory", at(round.taskId));
		expect(log.filter(({ event }) => event === "reviewed")).toMatchObject([
			{ facts: { agent: entries[0]?.agentName, from: 50, to: 70, criteria: ["Tests"], reason: "You are right." } },
		]);
		expect(JSON.stringify(log)).not.toContain("score_changed");
		// The deal is for its two parties.
		expect((await chosen.agent.call("getDeal", at(deal.id))).score_changed).toMatchObject({ from: 50, to: 70 });
		await rival.agent.refused("getDeal", "NOT_FOUND", at(deal.id));
		expect((await rival.agent.call("listDeals")).data).toEqual([]);
		await (await registerAgent("Stranger")).refused("getDeal", "NOT_FOUND", at(deal.id));
	});
});
