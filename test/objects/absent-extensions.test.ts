// The core can be deployed over a whole platform, and an earlier version over a later one. What only the other one knows rests in the object
// until that one is back: jobs, events, and places of listeners.
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, it, onTestFinished } from "vitest";
import { TASK_PARTS } from "#platform";
import { TaskRuntime } from "../../src/compose/task-runtime.ts";
import { claimJob } from "../../src/core/competition/evaluation/loop.ts";
import { pauseJobs } from "../../src/core/competition/evaluation/pause.ts";
import { findWakeTime, selectDue } from "../../src/core/competition/judgements/jobs.ts";
import { jobs } from "../../src/db/task/schema/judging.ts";
import { outbox, type TaskOutboxEvent } from "../../src/db/task/schema/task.ts";
import type { RecordedEvent } from "../../src/ports/deps.ts";
import type { TaskStore } from "../../src/ports/task.ts";
import { silenceRealTasks } from "../support/held-tasks.ts";
import { openTask, registerAgent, submit, taskInput } from "../support/scenario.ts";
import { inTask, queryTask } from "../support/task-object.ts";
import { HOUR_MS } from "../support/times.ts";
import { createWorld, jobsOf, type World } from "../support/world.ts";

const [poster, agent, other] = [await registerAgent("Poster"), await registerAgent("Builder"), await registerAgent("Other")];

/** Leaves only the kinds of the core. Returns a function that undoes it. */
function removeExtensions(): () => void {
	const all = TASK_PARTS.joints.jobs;
	const ofCore = all.filter(({ kind, isBound }) => ["evaluation", "stop_runs"].includes(kind) && isBound !== true);
	expect([ofCore.length, all.length > 2]).toEqual([2, true]);
	Object.assign(TASK_PARTS.joints, { jobs: ofCore });
	return () => void Object.assign(TASK_PARTS.joints, { jobs: all });
}

const claim = (task: TaskStore) => claimJob.run(task, { token: crypto.randomUUID(), pause: null })?.job.subjectId ?? null;

it.each([
	["a bound evaluation", { isBound: true }],
	["a dry run", { kind: "dry_run" }],
] as const)("without its extension, %s is not claimed, woken or paused, and it stays", async (_, change) => {
	onTestFinished(silenceRealTasks());
	const taskId = await openTask(poster);
	const { id } = await submit(agent, taskId);
	onTestFinished(removeExtensions());
	const ready = { ...change, state: "ready", wakeAt: 1, claimToken: null } as const;
	await inTask(taskId, ({ db }) => db.update(jobs).set(ready).run());
	const seen = await inTask(taskId, (task) => {
		const claimed = claim(task);
		pauseJobs(task, "The judge is switched off.");
		return { claimed, wakeAt: findWakeTime(task), due: selectDue(task).length };
	});
	expect(seen).toEqual({ claimed: null, wakeAt: null, due: 0 });
	expect(await queryTask(taskId, "select state, subject_id from jobs")).toEqual([{ state: "ready", subject_id: id }]);
});

const unknownEvent = () => ({ id: crypto.randomUUID(), type: "task.unheard_of", payload: { taskId: "any" } });
const eventAt = (taskId: string, places: Readonly<Record<string, string>>) => {
	return { id: crypto.randomUUID(), type: "task.opened", payload: { taskId }, places };
};

/** Adds a row to the outbox, as another version has left it. Its cards are not written yet. */
async function leaveOwed(taskId: string, events: readonly TaskOutboxEvent[]): Promise<void> {
	const cards = { isTaskChanged: true, submissionIds: [], memberIds: [], locatedIds: [], acts: [] };
	await inTask(taskId, ({ db, now, newId }) =>
		db
			.insert(outbox)
			.values({ id: newId(), taskId, events, ...cards, createdAt: now, taskTime: now })
			.run(),
	);
}

const alarmOf = (taskId: string) => runInDurableObject(env.TASK.getByName(taskId), (_, { storage }) => storage.getAlarm());

/** Returns what waits in the outbox: each event's type and places, and whether its row owes cards too. */
function listResting(taskId: string) {
	return queryTask(
		taskId,
		"select value->>'type' as type, value->'places' as places, is_task_changed as cards from outbox, json_each(events) order by 1, 2",
	);
}

it("the place of a listener that is absent stays in its row, owes nothing, and is continued once the listener is back", async () => {
	const world = createWorld();
	const taskId = await world.openTask(poster);
	const event = eventAt(taskId, { webhooks: "00000000-0000-7000-8000-000000000000", notices: "page 2" });
	await world.ring(taskId);
	await leaveOwed(taskId, [event]);
	await world.ring(taskId);
	const resting = [{ type: "task.opened", places: JSON.stringify({ notices: "page 2" }), cards: 0 }];
	expect(await listResting(taskId)).toEqual(resting);
	expect(await alarmOf(taskId)).toBeGreaterThan(world.clock.now() + HOUR_MS);
	await inTask(taskId, (task) => task.record({ type: "task.opened", taskId }));
	expect(await listResting(taskId)).toEqual(resting);

	const told: RecordedEvent[] = [];
	const listeners = TASK_PARTS.listeners;
	const listen = async (_task: TaskStore, _deps: object, seen: RecordedEvent): Promise<null> => {
		told.push(seen);
		return null;
	};
	Object.assign(TASK_PARTS, { listeners: [...listeners, { name: "notices", listen }] });
	onTestFinished(() => void Object.assign(TASK_PARTS, { listeners }));
	await runInDurableObject(env.TASK.getByName(taskId), async (object, { storage }) => {
		const { deps } = object.runtime;
		// The new version begins with a restart of the object.
		Object.defineProperty(object, "runtime", { value: new TaskRuntime(storage, deps, TASK_PARTS), configurable: true });
		await object.runtime.wake();
	});
	await poster.call("getTask", { params: { id: taskId } });
	expect(await alarmOf(taskId)).toBeLessThanOrEqual(world.clock.now() + 15_000);
	await world.ring(taskId);
	expect(told).toMatchObject([{ id: event.id, fanOutAfter: "page 2" }]);
	expect(await listResting(taskId)).toEqual([]);
});

/** Lets time pass. Messages reach consumers at once. Returns how often the object woke up, and how many messages it sent. */
async function passTime(world: World, taskId: string, ms: number) {
	const until = world.clock.now() + ms;
	const passed = { alarms: 0, messages: 0 };
	for (;;) {
		for (const _ of world.tasks.sent.splice(0)) {
			passed.messages += 1;
			await world.visitTask(taskId);
		}
		const at = await alarmOf(taskId);
		if (at === null || at > until) break;
		world.clock.advance(Math.max(0, at - world.clock.now()));
		await world.ring(taskId);
		passed.alarms += 1;
	}
	world.clock.advance(until - world.clock.now());
	return passed;
}

it("an unknown job, event and place in one task hold nothing up and wake nothing, and its other jobs end in time", async () => {
	onTestFinished(removeExtensions());
	const world = createWorld();
	const taskId = await world.openTask(poster);
	const resting = await world.submit(other, taskId);
	await inTask(taskId, ({ db }) => db.update(jobs).set({ kind: "dry_run", state: "ready", wakeAt: 1 }).run());
	await leaveOwed(taskId, [unknownEvent(), eventAt(taskId, { notices: "page 2" })]);
	const { id } = await world.submit(agent, taskId);
	const first = await passTime(world, taskId, HOUR_MS);
	expect(await agent.call("getSubmission", { params: { id } })).toMatchObject({ status: "completed", evaluated: true });
	expect(await jobsOf(taskId)).toMatchObject([{ subject_id: resting.id, kind: "dry_run", state: "ready" }]);
	expect(await listResting(taskId)).toEqual([
		{ type: "task.opened", places: JSON.stringify({ notices: "page 2" }), cards: 0 },
		{ type: "task.unheard_of", places: null, cards: 0 },
	]);
	expect(first).toEqual({ alarms: 2, messages: 1 });
	expect(await passTime(world, taskId, HOUR_MS)).toEqual({ alarms: 0, messages: 0 });
	// The end of the task and its deletion are not held up either.
	await world.enter(poster).call("closeTask", { params: { id: taskId } });
	expect((await poster.call("getTask", { params: { id: taskId } })).status).toBe("closed");
	expect((await passTime(world, taskId, HOUR_MS)).alarms).toBeLessThanOrEqual(4);
});

it("a deleted draft takes what rests in it along", async () => {
	const world = createWorld();
	const own = world.enter(poster);
	const { id: taskId } = await own.call("createTask", { body: taskInput() });
	await leaveOwed(taskId, [unknownEvent()]);
	await own.call("deleteTask", { params: { id: taskId } });
	await world.ring(taskId);
	const tables = await runInDurableObject(env.TASK.getByName(taskId), (_, { storage }) =>
		storage.sql.exec("select name from sqlite_master where name = 'outbox'").toArray(),
	);
	expect({ tables, alarm: await alarmOf(taskId) }).toEqual({ tables: [], alarm: null });
});
