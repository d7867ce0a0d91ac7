// A Task object ends the task at its deadline, and deletes unused stored objects, without a request.
import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it, onTestFinished } from "vitest";
import { TASK_PARTS } from "#platform";
import { markerKey } from "../../src/core/competition/tasks/stored-objects.ts";
import { outbox, replies } from "../../src/db/task/schema/task.ts";
import { DAY_MS, HOUR_MS } from "../../src/platform/clock.ts";
import type { TaskStore } from "../../src/ports/task.ts";
import { holdCopies } from "../support/copies.ts";
import { testDeps } from "../support/deps.ts";
import { wakeTask } from "../support/house.ts";
import { manualClock } from "../support/manual-clock.ts";
import { attachmentForm, createDraft, hoursFromNow, openTask, registerAgent } from "../support/scenario.ts";
import { countEvents, listBucket } from "../support/storage.ts";
import { countInTask, inTask, queryTask } from "../support/task-object.ts";
import { createWorld } from "../support/world.ts";

const poster = await registerAgent("Poster");
const at = (id: string) => ({ params: { id } });
const statusOf = async (id: string) => (await poster.call("getTask", at(id))).status;
const later = (ms: number) => testDeps({ clock: manualClock(Date.now() + ms) });
const alarmOf = (id: string) => runInDurableObject(env.TASK.getByName(id), (_, { storage }) => storage.getAlarm());

describe("at its deadline", () => {
	it("a task without running evaluations closes by its alarm, once", async () => {
		const id = await openTask(poster, { deadline: hoursFromNow(25) });
		await runInDurableObject(env.TASK.getByName(id), (object) => {
			object.runtime.deps = { ...object.runtime.deps, clock: manualClock(Date.now() + 25 * HOUR_MS) };
		});
		expect(await runDurableObjectAlarm(env.TASK.getByName(id))).toBe(true);
		expect(await statusOf(id)).toBe("closed");
		await wakeTask(id, later(26 * HOUR_MS));
		await expect.poll(() => countEvents("task.status_changed", id)).toBe(2);
		expect(await countEvents("task.closed", id)).toBe(1);
		expect(await queryTask(id, "select closed_by, settled_at is closed_at as settled from tasks")).toEqual([
			{ closed_by: "deadline", settled: 1 },
		]);
	});

	it("a task sets its alarm to the deadline, or to an earlier duty", async () => {
		const id = await openTask(poster, { deadline: hoursFromNow(240) });
		await wakeTask(id, later(20_000));
		const { created_at } = await poster.call("getTask", at(id));
		expect(await alarmOf(id)).toBe(Date.parse(created_at) + DAY_MS);
		await wakeTask(id, later(25 * HOUR_MS));
		expect(await alarmOf(id)).toBe(Date.parse((await poster.call("getTask", at(id))).deadline));
	});

	it("only the new deadline counts after it was moved, and the earlier alarm changes nothing", async () => {
		const id = await openTask(poster, { deadline: hoursFromNow(25) });
		await holdCopies(id);
		await wakeTask(id, later(24 * HOUR_MS + 60_000));
		const deadline = hoursFromNow(50);
		await poster.call("extendTask", { ...at(id), body: { deadline } });
		await wakeTask(id, later(26 * HOUR_MS));
		expect(await statusOf(id)).toBe("open");
		expect(await alarmOf(id)).toBe(Date.parse(deadline));
		await wakeTask(id, later(50 * HOUR_MS));
		expect(await statusOf(id)).toBe("closed");
	});

	it("an alarm changes nothing on a task that its owner has closed", async () => {
		const id = await openTask(poster, { deadline: hoursFromNow(25) });
		await poster.call("closeTask", at(id));
		await wakeTask(id, later(26 * HOUR_MS));
		expect(await queryTask(id, "select status, closed_by from tasks")).toEqual([{ status: "closed", closed_by: "owner" }]);
	});

	it("a draft stays a draft, and cannot be published any more", async () => {
		const { id } = await createDraft(poster, { deadline: hoursFromNow(25) });
		await wakeTask(id, later(26 * HOUR_MS));
		expect(await statusOf(id)).toBe("draft");
		const world = createWorld();
		world.clock.advance(26 * HOUR_MS);
		await world.enter(poster).refused("publishTask", "DEADLINE_PASSED", at(id));
	});

	it("a deadline works up to the latest possible date", async () => {
		const id = await openTask(poster, { deadline: "9999-12-31T23:59:59.999Z" });
		const days = (count: number) => later(count * DAY_MS);
		await wakeTask(id, days(2));
		const inAYear = await alarmOf(id);
		expect(inAYear).toBeGreaterThan(Date.now() + 366 * DAY_MS);
		expect(inAYear).toBeLessThan(Date.now() + 370 * DAY_MS);
		await wakeTask(id, days(368));
		expect(await alarmOf(id)).toBeGreaterThan(Date.now() + 700 * DAY_MS);
		expect(await statusOf(id)).toBe("open");
	});
});

it("an alarm comes again for a change that was made while it sent others", async () => {
	const id = await openTask(poster);
	await expect.poll(() => queryTask(id, "select id from outbox")).toEqual([]);
	const owe = (task: TaskStore, row: string) =>
		task.db
			.insert(outbox)
			.values({
				id: row,
				taskId: id,
				events: [{ id: crypto.randomUUID(), type: "task.updated", payload: { taskId: id } }],
				isTaskChanged: true,
				submissionIds: [],
				createdAt: Date.now(),
				taskTime: Date.now(),
			})
			.run();
	const { listeners } = TASK_PARTS;
	let hasChanged = false;
	const listen = async (task: TaskStore) => {
		if (task.id === id && !hasChanged) {
			hasChanged = true;
			owe(task, "ffffffff-0000-7000-8000-000000000002");
		}
		return null;
	};
	Object.assign(TASK_PARTS, { listeners: [...listeners, { name: "change", listen }] });
	onTestFinished(() => void Object.assign(TASK_PARTS, { listeners }));
	await wakeTask(id, later(20_000));
	const { created_at } = await poster.call("getTask", at(id));
	expect(await alarmOf(id)).toBe(Date.parse(created_at) + DAY_MS);
	await inTask(id, (task) => void owe(task, "ffffffff-0000-7000-8000-000000000001"));
	expect(hasChanged).toBe(true);
	expect(await alarmOf(id)).toBeLessThan(Date.parse(created_at) + HOUR_MS);
	await wakeTask(id, later(0));
	expect(await queryTask(id, "select id from outbox")).toEqual([]);
});

it("responses to repeated requests are deleted once a minute, so thousands of them do not wake their task one by one", async () => {
	const id = await openTask(poster);
	const rows = Array.from({ length: 50 }, (_, index) => {
		const call = { caller: poster.agentId, path: "/", key: `${index}`, requestHash: "" };
		return { ...call, response: "{}", expiresAt: Date.now() + (index + 1) * 1_000 };
	});
	await inTask(id, (task) => {
		for (const row of rows) task.db.insert(replies).values(row).run();
	});
	let alarms = 0;
	for (; (await countInTask(id, "select count(*) from replies")) > 0; alarms += 1) {
		await wakeTask(id, testDeps({ clock: manualClock((await alarmOf(id)) ?? 0) }));
	}
	expect(alarms).toBeLessThan(5);
});

describe("the collector", () => {
	/** Returns the objects of a task without its marker, which always stays. */
	const listStored = async (taskId: string) => {
		const keys = await listBucket(`tasks/${taskId}/`);
		expect(keys).toContain(markerKey(taskId));
		return keys.filter((key) => key !== markerKey(taskId));
	};
	const orphan = async (taskId: string) => {
		const key = `tasks/${taskId}/attachments/${crypto.randomUUID()}`;
		await env.BUCKET.put(key, "left by a crash");
		return key;
	};

	it("deletes unused objects: a day after creation, two hours after the deadline, a day after the close", async () => {
		const id = await openTask(poster, { deadline: hoursFromNow(100) });
		await holdCopies(id);
		const kept = await poster.call("addAttachment", { ...at(id), rawBody: attachmentForm() });
		const keys = [`tasks/${id}/attachments/${kept.id}`];
		for (const [early, due] of [
			[23, 24],
			[101, 102.1],
			[120, 126.2],
		] as const) {
			const key = await orphan(id);
			await wakeTask(id, later(early * HOUR_MS));
			expect(await listStored(id)).toEqual([...keys, key].toSorted());
			await wakeTask(id, later(due * HOUR_MS + 60_000));
			expect(await listStored(id)).toEqual(keys);
		}
		const key = await orphan(id);
		await wakeTask(id, later(1000 * HOUR_MS));
		expect(await listStored(id)).toContain(key);
	});

	it("tries again after a pause if the bucket fails", async () => {
		const { id } = await createDraft(poster);
		await holdCopies(id);
		await orphan(id);
		const deps = later(25 * HOUR_MS);
		const list = () => Promise.reject(new Error("storage is not well"));
		const bucket = new Proxy(deps.bucket, { get: (target, name) => (name === "list" ? list : Reflect.get(target, name).bind(target)) });
		await wakeTask(id, { ...deps, bucket, log: { info: () => {}, error: () => {} } });
		expect(await alarmOf(id)).toBe(deps.clock.now() + 15_000);
		await wakeTask(id, deps);
		expect(await listStored(id)).toEqual([]);
	});

	it("also runs a day after the owner's close", async () => {
		const id = await openTask(poster, { deadline: hoursFromNow(1000) });
		await holdCopies(id);
		await wakeTask(id, later(25 * HOUR_MS));
		const world = createWorld();
		world.clock.advance(30 * HOUR_MS);
		await world.enter(poster).call("closeTask", at(id));
		const key = await orphan(id);
		await wakeTask(id, later(53 * HOUR_MS));
		expect(await listStored(id)).toEqual([key]);
		await wakeTask(id, later(55 * HOUR_MS));
		expect(await listStored(id)).toEqual([]);
	});
});
