// Tests the collector of stored objects: what it deletes, what it keeps, and what it costs.
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { sql } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { CORE_HOLDINGS } from "../../src/core/competition/holdings/core-holdings.ts";
import { selectUnreferenced } from "../../src/core/competition/tasks/stored-objects.ts";
import { attachments } from "../../src/db/task/schema/task.ts";
import { DAY_MS, HOUR_MS } from "../../src/platform/clock.ts";
import type { Deps } from "../../src/ports/deps.ts";
import type { TaskStore } from "../../src/ports/task.ts";
import { goodZipWith } from "../support/archives.ts";
import { watchBucket } from "../support/buckets.ts";
import { holdCopies } from "../support/copies.ts";
import { testDeps } from "../support/deps.ts";
import { wakeTask } from "../support/house.ts";
import { manualClock } from "../support/manual-clock.ts";
import { attachmentForm, awaitEvaluation, createDraft, openTask, registerAgent, submit, testSuiteForm } from "../support/scenario.ts";
import { listBucket } from "../support/storage.ts";
import { collectAll, expectObjectsOfRowsOnly } from "../support/stored-objects.ts";
import { inTask, openTask as openStore, queryTask, readArtifactOf } from "../support/task-object.ts";
import { atSignedUrl, MB, putTo, register } from "../support/uploads.ts";
import { createWorld } from "../support/world.ts";

const poster = await registerAgent("Poster");
const taskId = await openTask(poster, { max_submissions_per_agent: 25 });

/** Stores one object of each kind with its row. */
async function storeOneOfEach() {
	const agent = await registerAgent();
	const entered = await openTask(poster);
	const { id } = await submit(agent, entered);
	await awaitEvaluation(agent, id);
	const draft = (await createDraft(poster)).id;
	await poster.call("uploadTestSuite", { params: { id: draft }, rawBody: testSuiteForm() });
	const attachment = await poster.call("addAttachment", { params: { id: draft }, rawBody: attachmentForm() });
	// It waits for its turn, with more time than passes in these tests.
	const image = { eval_mode: "container", eval_image: "registry.example/image:1", eval_timeout_seconds: 3600 };
	const tried = await createDraft(poster, image);
	await createWorld()
		.enter(poster)
		.call("startDryRun", { params: { id: tried.id }, body: { files: { "main.js": "1" } } });
	return { entered, submissionId: id, draft, attachmentId: attachment.id };
}

const putAll = (keys: readonly string[]) => Promise.all(keys.map((key) => env.BUCKET.put(key, "x")));

describe("the collector", () => {
	it("deletes unused objects of every kind, and keeps the rest", async () => {
		const { entered, submissionId, draft, attachmentId } = await storeOneOfEach();
		const used = await listBucket();
		const kinds = new Set(used.map((key) => key.split("/")[2]));
		expect(kinds).toEqual(new Set(["task", "artifacts", "attachments", "suites", "trials"]));
		const untouched = [
			`uploads/${submissionId}.zip`,
			`workspace/${poster.agentId}/blob`,
			"artifact",
			"elsewhere/x",
			`tasks/${submissionId}`,
		];
		await putAll(untouched);
		await putAll([
			`tasks/${entered}/artifacts/${submissionId}.zip`,
			`tasks/${entered}/artifacts/${submissionId}/${submissionId}.zip`,
			`tasks/${entered}/artifacts/it's "quoted" \\ % _ größer\n.zip`,
			`tasks/${entered}/artifacts/`,
			`tasks/${entered}/jobs/${submissionId}/graded.json`,
			`tasks/${entered}/jobs/${submissionId}/`,
			`tasks/${draft}/attachments/${draft}`,
			`tasks/${entered}/attachments/${attachmentId}`,
			`tasks/${draft}/attachments/${attachmentId}/`,
			`tasks/${draft}/attachments`,
			`tasks/${draft}/suites/${draft}.json`,
			`tasks/${draft}/suites`,
			`tasks/${draft}/task/`,
			`tasks/${draft}/unknown/x`,
			`tasks/${entered}/trials/${submissionId}.zip`,
			`tasks/${entered}/trials/`,
			`tasks/${entered}/`,
		]);
		await collectAll();
		expect((await listBucket()).toSorted()).toEqual([...used, ...untouched].toSorted());
		await env.BUCKET.delete(untouched);
		await expectObjectsOfRowsOnly();
	});

	it("keeps the folder of an absent extension", async () => {
		const [trial, artifact] = [`tasks/${taskId}/trials/x.zip`, `tasks/${taskId}/artifacts/x/1.zip`];
		const select = (holdings: TaskStore["parts"]["holdings"] | null) =>
			inTask(taskId, ({ id, db, parts }) =>
				selectUnreferenced({ id, db, parts: { ...parts, holdings: holdings ?? parts.holdings } }, [trial, artifact]),
			);
		expect(await select(null)).toEqual([trial, artifact]);
		expect(await select(CORE_HOLDINGS)).toEqual([artifact]);
	});

	it("keeps the results of an unfinished job until the job ends", async () => {
		const world = createWorld();
		const { id, jobId } = await world.submit(await registerAgent(), taskId);
		const keys = [`tasks/${taskId}/jobs/${jobId}/graded.json`, `tasks/${taskId}/jobs/${jobId}/unfinished.json`];
		await putAll([...keys, `tasks/${taskId}/jobs/${jobId}/other.json`]);
		await collectAll();
		expect(await listBucket(`tasks/${taskId}/jobs/`)).toEqual(keys);
		await queryTask(taskId, "delete from jobs where subject_id = ?", id);
		await collectAll();
		expect(await listBucket(`tasks/${taskId}/jobs/`)).toEqual([]);
	});

	it("waits for an hour, to the millisecond", async () => {
		const key = `tasks/${taskId}/artifacts/young.zip`;
		await env.BUCKET.put(key, "x");
		const uploadedAt = (await env.BUCKET.head(key))?.uploaded.getTime() ?? 0;
		await collectAll({ clock: manualClock(uploadedAt + HOUR_MS - 1) });
		expect(await listBucket(key)).toEqual([key]);
		await collectAll({ clock: manualClock(uploadedAt + HOUR_MS) });
		expect(await listBucket(key)).toEqual([]);
	});

	it("counts the age from the end of an upload, for an upload of any duration", async () => {
		const key = `tasks/${taskId}/artifacts/slow.zip`;
		const upload = await env.BUCKET.createMultipartUpload(key);
		const part = await upload.uploadPart(1, "x");
		await new Promise((resolve) => setTimeout(resolve, 50));
		const endedAt = Date.now();
		const { uploaded } = await upload.complete([part]);
		expect(uploaded.getTime()).toBeGreaterThanOrEqual(endedAt);
		expect((await env.BUCKET.head(key))?.uploaded).toEqual(uploaded);
		await env.BUCKET.delete(key);
	});

	it("keeps an upload that has been under way for a day", async () => {
		const agent = await registerAgent();
		const { id, upload_url } = await register(agent, taskId);
		const zip = goodZipWith([{ name: "random.bin", content: randomBytes(9 * MB) }]);
		let rounds = 0;
		const { bucket } = watchBucket({
			async before(call) {
				if (call !== "uploadPart") return;
				rounds += 1;
				await collectAll({ clock: manualClock(Date.now() + DAY_MS) });
			},
		});
		const world = createWorld();
		await world.enter({ key: null }, { bucket }).call("putArtifact", atSignedUrl(upload_url, { rawBody: zip }));
		expect(rounds).toBeGreaterThanOrEqual(2);
		await collectAll();
		expect(await world.enter(agent).call("completeSubmission", { params: { id } })).toMatchObject({ status: "running" });
	});

	it("may run twice in parallel", async () => {
		await storeOneOfEach();
		await putAll(Array.from({ length: 40 }, (_, index) => `tasks/${taskId}/left-behind/${index}.json`));
		await Promise.all([collectAll(), collectAll(), collectAll()]);
		await expectObjectsOfRowsOnly();
	});

	it("continues after objects that cannot be deleted, logs them, and tries again with the next alarm", async () => {
		const { id } = await createDraft(poster);
		await holdCopies(id);
		const errors: unknown[] = [];
		const clock = manualClock(Date.now() + DAY_MS + HOUR_MS);
		const left = hugeBucket(`tasks/${id}/artifacts/`, 3_500);
		let isLocked = true;
		const bucket = listOnly(left.bucket, (keys) =>
			isLocked && keys.includes(left.keys[0] ?? "") ? Promise.reject(new Error("The object is locked.")) : left.bucket.delete(keys),
		);
		const log: Deps["log"] = { info: () => {}, error: (event, facts) => errors.push({ event, ...facts }) };
		await wakeTask(id, testDeps({ clock, log, bucket }));
		expect(errors).toEqual([
			expect.objectContaining({ event: "task_duty_failed", duty: "collect", task_id: id, error: "Error: The object is locked." }),
		]);
		expect(left.use.deleted).toEqual(left.keys.slice(1_000));
		isLocked = false;
		await wakeTask(id, testDeps({ clock, log, bucket }));
		expect(errors).toHaveLength(1);
		expect(new Set(left.use.deleted)).toEqual(new Set(left.keys));
		expect([left.use.lists, left.use.deletes]).toEqual([8, 7]);
	});
});

describe("a request that stores an object", () => {
	/** Returns a call to the task whose response is lost: it is repeated, and something else happens in between. */
	function repeating(verb: string, between: () => Promise<unknown> = async () => undefined): Partial<Deps> {
		const { hubs } = testDeps();
		return {
			hubs: {
				...hubs,
				async callTask(id, called, call) {
					const first = await hubs.callTask(id, called, call);
					if (called.name !== verb) return first;
					await between();
					return hubs.callTask(id, called, call);
				},
			},
		};
	}

	it("and whose response is lost keeps what the first call refers to, for any act before the second", async () => {
		const world = createWorld();
		const draft = (await createDraft(poster)).id;
		const suite = { params: { id: draft }, rawBody: testSuiteForm() };
		const publishing = repeating("setTestSuite", () => poster.call("publishTask", { params: { id: draft } }));
		await world.enter(poster, publishing).call("uploadTestSuite", suite);
		expect(await listBucket(`tasks/${draft}/suites/`)).toHaveLength(1);

		const agent = await registerAgent();
		const { id, upload_url } = await register(agent, taskId);
		const completing = repeating("recordArtifact", () => world.enter(agent).call("completeSubmission", { params: { id } }));
		await putTo(world.enter({ key: null }, completing), upload_url, goodZipWith());
		const { key } = await readArtifactOf(taskId, id);
		expect(await listBucket(`tasks/${taskId}/artifacts/${id}/`)).toEqual([key, `${key}.index`]);
	});

	it("and whose response is lost adopts an upload once, even if its evaluation ends before the second call", async () => {
		const agent = await registerAgent();
		const { id } = await register(agent, taskId);
		await env.BUCKET.put(`uploads/${id}.zip`, goodZipWith());
		const world = createWorld();
		const directTransfers: Deps["directTransfers"] = {
			presignPut: () => Promise.reject(new Error("not asked for")),
			presignGet: (key) => Promise.resolve({ url: `https://s3.test/${key}`, token: "", path: `/${key}`, ttlMs: 1 }),
			copy: async (from, to) => void (await env.BUCKET.put(to, (await (await env.BUCKET.get(from))?.arrayBuffer()) ?? null)),
		};
		const ending = repeating("completeWork", () => world.workOff({ id, taskId }));
		await world.enter(agent, { directTransfers, ...ending }).call("completeSubmission", { params: { id } });
		const { key } = await readArtifactOf(taskId, id);
		expect(await listBucket(`tasks/${taskId}/artifacts/${id}/`)).toEqual([key, `${key}.index`]);
	});
});

function randomBytes(bytes: number): Uint8Array {
	const result = new Uint8Array(bytes);
	for (let at = 0; at < bytes; at += 65_536) crypto.getRandomValues(result.subarray(at, Math.min(bytes, at + 65_536)));
	return result;
}

/** Returns the two methods that the collector calls. */
function listOnly(list: Pick<R2Bucket, "list">, remove: (keys: string[]) => Promise<void>): R2Bucket {
	const calls = { list: (options?: R2ListOptions) => list.list(options), delete: remove };
	return calls as unknown as R2Bucket;
}

/** Returns a bucket with many old objects, and counts its requests. */
function hugeBucket(prefix: string, total: number) {
	const keys = Array.from({ length: total }, (_, index) => `${prefix}${String(index).padStart(9, "0")}`);
	const use = { lists: 0, deletes: 0, deleted: [] as string[] };
	const uploaded = new Date(0);
	const list = (options: R2ListOptions = {}): Promise<R2Objects> => {
		use.lists += 1;
		const { startAfter = "", limit = 1000 } = options;
		const found = keys.findIndex((key) => key > startAfter);
		const from = found === -1 ? keys.length : found;
		const page = { objects: keys.slice(from, from + limit).map((key) => ({ key, uploaded })), truncated: from + limit < keys.length };
		return Promise.resolve(page as unknown as R2Objects);
	};
	const bucket = listOnly({ list }, (deleted) => {
		use.deletes += 1;
		expect(deleted.length).toBeLessThanOrEqual(1000);
		use.deleted.push(...deleted);
		return Promise.resolve();
	});
	return { bucket, keys, use };
}

describe("a lookup of 1,000 keys", () => {
	const TOTAL = 5_000;

	/** Stores thousands of submissions, trials, attachments and jobs, each of which refers to an object. */
	async function seededTask(): Promise<string> {
		const id = await openTask(poster);
		await inTask(id, ({ db }) => {
			const numbers = sql`with recursive n(i) as (select 0 union all select i + 1 from n where i < ${TOTAL - 1})`;
			const key = (kind: string) => sql.raw(`'tasks/${id}/${kind}/id-' || i`);
			db.run(sql`${numbers} insert into submissions (id, agent_id, status, agent_display_name, artifact_key, created_at, updated_at)
				select 'id-' || i, 'agent', 'registered', 'Agent', ${key("artifacts")} || '/1.zip', 1, 1 from n`);
			db.run(
				sql`${numbers} insert into trials (id, kind, artifact_key, created_at) select 'id-' || i, 'dry_run', ${key("trials")} || '.zip', 1 from n`,
			);
			for (let index = 0; index < TOTAL; index += 1) {
				const file = {
					field: "description",
					filename: "x.txt",
					contentType: "text/plain",
					fileSize: 1,
					sha256: "0".repeat(64),
					createdAt: 1,
				} as const;
				db.insert(attachments)
					.values({ id: `id-${index}`, ...file })
					.run();
			}
			db.run(sql`${numbers} insert into jobs (id, kind, subject_id, party, turn, state, due_at, give_up_at, created_at)
				select 'job-' || i, 'evaluation', 'id-' || i, 'p', 1, 'waiting', 9e15, 9e15, 1 from n where i < 100`);
		});
		return id;
	}

	it("reads a few rows for each, for any size of the tables", async () => {
		const id = await seededTask();
		const rowsRead = await runInDurableObject(env.TASK.getByName(id), (object, { storage }) => {
			const { counted, read } = countReads(storage);
			const store = openStore(id, { object, storage: counted, now: Date.now() });
			for (const keyOf of [
				(index: number) => `tasks/${id}/artifacts/id-${index}/1.zip`,
				(index: number) => `tasks/${id}/trials/id-${index}.zip`,
				(index: number) => `tasks/${id}/attachments/id-${index}`,
				(index: number) => `tasks/${id}/jobs/job-${index % 100}/graded.json`,
			]) {
				const used = Array.from({ length: 500 }, (_, index) => keyOf(index));
				const unused = used.map((key) => key.replace(/(id|job)-/, "other-"));
				expect(selectUnreferenced(store, [...used, ...unused])).toEqual(unused);
			}
			return read();
		});
		expect(rowsRead).toBeGreaterThan(4_000);
		expect(rowsRead).toBeLessThanOrEqual(4 * 5_000);
	});

	/** Returns the same storage, and adds up the rows that its statements read. */
	function countReads(storage: DurableObjectStorage) {
		const cursors: { readonly rowsRead: number }[] = [];
		const exec = (text: string, ...values: unknown[]) => {
			const cursor = storage.sql.exec(text, ...values);
			cursors.push(cursor);
			return cursor;
		};
		const counted = { ...storage, sql: { exec }, transactionSync: <Value>(run: () => Value) => storage.transactionSync(run) };
		return {
			counted: counted as unknown as DurableObjectStorage,
			read: () => cursors.reduce((sum, { rowsRead }) => sum + rowsRead, 0),
		};
	}
});
