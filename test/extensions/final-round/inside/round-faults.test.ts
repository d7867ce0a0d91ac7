// One candidate that fails, and one step that cannot be taken, do not decide over a final round.
import { describe, expect, it } from "vitest";
import { MAX_ATTEMPTS } from "../../../../src/core/judging/rules.ts";
import { EvaluationFault } from "../../../../src/domain/evaluation-fault.ts";
import { MAX_ROUND_MS } from "../../../../src/extensions/final-round/rules.ts";
import type { Deps } from "../../../../src/ports/deps.ts";
import type { Judge } from "../../../../src/ports/judge.ts";
import { admin } from "../../../support/admin.ts";
import { configWith, testDeps } from "../../../support/deps.ts";
import { listEvents } from "../../../support/directory.ts";
import { createRound, scriptedJudge } from "../../../support/final-round.ts";
import { queryTask } from "../../../support/task-object.ts";
import { HOUR_MS } from "../../../support/times.ts";

const at = (id: string) => ({ params: { id } });
const ended = (taskId: string) => listEvents("final_round.ended", taskId);

/** Breaks the grader each time, as far as anyone can tell. */
const LOST = new EvaluationFault("The grader has lost the job.", { blame: "platform", isRetryable: true, costsAttempt: true });

/** Returns a judge that scores as the files say, and counts its calls for works of this salt. */
function countingJudge(salt: string, change: Partial<Judge> = {}) {
	const plain = scriptedJudge();
	const asked: number[] = [];
	const judge = scriptedJudge({
		...change,
		evaluate(request, attempt) {
			const isCounted = request.files.some(({ text }) => text.includes(`word${salt}0`));
			if (isCounted) asked.push(request.samples);
			return isCounted && request.samples > 1 && change.evaluate !== undefined
				? change.evaluate(request, attempt)
				: plain.evaluate(request, attempt);
		},
	});
	return { judge, asked };
}

/** Returns dependencies of a consumer that cannot call the verb of this name. */
function without(name: string): Partial<Deps> {
	const { hubs } = testDeps();
	return {
		hubs: {
			...hubs,
			callTask: (taskId, verb, call) => (verb.name === name ? Promise.reject(new Error("away")) : hubs.callTask(taskId, verb, call)),
		},
	};
}

describe("a candidate whose job ends without a score", () => {
	it("fails, also if no one knows whether its work is to blame: it is asked no more, and the round takes place", async () => {
		const { judge, asked } = countingJudge("breaking", { evaluate: () => Promise.reject(LOST) });
		const round = await createRound({ judge });
		const lucky = await round.enter({ now: 90, final: 90, salt: "breaking" });
		const honest = await round.enter({ now: 80, final: 80 });
		await round.close();
		await round.workOff();
		expect(asked).toEqual([1, ...Array.from({ length: MAX_ATTEMPTS }, () => 5)]);
		const entries = [
			{ submissionId: honest.id, confirmed: true },
			{ submissionId: lucky.id, confirmed: false },
		];
		expect(await round.board()).toMatchObject({ provisional: false, entries });
		await expect.poll(() => ended(round.taskId)).toMatchObject([{ candidates: 2, failed: 1, reason: null }]);
	});

	it("ends the round if it was too late anyway, and no submission loses its score", async () => {
		const round = await createRound();
		const entries = [await round.enter({ now: 90, final: null }), await round.enter({ now: 80, final: null })];
		await round.close();
		for (let visit = 0; visit < 3; visit += 1) await round.world.visitTask(round.taskId);
		round.world.clock.advance(MAX_ROUND_MS + HOUR_MS);
		// A consumer comes before the alarm.
		await round.world.visitTask(round.taskId);
		for (const { id, agent } of entries) {
			expect(await agent.call("getSubmission", at(id))).toMatchObject({ status: "completed", evaluated: true });
		}
		expect(await round.board()).toMatchObject({ provisional: false, entries: [{ finalScore: 90 }, { finalScore: 80 }] });
		expect(await listEvents("submission.failed", round.taskId)).toEqual([]);
	});
});

describe("a candidate that an operator has voided", () => {
	it("neither holds one of the first places nor gets further samples", async () => {
		const { judge, asked } = countingJudge("stolen");
		const round = await createRound({ judge });
		const [first, second] = [await round.enter({ now: 90, final: 90 }), await round.enter({ now: 90, final: 89 })];
		const stolen = await round.enter({ now: 90, final: 88, salt: "stolen" });
		const third = await round.enter({ now: 90, final: 70 });
		await round.close();
		await round.world.visitTask(round.taskId);
		await admin.call("voidSubmission", { ...at(stolen.id), body: { reason: "It is stolen." } });
		await round.workOff();
		expect(asked).not.toContain(8);
		for (const { id } of [first, second, third]) {
			const { data } = await round.poster.call("listEvaluations", at(id));
			expect(data.at(-1)?.samples["Parser"]).toHaveLength(13);
		}
	});
});

describe("the steps of a round", () => {
	it("estimate nothing for a work that is gone, and only its candidate fails", async () => {
		const config = configWith({});
		const ceilings = { ...config.spend.ceilings, task_micro_usd: 100_000_000 };
		const round = await createRound({ config: { ...config, spend: { ...config.spend, ceilings } } });
		const gone = await round.enter({ now: 90, final: 90 });
		const stays = await round.enter({ now: 80, final: 80 });
		const [row] = await queryTask<{ key: string }>(round.taskId, "select artifact_key as key from submissions where id = ?", gone.id);
		await round.world.deps().bucket.delete([row?.key ?? "", `${row?.key}.index`]);
		await round.close();
		await round.workOff();
		const entries = [
			{ submissionId: stays.id, confirmed: true },
			{ submissionId: gone.id, confirmed: false },
		];
		expect(await round.board()).toMatchObject({ provisional: false, entries });
	});

	it("sign until it succeeds, for any time", async () => {
		const round = await createRound();
		await round.enter({ now: 90, final: 70 });
		await round.close();
		const statusOf = async () => (await queryTask<{ status: string }>(round.taskId, "select status from final_rounds"))[0]?.status ?? null;
		for (let hour = 0; hour < 40; hour += 1) {
			await round.world.workOffDue(round.taskId, without("storeReceipts"));
			round.world.clock.advance(HOUR_MS);
		}
		expect(await statusOf()).toBe("signing");
		await round.workOff();
		expect(await round.board()).toMatchObject({ provisional: false, entries: [{ finalScore: 70, confirmed: true }] });
	});

	it("follow each other at once, also if the consumer that has reserved the round dies", async () => {
		const round = await createRound();
		await round.enter({ now: 90, final: 70 });
		await round.close();
		await round.world.visitTask(round.taskId, without("finishJob")).catch(() => {});
		for (let visit = 0; visit < 2; visit += 1) await round.world.visitTask(round.taskId);
		expect(await round.board()).toMatchObject({ provisional: false, entries: [{ finalScore: 70, confirmed: true }] });
	});
});
