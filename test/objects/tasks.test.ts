// Tests a task in its object: what a repeated call changes, what publishing begins, and what a deleted draft leaves.
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { workOff } from "../../src/compose/work-off.ts";
import { storeDraft } from "../../src/core/competition/tasks/draft.ts";
import { setVisibility, takeTaskDown } from "../../src/core/competition/tasks/set-visibility.ts";
import { readTask } from "../../src/core/competition/tasks/store.ts";
import { JUDGE_CASES } from "../../src/extensions/judge-check/cases.ts";
import { CRITERIA } from "../support/dear-tasks.ts";
import { countingDatabase, testDeps } from "../support/deps.ts";
import { interceptD1 } from "../support/intercepted-d1.ts";
import { honest, type JudgeStep, scriptJudge } from "../support/judge-script.ts";
import { judgedPlatform } from "../support/judged-platform.ts";
import { judgeOf } from "../support/judging.ts";
import { attachmentForm, createDraft, GOOD_FILES, openTask, registerAgent, testSuiteForm } from "../support/scenario.ts";
import { listBucket, queryAll, queryOne } from "../support/storage.ts";
import { inTask, queryTask } from "../support/task-object.ts";

const [poster, stranger] = [await registerAgent("Poster"), await registerAgent("Stranger")];
const at = (id: string) => ({ params: { id } });
const { hubs } = testDeps();
const now = Date.now();

it("a draft that is stored twice under one id keeps its first content", async () => {
	const { id } = await createDraft(poster);
	const row = await inTask(id, readTask);
	const criteria = [
		{
			...{ name: "Other", description: null, weight: 100, position: 0, evidence: "work" as const, held: false },
			...{ checks: [], wholeChecks: [], commitment: null, salt: null },
		},
	];
	const again = await hubs.callTask(id, storeDraft, { input: { row: { ...row, title: "Other" }, criteria }, now });
	expect(again).toEqual({ task: row, isNew: false });
	expect(await poster.call("getTask", at(id))).toMatchObject({ title: row.title, criteria: [{ name: "Parser" }, { name: "Tests" }] });
});

it("a deleted draft leaves no storage, no card and no stored object", async () => {
	const { id } = await createDraft(poster);
	await poster.call("addAttachment", { ...at(id), rawBody: attachmentForm() });
	await poster.call("uploadTestSuite", { ...at(id), rawBody: testSuiteForm() });
	expect(await listBucket(`tasks/${id}/`)).toHaveLength(3);
	await poster.call("startDryRun", { ...at(id), body: { files: GOOD_FILES } });
	await poster.call("deleteTask", at(id));
	expect(await queryOne("select id from task_cards where id = ?", id)).toBeNull();
	expect(await queryOne("select id from located_cards where task_id = ?", id)).toBeNull();
	await expect.poll(() => listBucket(`tasks/${id}/`)).toEqual([]);
	await expect.poll(() => queryTask(id, "select name from sqlite_master where name not like '_cf_%'")).toEqual([]);
	const alarm = await runInDurableObject(env.TASK.getByName(id), (_, { storage }) => storage.getAlarm());
	expect(alarm).toBeNull();
	await poster.refused("getTask", "NOT_FOUND", at(id));
});

it("a deleted draft keeps its object until its stored objects could be deleted", async () => {
	const { id } = await createDraft(poster);
	await poster.call("addAttachment", { ...at(id), rawBody: attachmentForm() });
	await runInDurableObject(env.TASK.getByName(id), async (object) => {
		const { deps } = object.runtime;
		const bucket = new Proxy(deps.bucket, {
			get: (target, name) =>
				name === "delete" ? () => Promise.reject(new Error("storage is not well")) : Reflect.get(target, name).bind(target),
		});
		object.runtime.deps = { ...deps, bucket, log: { info: () => {}, error: () => {} } };
		await poster.call("deleteTask", at(id));
		await object.alarm();
		expect(await listBucket(`tasks/${id}/`)).toHaveLength(2);
		object.runtime.deps = deps;
		await object.alarm();
	});
	expect(await listBucket(`tasks/${id}/`)).toEqual([]);
	expect(await queryTask(id, "select name from sqlite_master where name not like '_cf_%'")).toEqual([]);
});

it("a deleted draft keeps its object until its card could be deleted", async () => {
	const { id } = await createDraft(poster);
	const listed = () => poster.call("listTasks", { query: { owner: "me" } });
	await runInDurableObject(env.TASK.getByName(id), async (object) => {
		const { deps } = object.runtime;
		const db = countingDatabase(interceptD1(() => Promise.reject(new Error("The directory is away."))));
		object.runtime.deps = { ...deps, db, log: { info: () => {}, error: () => {} } };
		await poster.call("deleteTask", at(id));
		await object.alarm();
		object.runtime.deps = deps;
		await object.alarm();
	});
	expect((await listed()).data.map((task) => task.id)).not.toContain(id);
	expect(await queryTask(id, "select name from sqlite_master where name not like '_cf_%'")).toEqual([]);
});

it("a draft that is deleted while its dry run is judged leaves no replies of the judge", async () => {
	const limited: JudgeStep = { kind: "status", status: 429, headers: { "Retry-After": "3600" }, afterMs: 2_000 };
	const script = await scriptJudge([{ contains: "Tests", steps: [limited] }, { steps: [honest()] }]);
	const platform = judgedPlatform(judgeOf(script));
	const owner = platform.as(poster);
	const { id } = await createDraft(owner, { criteria: CRITERIA });
	await owner.call("startDryRun", { ...at(id), body: { files: GOOD_FILES } });
	const consumer = platform.deps();
	const judging = workOff(consumer, id);
	while ((await script.seen()).calls.length < 2) await scheduler.wait(20);
	await owner.call("deleteTask", at(id));
	await judging;
	await consumer.settled();
	await expect.poll(() => listBucket(`tasks/${id}/`)).toEqual([]);
});

describe("publishing", () => {
	it("happens once for any number of parallel requests", async () => {
		const { id } = await createDraft(poster);
		const responses = await Promise.all(Array.from({ length: 20 }, () => poster.send("publishTask", at(id))));
		expect(responses.map(({ status }) => status).toSorted()).toEqual([200, ...Array.from({ length: 19 }, () => 409)]);
		expect(await queryOne("select status from task_cards where id = ?", id)).toEqual({ status: "open" });
		expect(await queryTask(id, "select number, judge from comparison_groups")).toEqual([{ number: 1, judge: "offline" }]);
		const types = () => queryAll("select type from _recorded_events where payload like ? order by type", `%${id}%`);
		await expect.poll(types).toEqual(["task.matched", "task.opened", "task.status_changed"].map((type) => ({ type })));
	});

	it("begins the judge check with a trial and a job for each case", async () => {
		const { id } = await createDraft(poster);
		await runInDurableObject(env.TASK.getByName(id), async (object) => {
			const { deps } = object.runtime;
			object.runtime.deps = { ...deps, config: { ...deps.config, judgeCheck: true } };
			await poster.call("publishTask", at(id));
			object.runtime.deps = deps;
		});
		const names = JUDGE_CASES.filter(({ appliesTo }) => appliesTo("llm")).map(({ name }) => ({ kind: "judge_check", name }));
		const jobs = "select jobs.kind, trials.name from jobs join trials on trials.id = jobs.subject_id order by jobs.turn, jobs.id";
		expect(await queryTask(id, jobs)).toEqual(names);
		expect(await poster.call("getTask", at(id))).toMatchObject({ judge_check: { status: "running" } });
	});

	it("sets the alarm that sends what a crash would leave unsent", async () => {
		const { id } = await createDraft(poster);
		const alarm = await runInDurableObject(env.TASK.getByName(id), (_, { storage }) => storage.getAlarm());
		expect(alarm).toBeLessThanOrEqual(Date.now() + 15_000);
	});
});

describe("setting the visibility", () => {
	const set = (id: string, isOwnerSuspended: boolean) => hubs.callTask(id, setVisibility, { input: { isOwnerSuspended }, now });
	const moderate = (id: string, isTakenDown: boolean, isOwnerSuspended = false) => {
		const act = { id: crypto.randomUUID(), actor: "admin:1", reason: "Spam" };
		return hubs.callTask(id, takeTaskDown, { input: { act, isTakenDown, isOwnerSuspended }, now });
	};
	const shown = { taken_down_at: null, hidden: false };
	const down = { taken_down_at: new Date(now).toISOString(), hidden: true };

	it("hides the tasks of a suspended owner, and a task that was taken down stays hidden", async () => {
		const id = await openTask(poster);
		expect(await set(id, true)).toBe(true);
		await stranger.refused("getTask", "NOT_FOUND", at(id));
		expect(await moderate(id, true, true)).toEqual(down);
		expect(await set(id, false)).toBe(false);
		await stranger.refused("getTask", "NOT_FOUND", at(id));
		expect(await moderate(id, false)).toEqual(shown);
		await stranger.call("getTask", at(id));
	});
});
