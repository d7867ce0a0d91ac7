// Evaluations wait while an operator has switched judging off.
import { describe, expect, it } from "vitest";
import { createSwitchboard, toSwitches } from "../../src/core/identity/switches/service.ts";
import { offlineJudge } from "../../src/core/judging/engine/offline.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../src/platform/clock.ts";
import type { Deps } from "../../src/ports/deps.ts";
import type { Judge } from "../../src/ports/judge.ts";
import { runSweep } from "../../src/queues/sweeps.ts";
import { admin } from "../support/admin.ts";
import { createContainerTask } from "../support/container-judging.ts";
import { testDeps } from "../support/deps.ts";
import { done, RUNNING } from "../support/grader-script.ts";
import { GOOD_FILES, registerAgent } from "../support/scenario.ts";
import { queryAll } from "../support/storage.ts";
import { queryTask } from "../support/task-object.ts";
import { createWorld, failingJudge, heldJudge, PLATFORM_FAULT, readJob } from "../support/world.ts";

const off = toSwitches([{ name: "judging", isOn: false, message: "The model is away." }]);
/** A consumer with these dependencies sees that judging is switched off. */
const PAUSED = { switchboard: { ...createSwitchboard(), read: async () => off } };
const PAUSE = { reason: "paused", message: "Judging is paused: The model is away.", since: expect.any(String), until: null };

const poster = await registerAgent("Poster");

const setJudging = (on: boolean) =>
	admin.call("setSwitches", { body: { judging: { on, message: "The model is away." }, reason: "A test." } });

async function begin(submissions: number, common: Partial<Deps> = {}) {
	const world = createWorld(common);
	const taskId = await world.openTask(poster);
	const agents = await Promise.all(Array.from({ length: submissions }, () => registerAgent()));
	const ids: string[] = [];
	for (const agent of agents) ids.push((await world.submit(agent, taskId)).id);
	const readAll = () =>
		Promise.all(ids.map((id, index) => world.enter(agents[index] ?? { key: null }).call("getSubmission", { params: { id } })));
	return { world, taskId, agents, ids, readAll };
}

function countedJudge() {
	let asked = 0;
	const judge: Judge = {
		...offlineJudge,
		evaluate(request, attempt) {
			asked += 1;
			return offlineJudge.evaluate(request, attempt);
		},
	};
	return { judge, asked: () => asked };
}

describe("while judging is switched off", () => {
	it("submissions wait with the reason for as long as it lasts, and all are judged once afterwards", async () => {
		const { world, taskId, ids, readAll } = await begin(10);
		for (const until = world.clock.now() + 3 * DAY_MS; world.clock.now() < until; ) {
			await world.ring(taskId);
			await world.visitTask(taskId, PAUSED);
			for (const submission of await readAll()) {
				expect(submission).toMatchObject({ status: "running", scores: null, waiting_for: PAUSE, quota: { used: 1 } });
			}
			world.clock.advance(DAY_MS);
		}
		await world.visitTask(taskId);
		await world.workOffDue(taskId);
		for (const submission of await readAll()) {
			expect(submission).toMatchObject({ status: "completed", quota: { used: 1 } });
			expect(submission.waiting_for).toBeNull();
		}
		expect(await queryTask(taskId, "select count(*) as evaluations from evaluations")).toEqual([{ evaluations: ids.length }]);
	});

	it("no consumer asks if it is on again, and the next minute's sweep wakes every task", async () => {
		const { world, taskId, readAll } = await begin(10);
		const sent = () => world.tasks.sent.splice(0);
		const work = async () => {
			const next = async () => {
				await world.ring(taskId);
				return sent();
			};
			for (let messages = await next(); messages.length > 0; messages = await next()) {
				for (const { message } of messages) if (message.taskId === taskId) await world.visitTask(taskId);
			}
		};
		const isPaused = async () => (await queryAll("select id from task_cards where judging_paused = 1 and id = ?", taskId)).length === 1;
		await setJudging(false);
		for (let visits = sent().length; visits > 0; visits = sent().length) await world.visitTask(taskId, PAUSED);
		await expect.poll(isPaused).toBe(true);
		for (let hour = 0; hour < 3; hour += 1) {
			world.clock.advance(60 * MINUTE_MS);
			await world.ring(taskId);
			await runSweep(world.deps(), "settle");
			expect(sent()).toEqual([]);
		}
		await setJudging(true);
		await runSweep(world.deps(), "settle");
		expect(sent().map(({ message }) => message)).toContainEqual({ taskId });
		// The message is lost, so the next minute sends another one.
		await runSweep(world.deps(), "settle");
		await work();
		expect((await readAll()).map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => "completed"));
		await expect.poll(isPaused).toBe(false);
		await runSweep(world.deps(), "settle");
		expect(sent().filter(({ message }) => message.taskId === taskId)).toEqual([]);
	});

	it("a consumer that remembers it as off asks D1 before it lets a task sleep", async () => {
		const { world, taskId, readAll } = await begin(1);
		await setJudging(true);
		const switchboard = createSwitchboard();
		switchboard.note({ switches: off, revision: 0, readAt: world.clock.now() });
		await world.visitTask(taskId, { switchboard });
		expect(await readAll()).toMatchObject([{ status: "completed" }]);
	});

	it("a consumer asks a running image for its result, and starts no new one", async () => {
		const begun = await createContainerTask({ find: [RUNNING, done()] });
		begun.world.clock.advance((await begun.look()) ?? 0);
		const later = await begun.submitAnother();
		for (let looks = 0; looks < 2; looks += 1) begun.world.clock.advance((await begun.look(PAUSED)) ?? 0);
		expect(await begun.read()).toMatchObject({ status: "completed" });
		await begun.world.look({ id: later.id, taskId: begun.taskId }, PAUSED);
		expect(await later.read()).toMatchObject({ status: "running", waiting_for: PAUSE });
		expect(await begun.runs()).toHaveLength(1);
	});

	it("a work that its image has graded waits for its judge, and the image runs once", async () => {
		const begun = await createContainerTask({ find: [done()] }, { task: { eval_mode: "hybrid", test_weight: 70, llm_weight: 30 } });
		for (let looks = 0; looks < 2; looks += 1) begun.world.clock.advance((await begun.look()) ?? 0);
		const { judge, asked } = countedJudge();
		for (let looks = 0; looks < 2; looks += 1) {
			await begun.look({ ...PAUSED, judge });
			expect(await begun.read()).toMatchObject({ status: "running", waiting_for: PAUSE });
			begun.world.clock.advance(HOUR_MS);
		}
		expect(asked()).toBe(0);
		await begun.workOff({ judge });
		expect(asked()).toBe(1);
		expect(await begun.read()).toMatchObject({ status: "completed" });
		expect(await begun.submitted()).toHaveLength(1);
	});

	it("a job keeps its time for work, also after an hour in the queue before the pause", async () => {
		const { world, taskId, ids } = await begin(1);
		const [id = ""] = ids;
		const timeOf = async () => (await readJob({ id, taskId })).give_up_at - world.clock.now();
		const limitMs = await timeOf();
		world.clock.advance(HOUR_MS);
		await world.visitTask(taskId, PAUSED);
		world.clock.advance(DAY_MS);
		const held = heldJudge();
		const working = world.visitTask(taskId, { judge: held.judge });
		await held.started;
		expect(await timeOf()).toBe(limitMs);
		held.release();
		await working;
	});

	it("the time of the pause does not count as a long queue, so the task takes submissions as soon as judging is on again", async () => {
		const { world, taskId } = await begin(2, { config: { ...testDeps().config, maxQueueAgeMs: 15 * MINUTE_MS } });
		const agent = world.enter(await registerAgent());
		await world.visitTask(taskId, PAUSED);
		world.clock.advance(HOUR_MS);
		const held = heldJudge();
		const working = world.visitTask(taskId, { judge: held.judge });
		await held.started;
		expect(await agent.call("quickSubmit", { params: { id: taskId }, body: { files: GOOD_FILES } })).toMatchObject({ status: "running" });
		held.release();
		await working;
	});

	it("a job that waits for a supplier keeps its attempts and its 24 hours, and the pause does not count", async () => {
		const { world, taskId, ids, readAll } = await begin(1);
		const [id = ""] = ids;
		const judge = failingJudge(PLATFORM_FAULT);
		await world.visitTask(taskId, { judge });
		const [{ waiting_for: before } = { waiting_for: null }] = await readAll();
		expect(before).toMatchObject({ reason: "supplier", message: "The judge cannot be reached." });
		world.clock.advance(5000);
		expect(await world.look({ id, taskId }, PAUSED)).toBe(0);
		expect(await readAll()).toMatchObject([{ status: "running", waiting_for: PAUSE }]);
		world.clock.advance(3 * DAY_MS);
		await world.visitTask(taskId, { judge });
		const [{ waiting_for: after } = { waiting_for: null }] = await readAll();
		expect(Date.parse(after?.until ?? "") - Date.parse(before?.until ?? "")).toBe(3 * DAY_MS);
		expect(await world.waitOut({ id, taskId }, { judge })).toContain("supplier");
		expect(world.clock.now() - Date.parse(after?.until ?? "")).toBeLessThan(6 * HOUR_MS);
		expect(await readAll()).toMatchObject([{ status: "evaluation_failed", quota: { used: 0 }, waiting_for: null }]);
		expect((await readAll())[0]?.error_message).not.toContain("time limit");
	});
});
