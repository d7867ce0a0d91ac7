// A task of 10,000 submissions is copied while submissions and evaluations go on, destroyed, and restored.
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { copyPrefix } from "../../../../src/core/competition/tasks/stored-objects.ts";
import { copyFolder, readStoredPage } from "../../../../src/extensions/copies/manifest.ts";
import { admin } from "../../../support/admin.ts";
import { watchBucket } from "../../../support/buckets.ts";
import { destroyTask, newestCopy } from "../../../support/copies.ts";
import { testDeps } from "../../../support/deps.ts";
import { wakeTask } from "../../../support/house.ts";
import { awaitEvaluation, hoursFromNow, openTask, registerAgent, submit } from "../../../support/scenario.ts";
import { countInTask, queryTask } from "../../../support/task-object.ts";

const SUBMISSIONS = 10_000;
const AGENTS = 2_000;
const reason = "A test.";
const at = (id: string) => ({ params: { id } });

/** Adds judged submissions of usual size. Their texts are random, so that gzip finds little in them. */
async function fill(taskId: string): Promise<void> {
	const numbers = (count: number) => `with recursive n(i) as (values (0) union all select i + 1 from n where i < ${count - 1})`;
	const id = "printf('00000000-0000-7000-8000-%012x', i)";
	const evaluation = "printf('00000000-0000-7002-8000-%012x', i)";
	const agent = `printf('00000000-0000-7001-8000-%012x', i % ${AGENTS})`;
	const score = "(i * 7919 % 9973) / 100.0";
	await runInDurableObject(env.TASK.getByName(taskId), (_, { storage: { sql } }) => {
		sql.exec(`${numbers(AGENTS)} insert into entries (agent_id, party, quota_used, created_at) select ${agent}, ${agent}, 5, 1 from n`);
		sql.exec(`${numbers(SUBMISSIONS)} insert into submissions (id, agent_id, status, evaluated, agent_display_name, artifact_sha256, final_score,
			llm_score, judge_score, samples, comparison_group, evaluated_at, shown_evaluation_id, iteration, handed_in_at, created_at, updated_at)
			select ${id}, ${agent}, 'completed', 1, 'Agent ' || (i % ${AGENTS}), hex(randomblob(32)), ${score}, ${score}, ${score}, 1, 1, i, ${evaluation}, 1, i, i, i from n`);
		sql.exec(`${numbers(SUBMISSIONS)} insert into evaluations (submission_id, iteration, id, round, eval_mode, rubric_version, judge, models,
			comparison_group, final_score, llm_score, dimensions, samples, receipt, created_at)
			select ${id}, 1, ${evaluation}, 'submission', 'llm', 1, 'offline', '[]', 1, ${score}, ${score}, '[]', '[]', hex(randomblob(600)), i from n`);
		sql.exec(`${numbers(SUBMISSIONS)} insert into reports (subject_id, part, text) select ${evaluation}, 0, hex(randomblob(4000)) from n`);
		sql.exec(`${numbers(SUBMISSIONS)} insert into signatures (submission_id, agent_id, accepted_at, shingles, minima)
			select ${id}, ${agent}, i, 128, hex(randomblob(256)) from n`);
		sql.exec(`update tasks set submission_count = submission_count + ${SUBMISSIONS}, competitor_count = competitor_count + ${AGENTS}`);
		sql.exec(`insert into board (agent_id, submission_id, agent_name, final_score, llm_score, samples, comparison_group, achieved_at, rank_key)
			select agent_id, id, agent_display_name, final_score, llm_score, 1, 1, handed_in_at,
				printf('2%04x%011x', 10000 - cast(round(final_score * 100) as integer), handed_in_at) || id
			from (select *, row_number() over (partition by agent_id order by final_score desc, handed_in_at, id) as place from submissions
				where id like '00000000-0000-7000-%') where place = 1`);
	});
}

/** Returns each row of a table as text, by its key. */
async function rowsOf(taskId: string, table: string, key: string): Promise<Map<string, string>> {
	const rows = await queryTask(taskId, `select * from ${table}`);
	return new Map(
		rows.map(({ revision: _, waiting_for: __, ...row }) => [
			key
				.split(" ")
				.map((column) => String(row[column]))
				.join(),
			JSON.stringify(row),
		]),
	);
}

async function boardOf(taskId: string): Promise<unknown[]> {
	return queryTask(taskId, "select * from board where agent_id like '00000000-%' order by rank_key");
}

it("brings back a task of 10,000 submissions as it was in one moment, and its work goes on", { timeout: 300_000 }, async () => {
	const [poster, ...agents] = await Promise.all(Array.from({ length: 9 }, (_, place) => registerAgent(`Agent ${place}`)));
	if (poster === undefined) throw new Error("There is no poster.");
	const taskId = await openTask(poster, { deadline: hoursFromNow(240), max_submissions_per_agent: 25 });
	const [first] = agents;
	if (first === undefined) throw new Error("There is no agent.");
	await awaitEvaluation(first, (await submit(first, taskId)).id);
	await fill(taskId);

	const logged: Readonly<Record<string, unknown>>[] = [];
	let stored = 0;
	const log = {
		info: (event: string, facts = {}) => void (event === "object_copied" && logged.push(facts)),
		error: () => {},
		warn: () => {},
	};
	const { bucket, use } = watchBucket({
		before: async (call) => {
			if (call !== "put") return;
			stored += 1;
			await scheduler.wait(150);
		},
	});
	const work = { isOver: false };
	const submitted: string[] = [];
	const goOn = agents.map(async (agent) => {
		while (!work.isOver && submitted.length < 150) {
			const { id } = await submit(agent, taskId);
			submitted.push(id);
			await awaitEvaluation(agent, id);
		}
	});
	// The copy is due now, so that the clock is the same for the copy and for the evaluations.
	await queryTask(taskId, "update copies set changed_at = 1");
	let alarms = 0;
	while (logged.length === 0 && alarms < 40) {
		alarms += 1;
		await wakeTask(taskId, { ...testDeps(), bucket, log: { ...testDeps().log, ...log } });
	}
	work.isOver = true;
	await Promise.all(goOn);
	const [facts = {}] = logged;
	process.stdout.write(`${JSON.stringify({ ...facts, ...use, alarms, submitted: submitted.length })}\n`);
	expect(Number(facts["held_bytes"])).toBeLessThan(16 * 1024 * 1024);
	expect(use.puts).toBe(stored);
	expect(use.puts).toBeLessThan(80);
	expect(use.lists).toBeLessThanOrEqual(4);
	expect(submitted.length).toBeGreaterThan(5);

	const manifest = await newestCopy(taskId);
	if (manifest === null) throw new Error("There is no copy.");
	const folder = copyFolder(copyPrefix(taskId), manifest.revision);
	for (const page of manifest.pages) await readStoredPage(env.BUCKET, folder, page);
	const keys = {
		submissions: "id",
		evaluations: "submission_id iteration",
		reports: "subject_id part",
		signatures: "submission_id",
		entries: "agent_id",
	};
	const before = new Map(
		await Promise.all(Object.entries(keys).map(async ([table, key]) => [table, await rowsOf(taskId, table, key)] as const)),
	);
	const board = await boardOf(taskId);
	await destroyTask(taskId);
	let step = await admin.call("restoreTaskCopy", { ...at(taskId), body: { reason } });
	while (step.last !== null) step = await admin.call("restoreTaskCopy", { ...at(taskId), body: { reason, after: step.last } });

	expect(await boardOf(taskId)).toEqual(board);
	expect(step.submissions).toBe(await countInTask(taskId, "select count(*) from submissions"));
	expect(await countInTask(taskId, "select count(*) from submissions where id like '00000000-%'")).toBe(SUBMISSIONS);
	// Nothing is torn: what is completed has its evaluation, its report and its slot.
	await expect.poll(() => countInTask(taskId, "select count(*) from submissions where status <> 'completed'"), { timeout: 60_000 }).toBe(0);
	await expect.poll(() => countInTask(taskId, "select count(*) from jobs"), { timeout: 60_000 }).toBe(0);
	expect(
		await countInTask(
			taskId,
			"select count(*) from submissions where not exists (select 1 from evaluations as e where e.submission_id = submissions.id)",
		),
	).toBe(0);
	expect(
		await countInTask(
			taskId,
			"select count(*) from evaluations where not exists (select 1 from reports where subject_id = evaluations.id)",
		),
	).toBe(0);
	expect(await countInTask(taskId, "select count(*) from evaluations where submission_id not in (select id from submissions)")).toBe(0);
	expect(await countInTask(taskId, "select submission_count - (select count(*) from submissions) from tasks")).toBe(0);
	for (const [table, key] of Object.entries(keys)) {
		const after = await rowsOf(taskId, table, key);
		const seeded = [...(before.get(table) ?? [])].filter(([row]) => row.startsWith("00000000-"));
		expect(seeded.filter(([row, text]) => after.get(row) !== text)).toEqual([]);
	}
	const { id } = await submit(first, taskId);
	await awaitEvaluation(first, id);
});
