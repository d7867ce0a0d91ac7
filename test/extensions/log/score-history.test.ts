// Charts show scores as they were at their time. A final round, a review or a voided work never changes earlier points.
import { exports } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { admin } from "../../support/admin.ts";
import { randomAddress } from "../../support/client.ts";
import { createRound, finishedWith, scriptedJudge } from "../../support/final-round.ts";
import { registerAgent } from "../../support/scenario.ts";
import { HOUR_MS } from "../../support/times.ts";

const at = (id: string) => ({ params: { id } });

/** Returns the chart of a task's page: its label, its rows, and the shapes that the final round adds. */
async function readChart(taskId: string) {
	const request = new Request(`https://bounty.test/tasks/${taskId}`, {
		headers: { Accept: "text/html", "CF-Connecting-IP": randomAddress() },
	});
	const html = await (await exports.default.fetch(request)).text();
	const section = /<h2 id="progress">.*?<\/section>/s.exec(html)?.[0] ?? "";
	const rows = [...section.matchAll(/<tr>(.*?)<\/tr>/gs)].slice(1).map(([, row = ""]) => row.replaceAll(/<[^>]+>/g, "|").split(/\|+/));
	return {
		html,
		section,
		label: /aria-label="([^"]*)"/.exec(section)?.[1] ?? "",
		rows: rows.map((cells) => cells.filter((cell) => cell !== "")),
		hasBand: section.includes('class="chart-band"'),
	};
}

describe("the scores over time of a task with a final round", () => {
	it("stay as they were before the round, which is a band of its own", async () => {
		const round = await createRound();
		const ada = await round.enter({ now: 87, final: 45 }, await registerAgent("Ada"));
		round.world.clock.advance(HOUR_MS);
		const ben = await round.enter({ now: 80, final: 82 }, await registerAgent("Ben"));
		const before = await readChart(round.taskId);
		const histories = await ada.agent.call("getScoreHistory", at(round.taskId));
		expect(histories.data.map(({ points }) => points.map(({ score, round: of }) => [score, of]))).toEqual([
			[[87, "submission"]],
			[[80, "submission"]],
		]);
		expect(histories.me).toEqual(histories.data[0]);
		expect(histories.data.map(({ is_me }) => is_me)).toEqual([true, false]);
		expect(before.hasBand).toBe(false);
		expect(before.label).toMatch(/^Best score over time: Competitor \w+ reaches 87\.00; Competitor \w+ reaches 80\.00\.$/);

		await round.close();
		await round.workOff();
		const after = await readChart(round.taskId);
		expect(after.hasBand).toBe(true);
		expect(after.section).toContain(">final round<");
		expect(after.label).toBe(
			"Best score over time: Ben reaches 80.00, has 82.00 in the final round; Ada reaches 87.00, has 45.00 in the final round.",
		);
		const ended = await ben.agent.call("getScoreHistory", at(round.taskId));
		expect(ended.data.map(({ agent_name, points }) => [agent_name, ...points.map(({ score }) => score)])).toEqual([
			["Ben", 80, 82],
			["Ada", 87, 45],
		]);
		// Times and scores of the points before the round are what they were.
		expect(ended.data[1]?.points[0]).toEqual(histories.data[0]?.points[0]);
		expect(ended.data[0]?.points[0]).toEqual(histories.data[1]?.points[0]);
		const past = (rows: readonly string[][]) => rows.filter((cells) => cells.at(-1) !== "the final round").map((cells) => cells.slice(1));
		expect(past(after.rows).toSorted()).toEqual(past(before.rows).toSorted());
	});

	it("has a review after the round at its own time, behind the band", async () => {
		const round = await createRound();
		const ada = await round.enter({ now: 87, final: 45 }, await registerAgent("Ada"));
		await round.enter({ now: 80, final: 82 }, await registerAgent("Ben"));
		await round.close();
		await round.workOff();
		await ada.agent.call("createAppeal", { ...at(ada.id), body: { reason: "It does that." } });
		round.world.clock.advance(20 * HOUR_MS);
		const review = { decision: "changed", reason: "You are right.", scores: { Parser: 100 } };
		await round.poster.call("reviewSubmission", { ...at(ada.id), body: review });
		const { data } = await ada.agent.call("getScoreHistory", at(round.taskId));
		const own = data.find(({ agent_name }) => agent_name === "Ada")?.points ?? [];
		expect(own.map(({ score, round: of }) => [score, of])).toEqual([
			[87, "submission"],
			[45, "final"],
			[78, "review"],
		]);
		expect(Date.parse(own[2]?.at ?? "") - Date.parse(own[1]?.at ?? "")).toBeGreaterThan(19 * HOUR_MS);
		const { label, hasBand } = await readChart(round.taskId);
		expect(hasBand).toBe(true);
		expect(label).toContain("Ada reaches 87.00, has 45.00 in the final round, has 78.00 now");
	});

	it("gives a candidate that could not be judged no place in the band", async () => {
		const round = await createRound();
		await round.enter({ now: 87, final: "silence" }, await registerAgent("Ada"));
		await round.enter({ now: 80, final: 70 }, await registerAgent("Ben"));
		await round.close();
		await round.workOff();
		expect((await readChart(round.taskId)).label).toBe(
			"Best score over time: Ben reaches 80.00, has 70.00 in the final round; Ada reaches 87.00.",
		);
	});

	it("keeps what a candidate that could not be judged stood with, when an operator has it judged later", async () => {
		const round = await createRound();
		const client = await registerAgent("Ada");
		const picked = await round.enter({ now: 60, final: "silence" }, client);
		await round.enter({ now: 87, final: 87 }, client);
		await picked.agent.call("pickSubmission", { ...at(round.taskId), body: { submission_id: picked.id } });
		await round.close();
		await round.workOff();
		const pointsOf = async () => (await picked.agent.call("getScoreHistory", at(round.taskId))).data[0]?.points ?? [];
		const before = await pointsOf();
		expect(before.map(({ score, round: of }) => [score, of])).toEqual([
			[60, "submission"],
			[87, "submission"],
			[60, null],
		]);
		round.world.clock.advance(HOUR_MS);
		await admin.call("reEvaluateSubmission", { ...at(picked.id), body: { reason: "The judge was silent." } });
		await round.workOff({ judge: scriptedJudge({ evaluate: (request) => Promise.resolve(finishedWith(request, () => [90])) }) });
		const after = await pointsOf();
		expect(after.slice(0, 3)).toEqual(before);
		expect(after.slice(3)).toMatchObject([{ round: "final" }]);
	});
});

describe("the score history", () => {
	it("names no agent before the reveal", async () => {
		const task = await createRound({ task: { final_round: false } });
		const stranger = await registerAgent();
		const ada = await task.enter({ now: 87, final: 87 }, await registerAgent("Ada"));
		const open = await stranger.call("getScoreHistory", at(task.taskId));
		expect(open.me).toBe(null);
		expect(open.data[0]?.agent_name).toMatch(/^Competitor /);
		expect(JSON.stringify(open)).not.toContain("Ada");
		expect(JSON.stringify(open)).not.toContain(ada.agentId);
		expect(JSON.stringify(open)).not.toContain(ada.id);
	});

	it("keeps what was true before a work was voided", async () => {
		const task = await createRound({ task: { final_round: false } });
		const agent = await registerAgent("Ada");
		await task.enter({ now: 60, final: 60 }, agent);
		const best = await task.enter({ now: 90, final: 90 }, agent);
		await task.world.enter(admin).call("voidSubmission", { ...at(best.id), body: { reason: "Copied." } });
		const { data } = await task.poster.call("getScoreHistory", at(task.taskId));
		expect(data[0]?.points.map(({ score, round }) => [score, round])).toEqual([
			[60, "submission"],
			[90, "submission"],
			[60, null],
		]);
	});

	it("has the caller's own history from any rank", async () => {
		const task = await createRound({ task: { final_round: false } });
		for (const now of [91, 92, 93, 94, 95]) await task.enter({ now, final: now });
		const last = await task.enter({ now: 10, final: 10 });
		const { data, me } = await last.agent.call("getScoreHistory", at(task.taskId));
		expect(data.map(({ points }) => points[0]?.score)).toEqual([95, 94, 93, 92, 91]);
		expect(me?.points[0]?.score).toBe(10);
	});
});
