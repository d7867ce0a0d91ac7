// The collector of stored objects: what it deletes, what it keeps, and what a run of it costs.
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { STORED_OBJECTS } from "../../src/compose/stored-objects.ts";
import { StaleReadError } from "../../src/db/commit.ts";
import { AppError } from "../../src/domain/errors.ts";
import { addAttachment } from "../../src/features/attachments/contract.ts";
import { attachmentObjects } from "../../src/features/attachments/service.ts";
import { collectObjects, decideWithObject, type StoredObjects } from "../../src/features/stored-objects/service.ts";
import { artifactObjects } from "../../src/features/submissions/artifact-store.ts";
import { completeSubmission, putArtifact } from "../../src/features/submissions/contract.ts";
import { uploadTestSuite } from "../../src/features/tasks/contract.ts";
import { startDryRun } from "../../src/features/trials/contract.ts";
import { HOUR_MS } from "../../src/platform/clock.ts";
import type { Deps } from "../../src/ports/deps.ts";
import { runScheduled } from "../../src/scheduled.ts";
import { goodZipWith } from "../support/archives.ts";
import { watchBucket } from "../support/buckets.ts";
import { manualClock, testDeps } from "../support/deps.ts";
import { attachmentForm, awaitEvaluation, createDraft, openTask, registerAgent, submit, testSuiteForm } from "../support/scenario.ts";
import { seedSubmissions, seedTasks } from "../support/seed.ts";
import { count, listBucket, queryOne } from "../support/storage.ts";
import { collectAll, expectObjectsOfRowsOnly } from "../support/stored-objects.ts";
import { atSignedUrl, MB, register } from "../support/uploads.ts";
import { createWorld } from "../support/world.ts";

const poster = await registerAgent("Poster");
const taskId = await openTask(poster, { max_submissions_per_agent: 25 });

/** One object of each kind, each with its row. */
async function storeOneOfEach() {
	const agent = await registerAgent();
	const { id } = await submit(agent, taskId);
	await awaitEvaluation(agent, id);
	const draft = (await createDraft(poster)).id;
	await poster.call(uploadTestSuite, { params: { id: draft }, rawBody: testSuiteForm() });
	const attachment = await poster.call(addAttachment, { params: { id: draft }, rawBody: attachmentForm() });
	// It waits for its turn, with more time than these tests let pass.
	const image = { eval_mode: "container", eval_image: "registry.example/image:1", eval_timeout_seconds: 3600 };
	const tried = await createDraft(poster, image);
	await createWorld()
		.enter(poster)
		.call(startDryRun, { params: { id: tried.id }, body: { files: { "main.js": "1" } } });
	return { submissionId: id, draft, attachmentId: attachment.id };
}

const putAll = (keys: readonly string[]) => Promise.all(keys.map((key) => env.BUCKET.put(key, "x")));

describe("the collector", () => {
	it("deletes what no row refers to, under every prefix, and keeps the rest", async () => {
		const { submissionId, draft, attachmentId } = await storeOneOfEach();
		const used = await listBucket();
		expect(new Set(used.map((key) => `${key.split("/")[0]}/`))).toEqual(new Set(STORED_OBJECTS.map(({ prefix }) => prefix)));
		const untouched = [`uploads/${submissionId}.zip`, `workspace/${poster.agentId}/blob`, "artifact", "elsewhere/x"];
		await putAll(untouched);
		await putAll([
			`artifacts/${submissionId}.zip`,
			'artifacts/it\'s "quoted" \\ % _ größer\n.zip',
			"artifacts/",
			`reports/${submissionId}/${submissionId}.json`,
			`reports/${submissionId}/graded-${submissionId}.json`,
			`attachments/${draft}/${draft}`,
			`attachments/${taskId}/${attachmentId}`,
			`attachments/${draft}/${attachmentId}/`,
			`attachments/${draft}`,
			`test-suites/${draft}/${draft}.json`,
			`test-suites/${draft}`,
			`trials/${submissionId}.zip`,
			"trials/",
		]);
		await runScheduled(() => testDeps({ clock: manualClock(Date.now() + 2 * HOUR_MS) }));
		expect((await listBucket()).toSorted()).toEqual([...used, ...untouched].toSorted());
		await env.BUCKET.delete(untouched);
		await expectObjectsOfRowsOnly();
	});

	it("keeps what an unfinished job has found out, until the job ends", async () => {
		const world = createWorld();
		const { id, jobId } = await world.submit(await registerAgent(), taskId);
		const keys = [`reports/${id}/graded-${jobId}.json`, `reports/${id}/unfinished-${jobId}.json`];
		await putAll(keys);
		await collectAll();
		expect(await listBucket(`reports/${id}/`)).toEqual(keys);
		await env.DB.prepare("update evaluation_jobs set finished_at = 1, outcome = 'failed' where id = ?").bind(jobId).run();
		await collectAll();
		expect(await listBucket(`reports/${id}/`)).toEqual([]);
	});

	it("waits for an hour, to the millisecond", async () => {
		await env.BUCKET.put("artifacts/young.zip", "x");
		const uploadedAt = (await env.BUCKET.head("artifacts/young.zip"))?.uploaded.getTime() ?? 0;
		await collectAll({ clock: manualClock(uploadedAt + HOUR_MS - 1) });
		expect(await listBucket("artifacts/young")).toEqual(["artifacts/young.zip"]);
		await collectAll({ clock: manualClock(uploadedAt + HOUR_MS) });
		expect(await listBucket("artifacts/young")).toEqual([]);
	});

	it("counts the age from the end of an upload, however long that took", async () => {
		const upload = await env.BUCKET.createMultipartUpload("artifacts/slow.zip");
		const part = await upload.uploadPart(1, "x");
		await new Promise((resolve) => setTimeout(resolve, 50));
		const endedAt = Date.now();
		const { uploaded } = await upload.complete([part]);
		expect(uploaded.getTime()).toBeGreaterThanOrEqual(endedAt);
		expect((await env.BUCKET.head("artifacts/slow.zip"))?.uploaded).toEqual(uploaded);
		await env.BUCKET.delete("artifacts/slow.zip");
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
				await collectAll({ clock: manualClock(Date.now() + 24 * HOUR_MS) });
			},
		});
		const world = createWorld();
		await world.enter({ key: null }, { bucket }).call(putArtifact, atSignedUrl(upload_url, { rawBody: zip }));
		expect(rounds).toBeGreaterThanOrEqual(2);
		await collectAll();
		expect(await world.enter(agent).call(completeSubmission, { params: { id } })).toMatchObject({ status: "running" });
	});

	it("may run twice at the same time", async () => {
		await storeOneOfEach();
		await putAll(Array.from({ length: 40 }, (_, index) => `reports/left-behind/${index}.json`));
		await Promise.all([collectAll(), collectAll(), collectAll()]);
		await expectObjectsOfRowsOnly();
	});

	it("continues under the other prefixes when one fails, says which, and catches up in the next run", async () => {
		await putAll(["artifacts/left-behind.zip", "reports/left-behind.json"]);
		const errors: unknown[] = [];
		const log: Deps["log"] = { info: () => {}, error: (event, facts) => errors.push({ event, ...facts }) };
		const clock = manualClock(Date.now() + 2 * HOUR_MS);
		const deps = testDeps();
		const broken = listOnly(env.BUCKET, (keys) =>
			keys.some((key) => key.startsWith("artifacts/")) ? Promise.reject(new Error("storage is not well")) : env.BUCKET.delete(keys),
		);
		await runScheduled(() => ({ ...deps, clock, log, bucket: broken }));
		expect(errors).toEqual([
			expect.objectContaining({ event: "sweep_failed", sweep: "collector artifacts/", error: "Error: storage is not well" }),
		]);
		expect(await listBucket("artifacts/left-behind")).toHaveLength(1);
		expect(await listBucket("reports/left-behind")).toEqual([]);
		await runScheduled(() => ({ ...deps, clock, log }));
		expect(await listBucket("artifacts/left-behind")).toEqual([]);
		expect(errors).toHaveLength(1);
	});
});

describe("a verb that stores an object", () => {
	const key = () => `attachments/${taskId}/${crypto.randomUUID()}`;
	const insertRow = (of: string) =>
		env.DB.prepare(`
			insert into attachments (id, task_id, field, filename, content_type, file_size, created_at)
			values (?, ?, 'description', 'x.txt', 'text/plain', 1, 1)`)
			.bind(of.split("/")[2], taskId)
			.run();

	/** Stores an object, and its row if wanted, and then fails. Returns the keys that are left. */
	async function failWith(error: Error, { withRow }: { withRow: boolean }): Promise<number> {
		const deps = testDeps();
		const object = { of: attachmentObjects, key: key(), store: () => deps.bucket.put(object.key, "x") };
		const verb = decideWithObject(deps, object, async ({ put }) => {
			await put();
			await put();
			if (withRow) await insertRow(object.key);
			throw error;
		});
		await expect(verb).rejects.toBe(error);
		await deps.settled();
		return (await listBucket(object.key)).length;
	}

	it("and refuses leaves no object, unless its row was committed", async () => {
		expect(await failWith(new AppError("CONFLICT"), { withRow: false })).toBe(0);
		expect(await failWith(new AppError("CONFLICT"), { withRow: true })).toBe(1);
	});

	it("and fails leaves the object to the collector, for its commit may still take place", async () => {
		expect(await failWith(new Error("Network connection lost."), { withRow: false })).toBe(1);
		expect(await failWith(new AppError("INTERNAL_ERROR"), { withRow: false })).toBe(1);
		await collectAll();
		await expectObjectsOfRowsOnly();
	});

	it("and decides again stores it once", async () => {
		const deps = testDeps();
		const object = { of: attachmentObjects, key: key(), store: () => deps.bucket.put(object.key, crypto.randomUUID()) };
		let decisions = 0;
		const etags = new Set<string>();
		await decideWithObject(deps, object, async ({ put }) => {
			decisions += 1;
			etags.add((await put())?.etag ?? "");
			if (decisions < 3) throw new StaleReadError("commit_guards");
			await insertRow(object.key);
		});
		expect([decisions, etags.size]).toEqual([3, 1]);
		expect((await env.BUCKET.head(object.key))?.etag).toBe([...etags][0]);
	});
});

function randomBytes(bytes: number): Uint8Array {
	const result = new Uint8Array(bytes);
	for (let at = 0; at < bytes; at += 65_536) crypto.getRandomValues(result.subarray(at, Math.min(bytes, at + 65_536)));
	return result;
}

/** The two methods that the collector calls. */
function listOnly(list: Pick<R2Bucket, "list">, remove: (keys: string[]) => Promise<void>): R2Bucket {
	const calls = { list: (options?: R2ListOptions) => list.list(options), delete: remove };
	return calls as unknown as R2Bucket;
}

/** A bucket with many old objects, which counts what it is asked for. */
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

async function collectOnce(objects: StoredObjects, bucket: R2Bucket): Promise<Deps["db"]["use"]> {
	const deps = testDeps({ bucket, log: { info: () => {}, error: () => {} } });
	await collectObjects(deps, objects);
	return deps.db.use;
}

describe("one run of the collector", () => {
	it("visits 10,000 objects in 12 calls to D1, and the next run continues after them, round and round", async () => {
		const { bucket, keys, use } = hugeBucket("artifacts/", 25_500);
		for (const visited of [10_000, 20_000, 25_500, 35_500]) {
			const { calls, rowsWritten } = await collectOnce(artifactObjects, bucket);
			expect(calls).toBeLessThanOrEqual(12);
			expect(rowsWritten).toBeLessThanOrEqual(2);
			expect(use.deleted).toHaveLength(visited);
		}
		expect(use.deleted.slice(0, 25_500)).toEqual(keys);
		expect(use.deleted.slice(25_500)).toEqual(keys.slice(0, 10_000));
		expect([use.lists, use.deletes]).toEqual([36, 36]);
	});

	it("that cannot delete some objects fails, and the next run continues behind them", async () => {
		const objects = { ...artifactObjects, prefix: "locked/" };
		const { bucket, keys } = hugeBucket("locked/", 3_000);
		const deleted: string[] = [];
		const locked = listOnly(bucket, (page) => {
			if (page.includes(keys[0] ?? "")) return Promise.reject(new Error("The object is locked."));
			deleted.push(...page);
			return Promise.resolve();
		});
		for (let round = 0; round < 2; round += 1) {
			await expect(collectOnce(objects, locked)).rejects.toThrow("The object is locked.");
			await collectOnce(objects, locked);
			expect(deleted.splice(0)).toEqual(keys.slice(1_000));
		}
	});

	it("of a bucket that fits in one page writes nothing", async () => {
		const objects = { ...artifactObjects, prefix: "small/" };
		const { bucket, use } = hugeBucket("small/", 900);
		for (let run = 0; run < 3; run += 1) {
			const { calls, rowsWritten } = await collectOnce(objects, bucket);
			expect([calls, rowsWritten]).toEqual([2, 0]);
		}
		expect([use.lists, use.deletes]).toEqual([3, 3]);
	});
});

describe("a look-up of 1,000 keys", () => {
	it.each(STORED_OBJECTS)(
		"under $prefix reads a few rows for each, whatever the size of the tables",
		async ({ prefix, selectUnreferenced }) => {
			await seedOnce();
			const keys = [...(await usedKeys(prefix)), ...Array.from({ length: 500 }, () => `${prefix}${taskId}/${crypto.randomUUID()}`)];
			expect(keys).toHaveLength(1_000);
			const deps = testDeps();
			expect(await selectUnreferenced(deps, keys)).toEqual(keys.slice(500));
			expect(deps.db.use.calls).toBe(1);
			expect(deps.db.use.rowsRead).toBeLessThanOrEqual(4_000);
		},
	);
});

const TOTAL = 5_000;
let seeding: Promise<void> | null = null;

/** 5,000 submissions, evaluations, jobs, tasks, trials and attachments; every tenth of each has an object of its own. */
function seedOnce(): Promise<void> {
	seeding ??= seed();
	return seeding;
}

async function seed(): Promise<void> {
	const agent = await registerAgent();
	const start = Date.now();
	await seedSubmissions({ taskId, posterId: agent.agentId, agentId: agent.agentId, total: TOTAL, start });
	await seedTasks({ posterId: agent.agentId, from: 1, to: TOTAL, start });
	const isSeeded = "agent_id = ?1 and cast(substr(created_at, -1) as integer) = 0";
	await env.DB.batch([
		env.DB.prepare(`update submissions set artifact_key = 'artifacts/' || id || '/1.zip' where ${isSeeded}`).bind(agent.agentId),
		env.DB.prepare(`
			insert into evaluations (id, submission_id, iteration, round, eval_mode, rubric_version, comparison_group, judge, models, final_score, dimensions, samples, receipt, report_key, created_at)
			select id, id, 1, 'submission', 'llm', 1, 1, 'offline', '[]', 50, '[]', '{}', '', 'reports/' || id || '/' || id || '.json', 1 from submissions where agent_id = ?1`).bind(
			agent.agentId,
		),
		env.DB.prepare(`
			insert into evaluation_jobs (id, submission_id, iteration, round, due_at, give_up_at, created_at)
			select id, id, 2, 're_evaluation', 9e15, 9e15, 1 from submissions where agent_id = ?1`).bind(agent.agentId),
		env.DB.prepare(`
			insert into trials (id, task_id, kind, artifact_key, origin, due_at, give_up_at, created_at)
			select id, id, 'dry_run', 'trials/' || id || '.zip', '', 9e15, 9e15, 1 from tasks where company_id = ?1`).bind(agent.agentId),
		env.DB.prepare(
			"update tasks set test_suite_key = 'test-suites/' || id || '/suite.json' where company_id = ?1 and title like 'Task %0'",
		).bind(agent.agentId),
		env.DB.prepare(`
			insert into attachments (id, task_id, field, filename, content_type, file_size, created_at)
			select id, id, 'description', 'x.txt', 'text/plain', 1, 1 from tasks where company_id = ?1`).bind(agent.agentId),
	]);
	expect(await count("select count(*) from evaluation_jobs")).toBeGreaterThanOrEqual(TOTAL);
}

/** 500 keys under the prefix that rows refer to. */
async function usedKeys(prefix: string): Promise<string[]> {
	const row = await queryOne<{ keys: string }>(
		`select json_group_array(key) as keys from (select key from (
			select artifact_key as key from submissions
			union all select report_key from evaluations
			union all select 'attachments/' || task_id || '/' || id from attachments
			union all select test_suite_key from tasks
			union all select artifact_key from trials
		) where key glob ? limit 500)`,
		`${prefix}*`,
	);
	return JSON.parse(row?.keys ?? "[]");
}
