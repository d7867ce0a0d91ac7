// Candidates of a final round that contest the first places get further samples, and are compared with each other.
import { describe, expect, it } from "vitest";
import { verifyReceipt } from "../../packages/sdk/src/receipt/verify.ts";
import type { Judge } from "../../src/ports/judge.ts";
import type { Client } from "../support/client.ts";
import { listEvents } from "../support/directory.ts";
import { createRound, OWN_FAULT, scriptedJudge } from "../support/final-round.ts";

/** A comparison takes a limited number of calls of the model. */
const MAX_CALLS = 6;
const at = (id: string) => ({ params: { id } });
const roundsOf = async (agent: Client, id: string) => (await agent.call("listEvaluations", at(id))).data.map(({ round }) => round);

describe("a final round", () => {
	it("breaks ties for the first three places by further samples, before the earlier time decides", async () => {
		const judge = scriptedJudge({ models: ["scripted"] });
		const round = await createRound({ judge });
		const worths = [
			{ now: 80, final: 80, tie: 78 },
			{ now: 80, final: 80, tie: 82 },
			{ now: 80, final: 80, tie: null },
			{ now: 79, final: 60, tie: 61 },
			{ now: 79, final: 60, tie: 65 },
		];
		const entries = [];
		for (const { tie, ...worth } of worths) entries.push(await round.enter(tie === null ? worth : { ...worth, tie }));
		await round.close();
		await round.workOff();
		const ids = entries.map(({ id }) => id);
		const board = await round.board();
		expect(board.provisional).toBe(false);
		expect(board.entries.map(({ submissionId }) => ids.indexOf(submissionId))).toEqual([1, 2, 0, 3, 4]);
		// The means are of five samples of 80, and of eight samples of 82, 80 and 78.
		expect(board.entries.map(({ finalScore }) => finalScore)).toEqual([81.23, 80, 78.77, 60, 60]);
		const keys = await round.poster.call("getReceiptKeys");
		for (const { agent, id } of entries.slice(0, 3)) {
			const { data } = await agent.call("listEvaluations", at(id));
			expect(data.map(({ round: of }) => of)).toEqual(["submission", "final", "final", "final"]);
			const further = data.at(2);
			expect(Object.values(further?.samples ?? {}).map((samples) => samples.length)).toEqual([8, 8]);
			await verifyReceipt(further, keys);
		}
		for (const { agent, id } of entries.slice(3)) expect(await roundsOf(agent, id)).toEqual(["submission", "final"]);
		const told = (await listEvents("evaluation.completed", round.taskId)).filter((event) => JSON.stringify(event).includes('"final"'));
		expect(told).toHaveLength(ids.length);
		for (const submissionId of ids) expect(told).toContainEqual(expect.objectContaining({ submissionId }));
	});

	it("compares in both orders the works that are still tied, records it, and ignores verdicts that depend on the order", async () => {
		const planned = new Set<number>();
		const estimate: Judge["estimate"] = ({ samples = 1 }) => {
			planned.add(samples);
			return 1;
		};
		const round = await createRound({ judge: scriptedJudge({ models: ["scripted"], estimate }) });
		const worths = [
			{ now: 80, final: 80, compare: 1 },
			{ now: 80, final: 80, compare: 3 },
			{ now: 80, final: 80, compare: "shown_first" },
			{ now: 80, final: 80, compare: 2 },
		] as const;
		const entries = [];
		for (const worth of worths) entries.push(await round.enter(worth));
		await round.close();
		await round.workOff();
		// Each criterion reserves the most calls that comparing with three others can take.
		expect(Math.max(...planned)).toBe(3 * MAX_CALLS);
		const ids = entries.map(({ id }) => id);
		const board = await round.board();
		expect(board.entries.map(({ submissionId }) => ids.indexOf(submissionId))).toEqual([1, 2, 3, 0]);
		expect(board.entries.map(({ finalScore }) => finalScore)).toEqual([82, 80, 80, 78]);
		const keys = await round.poster.call("getReceiptKeys");
		/** These are the scores of the comparisons with the second work, by submission. */
		const againstSecond = [0, undefined, 100, 0];
		for (const [index, { agent, id }] of entries.entries()) {
			const compared = (await agent.call("listEvaluations", at(id))).data.at(-1);
			const records = Object.values(compared?.samples ?? {}).flat();
			const others = records.flatMap((record) => record.compared_with ?? []);
			expect(new Set(others)).toEqual(new Set(ids.filter((other) => other !== id)));
			expect(others).toHaveLength(2 * 3);
			expect(records.find((record) => record.compared_with === ids[1])?.score).toBe(againstSecond[index]);
			// The report of a comparison would show one agent the files of another.
			const texts = new Set(compared?.dimensions.map(({ reasoning }) => reasoning));
			expect([...texts]).toEqual(["Compared with other works that tie with it in the final round."]);
			expect(compared?.final_score).toBe(80);
			expect((await verifyReceipt(compared, keys)).claims.samples).toEqual(compared?.samples);
		}
	});

	it("ends although works cannot be compared", async () => {
		const judge = scriptedJudge({ models: ["scripted"], compareOnCriterion: () => Promise.reject(OWN_FAULT) });
		const round = await createRound({ judge });
		const entries = [await round.enter({ now: 80, final: 80 }), await round.enter({ now: 80, final: 80 })];
		await round.close();
		await round.workOff();
		expect(await round.board()).toMatchObject({
			provisional: false,
			entries: entries.map(({ id }) => ({ submissionId: id, finalScore: 80, confirmed: true })),
		});
	});

	it("ends although the further samples of a tie fail", async () => {
		const plain = scriptedJudge();
		const judge = scriptedJudge({
			models: ["scripted"],
			judgeCriterion: (request) => (request.samples === 8 ? Promise.reject(OWN_FAULT) : plain.judgeCriterion(request)),
		});
		const round = await createRound({ judge });
		const [first, second] = [await round.enter({ now: 80, final: 80 }), await round.enter({ now: 80, final: 80 })];
		await round.close();
		await round.workOff();
		expect(await round.board()).toMatchObject({
			provisional: false,
			entries: [first, second].map(({ id }) => ({ submissionId: id, finalScore: 80, confirmed: true })),
		});
	});

	it("records the usage of each comparison: two orders of each pair and criterion", async () => {
		const plain = scriptedJudge();
		const judge = scriptedJudge({
			models: ["scripted"],
			compareOnCriterion(request, watch) {
				watch?.onCall?.({ model: "scripted", inputTokens: 1_000, outputTokens: 10, costMicroUsd: 700 });
				return plain.compareOnCriterion(request, watch);
			},
		});
		const round = await createRound({ judge });
		for (const compare of [1, 2, 3]) await round.enter({ now: 80, final: 80, compare });
		await round.close();
		await round.workOff();
		const { judge_usage } = await round.task();
		expect(judge_usage).toMatchObject({ calls: 3 * 2 * 2, cost_usd: 0.0084 });
	});
});
