// All waits of an evaluation last 24 hours together. Many consumers and the alarm may look at the very end at once, and it ends once.
import { describe, expect, it } from "vitest";
import { offlineJudge } from "../../src/core/judging/engine/offline.ts";
import { EvaluationFault } from "../../src/domain/evaluation-fault.ts";
import type { Judge } from "../../src/ports/judge.ts";
import { registerAgent } from "../support/scenario.ts";
import { countEvents } from "../support/storage.ts";
import { queryTask } from "../support/task-object.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../support/times.ts";
import { createWorld, failingJudge, findJob, readJob } from "../support/world.ts";

const at = (id: string) => ({ params: { id } });
const AWAY = new EvaluationFault("The supplier cannot be reached.", { blame: "platform", isRetryable: true, waitsFor: "supplier" });
const away = { judge: failingJudge(AWAY) };
const CONSUMERS = 8;
const OUT_OF_TIME = "did not end within its time limit";
/** It is longer than a claim, and shorter than the time limit of the work. */
const ATTEMPT_MS = 10 * MINUTE_MS;

/** Returns two submissions that begin to wait now. A third one of the same agent was judged. */
async function begin() {
	const world = createWorld({ judge: offlineJudge });
	const [poster, agent] = [await registerAgent("Poster"), await registerAgent("Builder")];
	const taskId = await world.openTask(poster);
	const judged = await world.submit(agent, taskId);
	await world.workOffDue(taskId);
	const first = await world.submit(agent, taskId);
	const second = await world.submit(agent, taskId);
	await world.workOffDue(taskId, away);
	const read = (id: string) => world.enter(agent).call("getSubmission", at(id));
	expect(await read(judged.id)).toMatchObject({ status: "completed" });
	const until = Date.parse((await read(first.id)).waiting_for?.until ?? "");
	expect(until - world.clock.now()).toBe(DAY_MS);
	/** Lets the waits go on until this long before their end, with attempts in between. */
	const waitUntil = async (beforeEndMs: number) => {
		while (world.clock.now() + HOUR_MS < until - beforeEndMs) {
			world.clock.advance(HOUR_MS);
			await world.workOffDue(taskId, away);
		}
		world.clock.advance(until - beforeEndMs - world.clock.now());
	};
	/** Lets several consumers and the alarm look at once. */
	const lookAtOnce = () =>
		Promise.all([...Array.from({ length: CONSUMERS }, () => world.visitTask(taskId, away)), world.ring(taskId), world.ring(taskId)]);
	return { world, poster, agent, taskId, judged, first, second, until, read, waitUntil, lookAtOnce };
}

type Begun = Awaited<ReturnType<typeof begin>>;

/** Expects that both evaluations have ended without a score, each once, and that one of three slots is used. */
async function expectEndedOnce({ taskId, first, second, read }: Begun, reason = "has waited 24 hours in total"): Promise<void> {
	for (const { id } of [first, second]) {
		expect(await findJob({ id, taskId })).toBeNull();
		const ended = await read(id);
		expect(ended).toMatchObject({ status: "evaluation_failed", scores: null, waiting_for: null, quota: { used: 1 } });
		expect(ended.error_message).toContain(reason);
		expect(ended.error_message?.match(/slot was given back/g)).toHaveLength(1);
	}
	await expect.poll(() => countEvents("submission.failed", taskId)).toBe(2);
	// The submission with a score has one too.
	expect(await countEvents("submission.completed", taskId)).toBe(3);
	expect(await countEvents("evaluation.completed", taskId)).toBe(1);
}

describe("the end of 24 hours of waits", () => {
	it("comes once, when many consumers look at the very end at once", async () => {
		const begun = await begin();
		await begun.waitUntil(0);
		await begun.lookAtOnce();
		await begun.lookAtOnce();
		await expectEndedOnce(begun);
	});

	it("does not come a millisecond before", async () => {
		const begun = await begin();
		await begun.waitUntil(1);
		await begun.lookAtOnce();
		expect((await begun.read(begun.first.id)).waiting_for).toMatchObject({ until: new Date(begun.until).toISOString() });
		expect(await countEvents("submission.failed", begun.taskId)).toBe(0);
		begun.world.clock.advance(1);
		await begun.lookAtOnce();
		await expectEndedOnce(begun);
	});

	it("comes once, when attempts that began before it say after it that they must wait", async () => {
		const begun = await begin();
		const { world, taskId, waitUntil, lookAtOnce } = begun;
		await waitUntil(ATTEMPT_MS);
		await world.ring(taskId);
		const held = holdAttempts(() => Promise.reject(AWAY));
		const visits = Promise.all([1, 2].map(() => world.visitTask(taskId, { judge: held.judge })));
		await held.areBoth;
		world.clock.advance(ATTEMPT_MS);
		// Others look at the jobs while the attempts are under way.
		await lookAtOnce();
		held.release();
		await visits;
		await lookAtOnce();
		await expectEndedOnce(begun);
	});

	it("leaves a score that comes after it without effect", async () => {
		const begun = await begin();
		const { world, taskId, waitUntil, lookAtOnce, read, first } = begun;
		await waitUntil(ATTEMPT_MS);
		await world.ring(taskId);
		const held = holdAttempts((request, attempt) => offlineJudge.evaluate(request, attempt));
		const visits = Promise.all([1, 2].map(() => world.visitTask(taskId, { judge: held.judge })));
		await held.areBoth;
		// The attempts take so long that the time of their work is over too.
		world.clock.advance(HOUR_MS);
		await lookAtOnce();
		await expectEndedOnce(begun, OUT_OF_TIME);
		held.release();
		await visits;
		await expectEndedOnce(begun, OUT_OF_TIME);
		expect((await read(first.id)).status).toBe("evaluation_failed");
	});

	it("does not come while an attempt is under way whose score counts", async () => {
		const begun = await begin();
		const { world, taskId, waitUntil, first, second, read, until } = begun;
		await waitUntil(10_000);
		await world.ring(taskId);
		const held = holdAttempts((request, attempt) => offlineJudge.evaluate(request, attempt));
		const visits = Promise.all([1, 2].map(() => world.visitTask(taskId, { judge: held.judge })));
		await held.areBoth;
		world.clock.advance(20_000);
		expect(world.clock.now()).toBeGreaterThan(until);
		await Promise.all([world.ring(taskId), world.ring(taskId)]);
		for (const { id } of [first, second]) expect((await readJob({ id, taskId })).state).toBe("claimed");
		held.release();
		await visits;
		for (const { id } of [first, second]) expect(await read(id)).toMatchObject({ status: "completed", quota: { used: 3 } });
		expect(await countEvents("submission.failed", taskId)).toBe(0);
	});
});

describe("many evaluations that are out of time at once", () => {
	it("end in several small changes, one for each alarm", async () => {
		const AT_ONCE = 200;
		const world = createWorld();
		const taskId = await world.openTask(await registerAgent("Poster"));
		const { id } = await world.submit(await registerAgent("Builder"), taskId);
		await copyRunning(taskId, { id, copies: 2 * AT_ONCE });
		world.clock.advance(2 * DAY_MS);
		const left = () => queryTask<{ left: number }>(taskId, "select count(*) as left from jobs");
		for (const expected of [AT_ONCE + 1, 1, 0]) {
			await world.ring(taskId);
			expect(await left()).toEqual([{ left: expected }]);
		}
		expect(await queryTask(taskId, "select distinct status from submissions")).toEqual([{ status: "evaluation_failed" }]);
	});
});

/** Writes copies of a submission and its job, because thousands of real submissions would take minutes. */
async function copyRunning(taskId: string, { id, copies }: { readonly id: string; readonly copies: number }): Promise<void> {
	const [submission] = await queryTask(taskId, "select * from submissions where id = ?", id);
	const [job] = await queryTask(taskId, "select * from jobs where subject_id = ?", id);
	const insert = (table: string, row: Readonly<Record<string, SqlStorageValue>>) => {
		const columns = Object.keys(row);
		return queryTask(taskId, `insert into ${table} (${columns}) values (${columns.map(() => "?")})`, ...Object.values(row));
	};
	for (let copy = 0; copy < copies; copy += 1) {
		const copyId = crypto.randomUUID();
		await insert("submissions", { ...submission, id: copyId });
		await insert("jobs", { ...job, id: crypto.randomUUID(), subject_id: copyId });
	}
}

/** Returns a judge whose two attempts stay under way until the test releases them. */
function holdAttempts(evaluate: Judge["evaluate"]) {
	const release = Promise.withResolvers<void>();
	const both = Promise.withResolvers<void>();
	let begun = 0;
	const judge: Judge = {
		...offlineJudge,
		async evaluate(request, attempt) {
			begun += 1;
			if (begun === 2) both.resolve();
			await release.promise;
			return evaluate(request, attempt);
		},
	};
	return { judge, areBoth: both.promise, release: () => release.resolve() };
}
