// A task's object copies itself into the bucket, and a lost one is restored from the copy.
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { copyPrefix } from "../../../../src/core/competition/tasks/stored-objects.ts";
import { listTables } from "../../../../src/db/object-tables.ts";
import { copyFolder, pageKey } from "../../../../src/extensions/copies/manifest.ts";
import { describeTable, PAGE_BYTES } from "../../../../src/extensions/copies/pages.ts";
import { LEFT_OUT } from "../../../../src/extensions/copies/task-copies.ts";
import { eraseTraces } from "../../../../src/extensions/operating/tasks/erase-agent.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../../../src/platform/clock.ts";
import { admin } from "../../../support/admin.ts";
import { type BucketCall, watchBucket } from "../../../support/buckets.ts";
import { copyKeys, destroyTask, loseTask, newestCopy } from "../../../support/copies.ts";
import { testDeps } from "../../../support/deps.ts";
import { wakeTask } from "../../../support/house.ts";
import { manualClock } from "../../../support/manual-clock.ts";
import { awaitEvaluation, createDraft, hoursFromNow, openTask, registerAgent, submit } from "../../../support/scenario.ts";
import { queryTask, snapshotTask } from "../../../support/task-object.ts";

const [poster, agent] = [await registerAgent("Poster"), await registerAgent("Builder")];
const at = (id: string) => ({ params: { id } });
const reason = "A test.";
const later = (ms: number) => testDeps({ clock: manualClock(Date.now() + ms) });
const wakeLater = (id: string, ms: number, bucket = env.BUCKET) => wakeTask(id, { ...later(ms), bucket });
const alarmOf = (id: string) => runInDurableObject(env.TASK.getByName(id), (_, { storage }) => storage.getAlarm());
const bookOf = async (id: string) => (await queryTask(id, "select * from copies"))[0];

async function judgedTask() {
	const taskId = await openTask(poster, { deadline: hoursFromNow(240) });
	const { id } = await submit(agent, taskId);
	await awaitEvaluation(agent, id);
	await expect.poll(() => queryTask(taskId, "select id from outbox")).toEqual([]);
	return { taskId, submissionId: id };
}

/** Restores a task as the command does. Returns the last response. */
async function restoreCopy(id: string) {
	let step = await admin.call("restoreTaskCopy", { ...at(id), body: { reason } });
	while (step.last !== null) step = await admin.call("restoreTaskCopy", { ...at(id), body: { reason, after: step.last } });
	return step;
}

/** Makes a task whose reports fill several pages. */
async function largeTask(megabytes: number) {
	const { taskId } = await judgedTask();
	const { storage } = await runInDurableObject(env.TASK.getByName(taskId), (_, { storage }) => {
		for (let place = 0; place < megabytes; place += 1) addReport(storage, `m${String(place).padStart(4, "0")}`, 1_000_000);
		return { storage };
	});
	return { taskId, storage };
}

function addReport(storage: DurableObjectStorage, id: string, bytes: number): void {
	const text = [...crypto.getRandomValues(new Uint8Array(500))].map((byte) => byte.toString(36)).join(" ");
	storage.sql.exec("insert into reports (subject_id, part, text) values (?, 0, ?)", id, text.repeat(Math.ceil(bytes / text.length)));
}

/** Wakes the object until its copy is done, a step at a time. */
async function wakeUntilCopied(id: string, ms: number, bucket = env.BUCKET): Promise<number> {
	for (let steps = 1; steps < 20; steps += 1) {
		await wakeLater(id, ms, bucket);
		if ((await bookOf(id))?.["under_way"] === null) return steps;
	}
	throw new Error("The copy does not end.");
}

/** Expects that the bucket contains the newest copy of a task and nothing else of its copies. */
async function expectWholeCopy(taskId: string): Promise<void> {
	const manifest = await newestCopy(taskId);
	const folder = copyFolder(copyPrefix(taskId), manifest?.revision ?? "");
	const expected = [...(manifest?.pages ?? []).map((page) => pageKey(folder, page)), `${folder}manifest.json`];
	expect((await copyKeys(taskId)).toSorted()).toEqual(expected.toSorted());
}

/** Reads every row of a task that a copy keeps. What a restore changes on purpose is not in it. */
async function stateOf(taskId: string) {
	const { copies: _, copied_later: __, relays: ___, jobs: ____, ...tables } = await snapshotTask(taskId);
	const text = JSON.stringify(tables, (name, value) => (/revision$|^indexed_state$|^index_|^collected_at$/.test(name) ? undefined : value));
	return JSON.parse(text);
}

describe("a copy", () => {
	it("has every table of the object, but for those that are named with a reason", async () => {
		const { taskId } = await judgedTask();
		await wakeLater(taskId, DAY_MS + HOUR_MS);
		const manifest = await newestCopy(taskId);
		const { tables, types } = await runInDurableObject(env.TASK.getByName(taskId), (_, { storage: { sql } }) => {
			const names = listTables(sql).map((name) => describeTable(sql, name).name);
			const columns = names.flatMap((name) => [...sql.exec<{ type: string }>(`pragma table_info("${name}")`)]);
			return { tables: names, types: columns.map(({ type }) => type.toLowerCase()) };
		});
		const copied = (manifest?.tables ?? []).map(({ name }) => name);
		expect([...copied, ...Object.keys(LEFT_OUT)].toSorted()).toEqual(tables.toSorted());
		expect(tables.length).toBeGreaterThan(25);
		expect([...new Set(types)].toSorted()).toEqual(["integer", "real", "text"]);
	});

	it("comes a day after the first change, and a day after the last copy if something has changed since", async () => {
		const { taskId } = await judgedTask();
		await wakeLater(taskId, DAY_MS - HOUR_MS);
		expect(await copyKeys(taskId)).toEqual([]);
		await wakeLater(taskId, DAY_MS + HOUR_MS);
		const first = await newestCopy(taskId);
		expect(first?.revision).toBeDefined();
		await wakeLater(taskId, 3 * DAY_MS);
		expect((await newestCopy(taskId))?.revision).toBe(first?.revision);
		expect(await alarmOf(taskId)).toBeGreaterThan(Date.now() + 9 * DAY_MS);
		await poster.call("extendTask", { ...at(taskId), body: { deadline: hoursFromNow(300) } });
		await wakeLater(taskId, 4 * DAY_MS);
		const second = await newestCopy(taskId);
		expect(second?.revision).not.toBe(first?.revision);
		const keys = await copyKeys(taskId);
		expect(keys.filter((key) => !key.startsWith(copyFolder(copyPrefix(taskId), second?.revision ?? "")))).toEqual([]);
	});

	it("comes a minute after the end", async () => {
		const { taskId } = await judgedTask();
		await poster.call("closeTask", at(taskId));
		const alarm = await alarmOf(taskId);
		expect(alarm).toBeLessThanOrEqual(Date.now() + MINUTE_MS);
		await wakeLater(taskId, 2 * MINUTE_MS);
		expect(await newestCopy(taskId)).not.toBeNull();
	});

	it("that would say the same as the one before is not stored", async () => {
		const { taskId } = await judgedTask();
		await wakeLater(taskId, DAY_MS + HOUR_MS);
		const first = await newestCopy(taskId);
		await queryTask(taskId, "update copies set changed_at = 1");
		const { bucket, use } = watchBucket();
		await wakeLater(taskId, 3 * DAY_MS, bucket);
		expect(use.puts).toBe(0);
		expect(await bookOf(taskId)).toMatchObject({ revision: first?.revision, changed_at: null, under_way: null, must_clean: 0 });
	});

	it("of a small task takes a put for each table with rows, one for the manifest, and a list", async () => {
		const { taskId } = await judgedTask();
		await wakeLater(taskId, DAY_MS - HOUR_MS);
		const { bucket, use } = watchBucket();
		await wakeLater(taskId, DAY_MS + HOUR_MS, bucket);
		const filled = (await newestCopy(taskId))?.tables.filter(({ rows }) => rows > 0).length ?? 0;
		expect(use).toMatchObject({ puts: filled + 1, gets: 0 });
		// The collector of the task's objects has listed, too.
		expect(use.lists).toBeLessThanOrEqual(2);
		expect(filled).toBeLessThan(20);
	});

	it("of a draft leaves with the draft", async () => {
		const { id } = await createDraft(poster);
		await wakeLater(id, DAY_MS + HOUR_MS);
		expect(await copyKeys(id)).not.toEqual([]);
		await poster.call("deleteTask", at(id));
		await expect.poll(() => copyKeys(id)).toEqual([]);
	});

	it("of a draft that is deleted in the meantime leaves nothing", async () => {
		const { id } = await createDraft(poster);
		let deleted: Promise<unknown> | null = null;
		const { bucket } = watchBucket({
			before: async (call: BucketCall, key: string) => {
				if (call !== "put" || !key.startsWith(copyPrefix(id))) return;
				deleted ??= poster.call("deleteTask", at(id));
				await scheduler.wait(300);
			},
		});
		await wakeLater(id, DAY_MS + HOUR_MS, bucket);
		await deleted;
		await expect.poll(() => copyKeys(id)).toEqual([]);
	});

	it("stays when the collector deletes objects", async () => {
		const { taskId } = await judgedTask();
		await wakeLater(taskId, DAY_MS + HOUR_MS);
		const keys = await copyKeys(taskId);
		await poster.call("closeTask", at(taskId));
		await queryTask(taskId, "update copies set next_try_at = 9000000000000000");
		await wakeLater(taskId, 4 * DAY_MS);
		expect(await copyKeys(taskId)).toEqual(keys);
	});
});

describe("a copy in several turns", () => {
	it("has what is added in the meantime, on either side of the mark, once", async () => {
		const { taskId, storage } = await largeTask(11);
		let added = 0;
		const { bucket } = watchBucket({
			before: (call, key) => {
				if (call !== "put" || !/\/reports-\d$/.test(key) || added >= 2) return;
				added += 1;
				addReport(storage, `a${added}`, 10);
				addReport(storage, `z${added}`, 10);
				addReport(storage, `m0000-${added}`, 10);
			},
		});
		await wakeUntilCopied(taskId, DAY_MS + HOUR_MS, bucket);
		expect(added).toBe(2);
		const rows = await queryTask<{ subject_id: string }>(taskId, "select subject_id from reports");
		const manifest = await newestCopy(taskId);
		expect(manifest?.tables.find(({ name }) => name === "reports")).toEqual({ name: "reports", rows: rows.length });
		expect(manifest?.pages.filter(({ table }) => table === "reports").length).toBeGreaterThan(2);
		expect(manifest?.marks["reports"]).toBeDefined();
		expect(await queryTask(taskId, "select name from sqlite_master where type = 'trigger' and name like 'copied%'")).toEqual([]);
		const before = await stateOf(taskId);
		await destroyTask(taskId);
		await restoreCopy(taskId);
		expect(await stateOf(taskId)).toEqual(before);
	});

	it("leaves time to the other duties, and holds at most a page of what only grows", async () => {
		const { taskId } = await largeTask(45);
		let largest = 0;
		const real = env.BUCKET;
		const watched = watchBucket().bucket;
		const bucket = Object.assign(watched, {
			put: (key: string, value: ArrayBuffer | ArrayBufferView | string) => {
				if (typeof value !== "string") largest = Math.max(largest, value.byteLength);
				return real.put(key, value);
			},
		});
		expect(await wakeUntilCopied(taskId, DAY_MS + HOUR_MS, bucket)).toBe(2);
		expect(largest).toBeLessThan(PAGE_BYTES);
	});

	it("begins anew if a row changes that its pages have", async () => {
		const { taskId, storage } = await largeTask(11);
		let changes = 0;
		const { bucket } = watchBucket({
			before: (call, key) => {
				if (call !== "put" || !/\/reports-2$/.test(key) || changes > 0) return;
				changes += 1;
				storage.sql.exec("delete from reports where subject_id = 'm0000'");
			},
		});
		await wakeLater(taskId, DAY_MS + HOUR_MS, bucket);
		await wakeUntilCopied(taskId, DAY_MS + HOUR_MS, bucket);
		const [{ rows = 0 } = {}] = await queryTask<{ rows: number }>(taskId, "select count(*) as rows from reports");
		expect((await newestCopy(taskId))?.tables.find(({ name }) => name === "reports")?.rows).toBe(rows);
	});

	it("goes on after a crash, and what is left of a copy that broke off leaves with the next", async () => {
		const { taskId } = await largeTask(11);
		const dead = copyFolder(copyPrefix(taskId), "00000000-0000-7000-8000-000000000000");
		await env.BUCKET.put(pageKey(dead, { table: "reports", number: 1 }), "left over");
		const { bucket } = watchBucket({
			before: (call, key) => {
				if (call === "put" && /\/tasks-1$/.test(key)) throw new Error("The bucket fails.");
			},
		});
		await wakeLater(taskId, DAY_MS + HOUR_MS, bucket);
		const book = await bookOf(taskId);
		const revision = JSON.parse(String(book?.["under_way"])).revision;
		expect(book?.["tries"]).toBe(1);
		await queryTask(taskId, "insert into reports (subject_id, part, text) values ('a-later', 0, 'x')");
		await wakeUntilCopied(taskId, DAY_MS + 2 * HOUR_MS);
		const manifest = await newestCopy(taskId);
		expect(manifest?.revision).toBe(revision);
		const [{ rows = 0 } = {}] = await queryTask<{ rows: number }>(taskId, "select count(*) as rows from reports");
		expect(manifest?.tables.find(({ name }) => name === "reports")?.rows).toBe(rows);
		expect((await copyKeys(taskId)).filter((key) => key.startsWith(dead))).toEqual([]);
	});

	it("does not trust pages that are gone, because the object may have been put back", async () => {
		const { taskId } = await largeTask(11);
		const { bucket } = watchBucket({
			before: (call, key) => {
				if (call === "put" && /\/tasks-1$/.test(key)) throw new Error("The bucket fails.");
			},
		});
		await wakeLater(taskId, DAY_MS + HOUR_MS, bucket);
		await env.BUCKET.delete(await copyKeys(taskId));
		await wakeLater(taskId, DAY_MS + 2 * HOUR_MS);
		await wakeUntilCopied(taskId, DAY_MS + 2 * HOUR_MS);
		await expectWholeCopy(taskId);
	});

	it.each([1, 11])("leaves no page of an attempt that broke off, if a table has become empty since (%i MB)", async (megabytes) => {
		const { taskId } = await largeTask(megabytes);
		const { bucket } = watchBucket({
			before: (call, key) => {
				if (call === "put" && /\/tasks-1$/.test(key)) throw new Error("The bucket fails.");
			},
		});
		await wakeLater(taskId, DAY_MS + HOUR_MS, bucket);
		expect((await copyKeys(taskId)).some((key) => key.endsWith("/deadlines-1"))).toBe(true);
		await queryTask(taskId, "delete from deadlines");
		await wakeUntilCopied(taskId, DAY_MS + 2 * HOUR_MS);
		await expectWholeCopy(taskId);
	});
});

describe("if the bucket fails", () => {
	it("the next try waits longer and longer, the alarm does not fail, and the copy comes in the end", async () => {
		const { taskId } = await judgedTask();
		await wakeLater(taskId, DAY_MS - HOUR_MS);
		const { bucket, use } = watchBucket({
			before: (call) => {
				if (call === "put") throw new Error("The bucket fails.");
			},
		});
		const pauses: number[] = [];
		let now = Date.now() + DAY_MS + HOUR_MS;
		for (let time = 0; time < 8; time += 1) {
			await wakeTask(taskId, testDeps({ clock: manualClock(now), bucket, random: () => 0.5 }));
			const next = Number((await bookOf(taskId))?.["next_try_at"]);
			pauses.push(next - now);
			const { puts } = use;
			await wakeTask(taskId, testDeps({ clock: manualClock(next - 1), bucket }));
			expect(use.puts).toBe(puts);
			now = next;
		}
		expect(pauses.every((pause, place) => place === 0 || pause > (pauses[place - 1] ?? 0) || pause >= HOUR_MS * 0.75)).toBe(true);
		await poster.call("getTask", at(taskId));
		await wakeTask(taskId, testDeps({ clock: manualClock(now + HOUR_MS) }));
		expect(await newestCopy(taskId)).not.toBeNull();
		expect(await bookOf(taskId)).toMatchObject({ tries: 0, next_try_at: 0, under_way: null, must_clean: 0 });
	});

	it("while the copy before is deleted, it is deleted later", async () => {
		const { taskId } = await judgedTask();
		await wakeLater(taskId, DAY_MS + HOUR_MS);
		const first = await newestCopy(taskId);
		await poster.call("extendTask", { ...at(taskId), body: { deadline: hoursFromNow(300) } });
		const { bucket } = watchBucket({
			before: (call) => {
				if (call === "delete") throw new Error("The bucket fails.");
			},
		});
		await wakeLater(taskId, 3 * DAY_MS, bucket);
		expect((await copyKeys(taskId)).some((key) => key.includes(first?.revision ?? "-"))).toBe(true);
		await wakeLater(taskId, 3 * DAY_MS + HOUR_MS);
		expect((await copyKeys(taskId)).some((key) => key.includes(first?.revision ?? "-"))).toBe(false);
		expect((await newestCopy(taskId))?.revision).not.toBe(first?.revision);
	});
});

describe("erasing an agent", () => {
	it("makes a new copy at once, and the one before leaves", async () => {
		const { taskId } = await judgedTask();
		await wakeLater(taskId, DAY_MS + HOUR_MS);
		const first = await newestCopy(taskId);
		await eraseTraces(testDeps(), taskId, { agentId: agent.agentId });
		await expect.poll(async () => (await newestCopy(taskId))?.revision).not.toBe(first?.revision);
		const second = await newestCopy(taskId);
		await expect.poll(async () => (await copyKeys(taskId)).some((key) => key.includes(first?.revision ?? "-"))).toBe(false);
		expect(second?.tables.find(({ name }) => name === "reports")?.rows).toBe(0);
	});

	it("while a copy is under way voids that one, wherever it is", async () => {
		for (const page of [/\/reports-1$/, /\/tasks-1$/, /\/manifest\.json$/]) {
			const { taskId } = await largeTask(6);
			const erased: Promise<unknown>[] = [];
			const { bucket } = watchBucket({
				before: async (call, key) => {
					if (call !== "put" || !page.test(key) || erased.length > 0) return;
					erased.push(eraseTraces(testDeps(), taskId, { agentId: agent.agentId }));
					await scheduler.wait(100);
				},
			});
			await wakeLater(taskId, DAY_MS + HOUR_MS, bucket);
			await Promise.all(erased);
			expect(erased.length).toBe(1);
			const void_ = JSON.stringify(await bookOf(taskId));
			expect(void_).toContain('"is_urgent":1');
			await wakeUntilCopied(taskId, DAY_MS + HOUR_MS);
			const manifest = await newestCopy(taskId);
			const [{ rows = 0 } = {}] = await queryTask<{ rows: number }>(taskId, "select count(*) as rows from reports");
			expect(manifest?.tables.find(({ name }) => name === "reports")?.rows).toBe(rows);
			expect(new Set((await copyKeys(taskId)).map((key) => key.split("/")[3]))).toEqual(new Set([manifest?.revision]));
		}
	});
});

describe("restoring a lost task", () => {
	it("brings back everything that was read before, and the work goes on", async () => {
		const { taskId, submissionId } = await judgedTask();
		const board = await poster.call("getLeaderboard", at(taskId));
		const submission = await agent.call("getSubmission", at(submissionId));
		const before = await stateOf(taskId);
		await loseTask(taskId, Date.now());
		await poster.refused("getTask", "NOT_FOUND", at(taskId));
		expect(await restoreCopy(taskId)).toMatchObject({ id: taskId, submissions: 1, removed: 0, last: null });
		expect(await stateOf(taskId)).toEqual(before);
		expect(await poster.call("getLeaderboard", at(taskId))).toEqual(board);
		expect(await agent.call("getSubmission", at(submissionId))).toEqual(submission);
		const { id } = await submit(agent, taskId);
		await awaitEvaluation(agent, id);
		expect(await alarmOf(taskId)).not.toBeNull();
	});

	it("may be repeated, also after it broke off, and by two operators at once", async () => {
		const { taskId } = await judgedTask();
		const before = await stateOf(taskId);
		await loseTask(taskId, Date.now());
		const missing = (await copyKeys(taskId)).find((key) => key.endsWith("/tasks-1")) ?? "";
		const page = await (await env.BUCKET.get(missing))?.arrayBuffer();
		await env.BUCKET.delete(missing);
		await admin.refused("restoreTaskCopy", "INTERNAL_ERROR", { ...at(taskId), body: { reason } });
		await poster.refused("getTask", "NOT_FOUND", at(taskId));
		await env.BUCKET.put(missing, page ?? new Uint8Array());
		const both = await Promise.allSettled([restoreCopy(taskId), restoreCopy(taskId)]);
		expect(both.some(({ status }) => status === "fulfilled")).toBe(true);
		expect(await stateOf(taskId)).toEqual(before);
		await restoreCopy(taskId);
		expect(await stateOf(taskId)).toEqual(before);
	});

	it("is refused while the task is there, without a copy, and from a copy of a later version", async () => {
		const { taskId } = await judgedTask();
		const request = { ...at(taskId), body: { reason } };
		await admin.refused("restoreTaskCopy", "NOT_FOUND", request);
		await wakeLater(taskId, DAY_MS + HOUR_MS);
		const before = await stateOf(taskId);
		await admin.refused("restoreTaskCopy", "CONFLICT", request);
		expect(await stateOf(taskId)).toEqual(before);
		await destroyTask(taskId);
		const manifest = await newestCopy(taskId);
		const key = `${copyFolder(copyPrefix(taskId), manifest?.revision ?? "")}manifest.json`;
		await env.BUCKET.put(key, JSON.stringify({ ...manifest, schema: 9e15 }));
		await admin.refused("restoreTaskCopy", "CONFLICT", request);
	});

	it("has jobs done that a consumer had claimed, and forgets what came after the copy", async () => {
		const { taskId, submissionId } = await judgedTask();
		await queryTask(
			taskId,
			`insert into jobs (id, kind, subject_id, iteration, round, party, turn, state, claim_token, due_at, give_up_at, created_at)
			values ('j', 'evaluation', ?, 2, 're_evaluation', 'p', 0, 'claimed', 'c', 0, 9000000000000000, 0)`,
			submissionId,
		);
		await wakeLater(taskId, DAY_MS + HOUR_MS);
		const { id: lost } = await submit(agent, taskId);
		await awaitEvaluation(agent, lost);
		await destroyTask(taskId);
		expect(await restoreCopy(taskId)).toMatchObject({ submissions: 1, removed: 1 });
		await agent.refused("getSubmission", "NOT_FOUND", at(lost));
		// A consumer has taken it, and judged.
		await expect
			.poll(() => queryTask(taskId, "select iteration from evaluations order by 1"))
			.toEqual([{ iteration: 1 }, { iteration: 2 }]);
		expect(await queryTask(taskId, "select id from jobs")).toEqual([]);
	});

	it("applies again what operators have decided since the copy", async () => {
		const { taskId, submissionId } = await judgedTask();
		await wakeLater(taskId, DAY_MS + HOUR_MS);
		const manifest = await newestCopy(taskId);
		const key = `${copyFolder(copyPrefix(taskId), manifest?.revision ?? "")}manifest.json`;
		await env.BUCKET.put(key, JSON.stringify({ ...manifest, copied_at: Date.now() - 1 }));
		await admin.call("voidSubmission", { ...at(submissionId), body: { reason } });
		await admin.call("takeDownTask", { ...at(taskId), body: { reason } });
		await destroyTask(taskId);
		await restoreCopy(taskId);
		expect(await queryTask(taskId, "select hidden from tasks")).toEqual([{ hidden: 1 }]);
		expect(await queryTask(taskId, "select voided_at is null as valid from submissions")).toEqual([{ valid: 0 }]);
	});
});
