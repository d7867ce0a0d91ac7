// Tests criteria that only the final round judges, so that competitors cannot optimize for them.
import { describe, expect, it } from "vitest";
import { canonicalRubric } from "../../../src/domain/task-digest.ts";
import { type Client, createClient } from "../../support/client.ts";
import { listEventsAbout } from "../../support/directory.ts";
import { createRound, finishedWith, scriptedJudge } from "../../support/final-round.ts";
import { sha256Hex } from "../../support/hashes.ts";
import { tool } from "../../support/mcp.ts";
import { createDraft, openTask, registerAgent, taskInput } from "../../support/scenario.ts";
import { createTrialWorld } from "../../support/trials.ts";
import { readLog } from "../../support/webhooks.ts";

const at = (id: string) => ({ params: { id } });
const SECRET = "Answers a million rows";
const CRITERIA = [
	{ name: "Parser", description: "quotes", weight: 60 },
	{ name: "Speed", description: SECRET, weight: 20, final_only: true, checks: [`${SECRET}?`], evidence: "any" },
	{ name: "Tests", description: "assert", weight: 20 },
] as const;
const HIDDEN = { criteria: CRITERIA, final_round: true };

/** The judge gives each criterion this score. */
const SCORES: Readonly<Record<string, number>> = { Parser: 80, Tests: 40, Speed: 100 };
const judge = scriptedJudge({
	evaluate: async (request) => finishedWith(request, (name) => Array<number>(request.samples).fill(SCORES[name] ?? 0)),
});

async function claimsOf(client: Client, id: string, round: string) {
	const { data } = await client.call("listEvaluations", at(id));
	const evaluation = data.find((one) => one.round === round);
	const payload = evaluation?.receipt?.split(".")[1] ?? "";
	const claims: { weights: object; rubric_sha256: string; samples: object } = JSON.parse(
		new TextDecoder().decode(Uint8Array.fromBase64(payload, { alphabet: "base64url" })),
	);
	return { evaluation, claims };
}

/** The digest covers the rubric as the owner sees it. */
async function digestOf(owner: Client, taskId: string, names: readonly string[]) {
	const { criteria } = await owner.call("getTask", at(taskId));
	return sha256Hex(canonicalRubric(criteria.filter(({ name }) => names.includes(name))));
}

describe("a criterion for the final round only", () => {
	it("never shows others the name of another criterion", async () => {
		const [poster, agent] = [await registerAgent(), await registerAgent()];
		const criteria = [
			{ name: "Hidden criterion 1", weight: 60 },
			{ name: "Speed", weight: 20, final_only: true },
			{ name: "Hidden  criterion 2", weight: 20 },
		];
		const taskId = await openTask(poster, { final_round: true, criteria });
		const shown = (await agent.call("getTask", at(taskId))).criteria.map(({ name }) => name);
		expect(shown).toEqual(["Hidden criterion 1", "Hidden criterion 3", "Hidden  criterion 2"]);
	});

	it("shows others only its weight until the round has ended, and its owner everything", async () => {
		const [poster, agent] = [await registerAgent(), await registerAgent()];
		const taskId = await openTask(poster, HIDDEN);
		const hidden = {
			...{ name: "Hidden criterion 1", description: null, weight: 20, position: 1 },
			...{ final_only: true, checks: [], evidence: "work", whole_checks: [], commitment: expect.any(String) },
		};
		const { criteria } = await agent.call("getTask", at(taskId));
		expect(criteria.map(({ name }) => name)).toEqual(["Parser", "Hidden criterion 1", "Tests"]);
		expect(criteria[1]).toEqual(hidden);
		expect(criteria[0]).toMatchObject({ final_only: false, description: "quotes" });
		expect((await createClient().call("getPublicTask", at(taskId))).criteria).toEqual(criteria);
		const texts = [
			await (await createClient().send("getTaskPage", at(taskId))).text(),
			JSON.stringify(await tool("read_task", { task_id: taskId, detail: "full" }, { key: agent.key })),
			JSON.stringify(await tool("read_task", { task_id: taskId }, { key: null })),
		];
		for (const text of texts) {
			expect(text).toContain("Hidden criterion 1");
			expect(text).not.toContain(SECRET);
			expect(text).not.toContain("Speed");
		}
		const own = await poster.call("getTask", at(taskId));
		expect(own.criteria[1]).toMatchObject({ name: "Speed", description: SECRET, final_only: true, checks: [`${SECRET}?`] });
	});

	it("counts in the final round, and before it the other criteria share its weight", async () => {
		const round = await createRound({ judge, task: HIDDEN });
		const { id, agent } = await round.enter({ now: 0, final: 0 });
		const before = await agent.call("getSubmission", at(id));
		// (80 * 60 + 40 * 20) / 80
		expect(before.scores?.final_score).toBe(70);
		expect(before.dimensions).toMatchObject([
			{ criterion_name: "Parser", weight: 60, potential_points: 15 },
			{ criterion_name: "Tests", weight: 20, potential_points: 15 },
		]);
		for (const reader of [agent, round.poster]) {
			expect(JSON.stringify(await reader.call("getSubmission", at(id)))).not.toContain("Speed");
			const { evaluation, claims } = await claimsOf(reader, id, "submission");
			expect(JSON.stringify([evaluation, claims])).not.toContain("Speed");
			expect(claims.weights).toEqual({ Parser: 60, Tests: 20 });
			expect(claims.rubric_sha256).toBe(await digestOf(round.poster, round.taskId, ["Parser", "Tests"]));
		}

		await round.close();
		await round.workOff();
		const after = await agent.call("getSubmission", at(id));
		// (80 * 60 + 100 * 20 + 40 * 20) / 100
		expect(after.scores?.final_score).toBe(76);
		expect(after.dimensions.map(({ criterion_name }) => criterion_name).toSorted()).toEqual(["Parser", "Speed", "Tests"]);
		const { claims } = await claimsOf(agent, id, "final");
		expect(claims.weights).toEqual({ Parser: 60, Speed: 20, Tests: 20 });
		expect(claims.rubric_sha256).toBe(await digestOf(round.poster, round.taskId, ["Parser", "Speed", "Tests"]));
		expect((await claimsOf(agent, id, "submission")).claims.weights).toEqual({ Parser: 60, Tests: 20 });
		const { criteria } = await agent.call("getTask", at(round.taskId));
		expect(criteria[1]).toMatchObject({ name: "Speed", description: SECRET, final_only: true });
	});

	it("is included in the owner's lint, dry runs and judge check", async () => {
		const asked: string[] = [];
		const judging = scriptedJudge({
			evaluate(request, attempt) {
				asked.push(...request.criteria.map(({ name }) => name));
				return judge.evaluate(request, attempt);
			},
		});
		const world = createTrialWorld({ change: { judge: judging } });
		const poster = world.enter(await registerAgent());
		const vague = CRITERIA.map((criterion) => (criterion.name === "Speed" ? { name: "Speed", weight: 20, final_only: true } : criterion));
		const { id: taskId } = await createDraft(poster, { ...HIDDEN, criteria: vague });
		expect((await poster.call("lintTask", at(taskId))).findings).toContainEqual(
			expect.objectContaining({ criterion: "Speed", code: "NO_DESCRIPTION" }),
		);
		const { id } = await poster.call("startDryRun", { ...at(taskId), body: { files: { "a.js": "export const a = 1;\n" } } });
		await world.workOff({ id, taskId });
		expect(new Set(asked)).toEqual(new Set(["Parser", "Speed", "Tests"]));
		asked.length = 0;
		await poster.call("publishTask", at(taskId));
		await world.check(taskId);
		expect(new Set(asked)).toEqual(new Set(["Parser", "Speed", "Tests"]));
		const stranger = await registerAgent();
		await stranger.refused("lintTask", "FORBIDDEN", at(taskId));
		expect(JSON.stringify((await stranger.call("getTask", at(taskId))).judge_check)).not.toContain("Speed");
	});

	it("stays unnamed on the board, in events and in the record until the round has ended", async () => {
		const round = await createRound({ judge, task: HIDDEN });
		const { id, agent } = await round.enter({ now: 0, final: 0 });
		const reads = [
			JSON.stringify(await agent.call("getLeaderboard", at(round.taskId))),
			JSON.stringify(await agent.call("listEvaluations", at(id))),
			JSON.stringify(await agent.call("getSubmissionDetails", at(id))),
			await (await round.poster.send("exportTask", { ...at(round.taskId), query: { format: "jsonl" } })).text(),
			JSON.stringify(await listEventsAbout(round.taskId)),
		];
		for (const read of reads) {
			expect(read).not.toContain("Speed");
			expect(read).not.toContain(SECRET);
		}
	});

	it("stays unnamed while candidates are judged, in their evaluations and events", async () => {
		const round = await createRound({ judge, task: HIDDEN });
		const candidates = [await round.enter({ now: 0, final: 0 }), await round.enter({ now: 0, final: 0 })];
		const webhooks = await Promise.all(
			candidates.map(async ({ agent }) => {
				const body = { url: `https://${crypto.randomUUID()}.example/`, events: ["evaluation.completed"] };
				return { agent, id: (await agent.call("createWebhook", { body })).id };
			}),
		);
		const read = async () => {
			const deliveries = await Promise.all(webhooks.map(({ agent, id }) => readLog(agent, id)));
			const lists = await Promise.all(candidates.map(({ agent, id }) => agent.call("listEvaluations", at(id))));
			const told = deliveries.flat().filter(({ payload }) => payload["round"] === "final");
			return { told, lists: JSON.stringify(lists) };
		};
		await round.close();
		// A step estimates the round, and the next ones judge.
		for (let step = 0; step < 4; step += 1) {
			await round.settle();
			await round.world.visitTask(round.taskId);
			const { told, lists } = await read();
			expect(told).toEqual([]);
			expect(lists).not.toContain("Speed");
			expect(lists).not.toContain('"final"');
		}
		await round.workOff();
		expect((await read()).lists).toContain("Speed");
	});

	it("cannot be discovered by appeals, and can be appealed against once it is shown", async () => {
		const round = await createRound({ judge, task: HIDDEN });
		const { id, agent } = await round.enter({ now: 0, final: 0 });
		const appealTo = (criterion_name: string) => ({ ...at(id), body: { reason: "The score is wrong.", criterion_name } });
		const refusals = await Promise.all(
			["Speed", "Hidden criterion 1", "Nothing"].map((name) => agent.refused("createAppeal", "INVALID_BODY", appealTo(name))),
		);
		expect(new Set(refusals.map((refusal) => JSON.stringify(refusal))).size).toBe(1);
		await round.close();
		await round.workOff();
		expect(await agent.call("createAppeal", appealTo("Speed"))).toMatchObject({ criterion_name: "Speed" });
	});

	it("weighs at most 50 together with other hidden ones, by every way to set it", async () => {
		const weighing = (...hidden: readonly number[]) => {
			const rest = 100 - hidden.reduce((sum, weight) => sum + weight, 0);
			const secret = hidden.map((weight, index) => ({ name: `Hidden ${index}`, weight, final_only: true }));
			return { final_round: true, criteria: [{ name: "Shown", weight: rest }, ...secret] };
		};
		const poster = await registerAgent();
		for (const hidden of [[50.01], [30, 20.5], [99]]) {
			const { details } = await poster.refused("createTask", "INVALID_WEIGHTS", { body: taskInput(weighing(...hidden)) });
			expect(JSON.stringify(details)).toContain("but the maximum is 50");
		}
		const { id } = await createDraft(poster, weighing(16.7, 16.7, 16.6));
		await poster.refused("replaceRubric", "INVALID_WEIGHTS", { ...at(id), body: { criteria: weighing(51).criteria } });
		await poster.refused("cloneTask", "INVALID_WEIGHTS", { ...at(id), body: { criteria: weighing(51).criteria } });
		await poster.call("publishTask", at(id));
	});

	it("needs a final round and another criterion, by every way to set it", async () => {
		const poster = await registerAgent();
		const refusals = [
			taskInput({ ...HIDDEN, final_round: false }),
			taskInput({ ...HIDDEN, criteria: [{ name: "All", weight: 100, final_only: true }] }),
		];
		for (const body of refusals) await poster.refused("createTask", "INVALID_BODY", { body });
		const { id } = await createDraft(poster);
		await poster.refused("replaceRubric", "INVALID_BODY", { ...at(id), body: { criteria: CRITERIA } });
		await poster.call("updateTask", { ...at(id), body: { final_round: true } });
		await poster.call("replaceRubric", { ...at(id), body: { criteria: CRITERIA } });
		await poster.refused("updateTask", "INVALID_BODY", { ...at(id), body: { final_round: false } });
		await poster.refused("updateTask", "INVALID_BODY", { ...at(id), body: { eval_callback_url: "https://judge.example/score" } });
		await poster.refused("cloneTask", "INVALID_BODY", { ...at(id), body: { final_round: false } });
		const copy = await poster.call("cloneTask", { ...at(id), body: {} });
		expect(copy.criteria.map(({ final_only }) => final_only)).toEqual([false, true, false]);
		await poster.call("publishTask", at(copy.id));
	});
});
