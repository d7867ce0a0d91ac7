// What must hold of the rows of submissions: each evaluation is there once, and reads as it was read before.
import { expect } from "vitest";
import { listEvaluations } from "../../src/features/submissions/contract.ts";
import { count, queryAll } from "../support/storage.ts";
import type { Stage } from "./stage.ts";

/** Returns how many submissions of closed tasks were read. */
export async function auditRows(stage: Stage): Promise<number> {
	expectEvaluations(
		await queryAll<Row>("select id, submission_id, iteration, job_id from evaluations"),
		await queryAll<Row>("select id, outcome from evaluation_jobs"),
	);
	expectNumbered(await queryAll<Row>("select subject_id, number from state_changes where subject_id in (select id from submissions)"));
	await expectEventsOf(await queryAll<Row>("select id from evaluations"));
	await expectSums(await queryAll<Row>("select task_id, calls from judge_usage"));
	const texts = await readAll(stage);
	for (const [id, { revision, text }] of stage.readings) {
		const isUnchanged = (await count("select revision from submissions where id = ?", id)) === revision;
		if (isUnchanged) expect(texts.get(id), id).toBe(text);
	}
	return texts.size;
}

type Row = Readonly<Record<string, unknown>>;

const READS_AT_ONCE = 8;

/** The evaluations of each submission of a closed task, as its agent reads them. */
async function readAll(stage: Stage): Promise<Map<string, string>> {
	const closed = new Set(stage.closed.map(({ id }) => id));
	const works = [...stage.acknowledged].filter(([, { taskId }]) => closed.has(taskId));
	const texts = new Map<string, string>();
	for (let start = 0; start < works.length; start += READS_AT_ONCE) {
		const page = works.slice(start, start + READS_AT_ONCE);
		await Promise.all(
			page.map(async ([id, { agent }]) => {
				const response = await stage.as(agent).send(listEvaluations, { params: { id }, query: { limit: 100 } });
				expect(response.status, id).toBe(200);
				texts.set(id, await response.text());
			}),
		);
	}
	return texts;
}

/** Each evaluation is there once, with the job that asked for it, and each job that ended with a score has one. */
function expectEvaluations(evaluations: readonly Row[], jobs: readonly Row[]): void {
	expect(new Set(evaluations.map(({ id }) => id)).size).toBe(evaluations.length);
	expect(new Set(evaluations.map(({ submission_id, iteration }) => `${submission_id} ${iteration}`)).size).toBe(evaluations.length);
	const asked = evaluations.flatMap(({ job_id }) => (job_id === null ? [] : [job_id])).toSorted();
	expect(asked).toEqual(
		jobs
			.filter(({ outcome }) => outcome === "scored")
			.map(({ id }) => id)
			.toSorted(),
	);
}

/** The states of a submission are numbered from 1 on, without a gap. */
function expectNumbered(changes: readonly Row[]): void {
	for (const [id, rows] of Map.groupBy(changes, ({ subject_id }) => subject_id)) {
		const numbers = rows.map(({ number }) => Number(number)).toSorted((a, b) => a - b);
		expect(numbers, String(id)).toEqual(numbers.map((_, index) => index + 1));
	}
}

/** As many evaluations as the platform has announced, and the same ones. */
async function expectEventsOf(evaluations: readonly Row[]): Promise<void> {
	const announced = await queryAll<{ id: string }>(
		"select payload->>'evaluationId' as id from _recorded_events where type = 'evaluation.completed' order by 1",
	);
	expect(evaluations.map(({ id }) => id).toSorted()).toEqual(announced.map(({ id }) => id));
}

async function expectSums(usage: readonly Row[]): Promise<void> {
	for (const { task_id, calls } of await queryAll<{ task_id: string; calls: number }>("select task_id, calls from task_judge_usage")) {
		const own = usage.filter((row) => row["task_id"] === task_id);
		expect(own.reduce((sum, row) => sum + Number(row["calls"]), 0)).toBe(calls);
	}
}
