// Tests whose evaluation is next inside a task, and how tasks share the queue.
import { env } from "cloudflare:workers";
import { strToU8, zipSync } from "fflate";
import { describe, expect, it } from "vitest";
import { claimJob, finishJob } from "../../src/core/competition/evaluation/loop.ts";
import { enqueueEvaluation } from "../../src/core/competition/judgements/jobs.ts";
import { readTask } from "../../src/core/competition/tasks/store.ts";
import { offlineJudge } from "../../src/core/judging/engine/offline.ts";
import { submissions } from "../../src/db/task/schema/submissions.ts";
import { watchBucket } from "../support/buckets.ts";
import { testDeps } from "../support/deps.ts";
import { createFleet } from "../support/identities.ts";
import { type RegisteredClient, registerAgent } from "../support/scenario.ts";
import { inTask, queryTask } from "../support/task-object.ts";
import { createWorld, heldJudge, jobsOf, QUEUE, type World } from "../support/world.ts";

const poster = await registerAgent("Poster");
const FLOOD = 200;
const OTHERS = 10;
/** This is the configuration's `parallelJobsPerTask`. */
const AT_ONCE = 8;
/** Publishing delays the cases of a judge check by this much. */
const CHECK_DELAY_MS = 2_000;

/** Creates submissions that wait for their evaluation, one for each of the named parties. Returns their ids. */
async function enqueue(taskId: string, parties: readonly string[]): Promise<string[]> {
	return inTask(taskId, (task) =>
		parties.map((party) => {
			const id = task.newId();
			const agent = { agentId: crypto.randomUUID(), agentDisplayName: "Agent" };
			task.db
				.insert(submissions)
				.values({ id, ...agent, status: "running", iteration: 1, createdAt: task.now, updatedAt: task.now })
				.run();
			enqueueEvaluation(task, readTask(task), { submissionId: id, party, iteration: 1, round: "submission" });
			return id;
		}),
	);
}

const parties = (total: number, name: (index: number) => string) => Array.from({ length: total }, (_, index) => name(index));
const FLOODING = parties(FLOOD, () => "flood");
const ONE_OTHER = parties(OTHERS, () => "other");
const MANY_OTHERS = parties(OTHERS, (index) => `other ${index}`);

/** Takes a job and ends it, as a consumer does. Returns its submission, or null if there is none. */
async function takeOne({ deps, clock }: World, taskId: string): Promise<string | null> {
	const { hubs, ids } = deps();
	const token = ids.next();
	const material = await hubs.callTask(taskId, claimJob, { input: { token, pause: null }, now: clock.now() });
	if (material === null) return null;
	const { kind, subjectId } = material.job;
	const input = { claim: { kind, subjectId, token }, startedAt: clock.now(), used: [], findings: {}, result: { kind: "done" } } as const;
	await hubs.callTask(taskId, finishJob, { input, now: clock.now() });
	return subjectId;
}

async function take(world: World, taskId: string, total: number): Promise<string[]> {
	const taken: string[] = [];
	for (let count = 0; count < total; count += 1) {
		const id = await takeOne(world, taskId);
		if (id !== null) taken.push(id);
	}
	return taken;
}

describe(`a flood of ${FLOOD} jobs on one task`, () => {
	it("of one party delays each of 10 jobs of another by one evaluation at most", async () => {
		const world = createWorld();
		const taskId = await world.openTask(poster);
		await enqueue(taskId, FLOODING);
		await take(world, taskId, 5);
		const few = new Set(await enqueue(taskId, ONE_OTHER));
		const order = await take(world, taskId, 2 * OTHERS);
		const places = order.flatMap((id, place) => (few.has(id) ? [place] : []));
		expect(places).toHaveLength(OTHERS);
		for (const [index, place] of places.entries()) expect(place - (places[index - 1] ?? -1)).toBeLessThanOrEqual(2);
	});

	it("of one party delays 10 other parties by one evaluation at most", async () => {
		const world = createWorld();
		const taskId = await world.openTask(poster);
		await enqueue(taskId, FLOODING);
		await take(world, taskId, 5);
		const few = new Set(await enqueue(taskId, MANY_OTHERS));
		const order = await take(world, taskId, OTHERS + 1);
		expect(order.filter((id) => few.has(id))).toHaveLength(OTHERS);
	});

	it("keeps its own order, and loses nothing", async () => {
		const world = createWorld();
		const taskId = await world.openTask(poster);
		const ids = await enqueue(taskId, FLOODING);
		expect(await take(world, taskId, FLOOD + 1)).toEqual(ids);
		expect(await jobsOf(taskId)).toEqual([]);
	});

	it("never gives parallel consumers the same job", async () => {
		const world = createWorld();
		const taskId = await world.openTask(poster);
		const ids = await enqueue(
			taskId,
			parties(40, (index) => `party ${index % 3}`),
		);
		const taken: (string | null)[] = [];
		for (let round = 0; round < 40 / AT_ONCE; round += 1) {
			taken.push(...(await Promise.all(Array.from({ length: AT_ONCE }, () => takeOne(world, taskId)))));
		}
		expect(taken.toSorted()).toEqual(ids.toSorted());
	});
});

describe("the fleet of an operator", () => {
	it("is one party: another agent waits for one of its evaluations, for any number of agents", async () => {
		const world = createWorld();
		const taskId = await world.openTask(poster);
		const fleet = await createFleet();
		const agents: RegisteredClient[] = [];
		for (let count = 0; count < 4; count += 1) agents.push(await fleet.mint());
		for (const agent of agents) await world.submit(agent, taskId);
		const other = await registerAgent();
		const { id } = await world.submit(other, taskId);
		await world.visitTask(taskId);
		await world.visitTask(taskId);
		expect((await world.enter(other).call("listEvaluations", { params: { id } })).data).toHaveLength(1);
		expect(await queryTask(taskId, "select count(distinct party) as parties, count(*) as total from entries")).toEqual([
			{ parties: 2, total: 5 },
		]);
	});
});

describe("work that an agent waits for", () => {
	it("comes before the cases of the task's judge check, which were queued earlier", async () => {
		const world = createWorld({ config: { ...testDeps().config, judgeCheck: true } });
		const taskId = await world.openTask(poster);
		const cases = (await jobsOf(taskId)).map(({ subject_id }) => subject_id);
		expect(cases).toHaveLength(4);
		world.clock.advance(CHECK_DELAY_MS);
		const waited = await enqueue(taskId, ["one", "two"]);
		expect(await take(world, taskId, 6)).toEqual([...waited, ...cases]);
	});

	it.each([
		["2,000 files", 2_000],
		["5,000 entries of a zip", 5_000],
	])("does not wait until %s of another task are read", async (_, entries) => {
		const world = createWorld();
		const [large, small] = [await world.openTask(poster), await world.openTask(poster)];
		const [first, second] = [await world.submit(await registerAgent(), large), await world.submit(await registerAgent(), small)];
		const [{ artifact_key: key } = { artifact_key: "" }] = await queryTask<{ artifact_key: string }>(
			large,
			"select artifact_key from submissions",
		);
		const files = Array.from({ length: entries - 1 }, (_unused, index) => [
			`src/part-${index}.ts`,
			strToU8(`export const part = ${index};`),
		]);
		await env.BUCKET.put(key, zipSync({ "SUBMISSION.md": strToU8("# What I Built\nParts.\n"), ...Object.fromEntries(files) }));
		await env.BUCKET.delete(`${key}.index`);
		let readsOfLarge = 0;
		const { bucket } = watchBucket({
			before(call, asked) {
				if (call === "get" && asked.startsWith(key)) readsOfLarge += 1;
			},
		});
		const ended: string[] = [];
		const consume = async (taskId: string) => {
			await world.deliver(QUEUE, [{ taskId }], { bucket });
			ended.push(taskId);
		};
		await Promise.all([consume(large), consume(small)]);
		expect(ended).toEqual([small, large]);
		// The judge reads pieces of the zip, not each file.
		expect(readsOfLarge).toBeLessThan(entries / 2);
		expect(await jobsOf(large)).toEqual([]);
		expect([first.taskId, second.taskId]).toEqual([large, small]);
	});
});

describe("a job that was begun", () => {
	it("continues before jobs that have not begun", async () => {
		const world = createWorld();
		const taskId = await world.openTask(poster);
		const [first, second] = [await registerAgent(), await registerAgent()];
		const early = await world.submit(first, taskId);
		await world.visitTask(taskId, { judge: { ...offlineJudge, evaluate: () => Promise.reject(new Error("Broken.")) } });
		const late = await world.submit(second, taskId);
		world.clock.advance(5000);
		await world.ring(taskId);
		await world.visitTask(taskId);
		expect((await jobsOf(taskId)).map(({ subject_id }) => subject_id)).toEqual([late.id]);
		expect((await world.enter(first).call("listEvaluations", { params: { id: early.id } })).data).toHaveLength(1);
	});
});

describe("the messages of a task", () => {
	it(`are at most ${AT_ONCE}, together with the running jobs, so that others come in between`, async () => {
		const world = createWorld();
		const [busy, quiet] = [await world.openTask(poster), await world.openTask(poster)];
		const sentFor = (taskId: string) => world.tasks.sent.filter(({ message }) => message.taskId === taskId).length;
		await enqueue(
			busy,
			parties(FLOOD, () => "flood"),
		);
		await world.ring(busy);
		expect(sentFor(busy)).toBe(AT_ONCE);
		const agent = await registerAgent();
		const { id } = await world.submit(agent, quiet);
		expect(sentFor(quiet)).toBe(1);
		// The queue delivers in the order of sending.
		let delivered = 0;
		const hasEnded = async () => (await jobsOf(quiet)).length === 0;
		while (!(await hasEnded()) && delivered <= FLOOD) {
			const [next] = world.tasks.sent.splice(0, 1);
			await world.deliver(QUEUE, [next?.message]);
			delivered += 1;
			expect(sentFor(busy)).toBeLessThanOrEqual(AT_ONCE);
		}
		expect(delivered).toBe(AT_ONCE + 1);
		expect((await world.enter(agent).call("listEvaluations", { params: { id } })).data).toHaveLength(1);
	});

	it("are in a separate queue for judge checks, so that none of them delays a submission", async () => {
		const world = createWorld({ config: { ...testDeps().config, judgeCheck: true } });
		const quiet = await world.openTask(poster);
		for (let published = 0; published < 10; published += 1) {
			const taskId = await world.openTask(poster);
			world.clock.advance(CHECK_DELAY_MS);
			await world.ring(taskId);
		}
		const agent = await registerAgent();
		const { id } = await world.submit(agent, quiet);
		expect(world.checks.sent.filter(({ message }) => message.taskId !== quiet)).toHaveLength(40);
		expect(world.tasks.sent.map(({ message }) => message)).toMatchObject([{ taskId: quiet }]);
		await world.deliver(QUEUE, [{ taskId: quiet }]);
		expect((await world.enter(agent).call("listEvaluations", { params: { id } })).data).toHaveLength(1);
	});

	it("do not let more jobs run in parallel than that, for any number of messages", async () => {
		const world = createWorld();
		const taskId = await world.openTask(poster);
		const agents = await Promise.all(Array.from({ length: AT_ONCE + 4 }, () => registerAgent()));
		for (const agent of agents) await world.submit(agent, taskId);
		const held = heldJudge();
		const working = world.deliver(
			QUEUE,
			agents.map(() => ({ taskId })),
			{ judge: held.judge },
		);
		await held.started;
		const claimed = async () => (await jobsOf(taskId)).filter(({ state }) => state === "claimed").length;
		await expect.poll(claimed).toBe(AT_ONCE);
		world.tasks.sent.length = 0;
		await world.ring(taskId);
		await world.visitTask(taskId);
		expect(await claimed()).toBe(AT_ONCE);
		expect(world.tasks.sent).toEqual([]);
		held.release();
		await working;
		expect(await jobsOf(taskId)).toHaveLength(4);
		expect(world.tasks.sent).toHaveLength(4);
		await world.workOffDue(taskId);
		expect(await jobsOf(taskId)).toEqual([]);
	});
});
