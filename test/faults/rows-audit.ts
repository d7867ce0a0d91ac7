// Audits the rows: each evaluation exists once and reads as before, and the cards match.
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { asc } from "drizzle-orm";
import { expect } from "vitest";
import { readSubmissionCards, readTaskCard } from "../../src/core/competition/directory/read-cards.ts";
import { submissionCards, taskCards } from "../../src/db/schema/cards.ts";
import { openTaskDatabase } from "../../src/db/task/database.ts";
import { testDeps } from "../support/deps.ts";
import { queryAll } from "../support/storage.ts";
import { readRevision } from "./settled.ts";
import type { Stage } from "./stage.ts";

/** This is what the object of a task stores, with the cards that it would write. */
export type StoredTaskRows = Awaited<ReturnType<typeof readRows>>;

/** Returns all tasks of the stage. */
export async function readTasks({ tasks, closed }: Stage): Promise<StoredTaskRows[]> {
	const found: StoredTaskRows[] = [];
	for (const { id } of [...tasks, ...closed]) found.push(await readRows(id));
	return found;
}

interface Submission extends Record<string, SqlStorageValue> {
	readonly id: string;
	readonly agent_id: string;
	readonly status: string;
	readonly slot_returned: number;
}

function readRows(id: string) {
	return runInDurableObject(env.TASK.getByName(id), (_, { storage }) => {
		const all = <Row extends Record<string, SqlStorageValue>>(text: string): Row[] => storage.sql.exec<Row>(text).toArray();
		const submissions = all<Submission>("select id, agent_id, status, slot_returned from submissions order by id");
		const db = openTaskDatabase(storage);
		const ids = submissions.map((row) => row.id);
		return {
			id,
			submissions,
			task: storage.sql.exec<{ submission_count: number; competitor_count: number }>("select * from tasks").one(),
			entries: all<{ agent_id: string; quota_used: number }>("select * from entries order by agent_id"),
			evaluations: all<{ id: string; submission_id: string; iteration: number }>("select * from evaluations"),
			reports: all<{ subject_id: string }>("select subject_id from reports where part = 0"),
			jobs: all("select id, kind, state from jobs"),
			owed: all("select id from outbox").length,
			cards: { task: readTaskCard(db), submissions: readSubmissionCards(db, ids).toSorted((a, b) => (a.id < b.id ? -1 : 1)) },
		};
	});
}

/** Returns how many submissions of closed tasks were read. */
export async function auditRows(stage: Stage, tasks: readonly StoredTaskRows[]): Promise<number> {
	for (const task of tasks) expectEvaluations(task);
	await expectCards(tasks);
	await expectEventsOf(tasks.flatMap(({ evaluations }) => evaluations));
	const texts = await readAll(stage);
	for (const [id, { revision, text }] of stage.readings) {
		const taskId = stage.acknowledged.get(id)?.taskId ?? "";
		if ((await readRevision(taskId, id)) === revision) expect(texts.get(id), id).toBe(text);
	}
	return texts.size;
}

type Row = Readonly<Record<string, unknown>>;

/** Expects that the directory shows each task and submission as its object has it. */
async function expectCards(tasks: readonly StoredTaskRows[]): Promise<void> {
	const { query } = testDeps().db;
	const carded = await query.select().from(taskCards).orderBy(asc(taskCards.id));
	const cards = tasks.flatMap(({ cards: { task } }) => (task === null ? [] : [task])).toSorted((a, b) => (a.id < b.id ? -1 : 1));
	expect(carded.filter(({ status }) => status !== "draft")).toEqual(cards);
	const submissions = await query.select().from(submissionCards).orderBy(asc(submissionCards.id));
	const held = tasks.flatMap((task) => task.cards.submissions).toSorted((a, b) => (a.id < b.id ? -1 : 1));
	expect(submissions).toEqual(held);
}

const READS_AT_ONCE = 8;

/** Returns the evaluations of each submission of a closed task, as its agent reads them. */
async function readAll(stage: Stage): Promise<Map<string, string>> {
	const closed = new Set(stage.closed.map(({ id }) => id));
	const works = [...stage.acknowledged].filter(([, { taskId }]) => closed.has(taskId));
	const texts = new Map<string, string>();
	for (let start = 0; start < works.length; start += READS_AT_ONCE) {
		const page = works.slice(start, start + READS_AT_ONCE);
		await Promise.all(
			page.map(async ([id, { agent }]) => {
				const response = await stage.as(agent).send("listEvaluations", { params: { id }, query: { limit: 100 } });
				expect(response.status, id).toBe(200);
				texts.set(id, await response.text());
			}),
		);
	}
	return texts;
}

/** Expects that each evaluation of a submission exists once, with its report. */
function expectEvaluations({ id, evaluations, reports }: StoredTaskRows): void {
	for (const [submissionId, rows] of Map.groupBy(evaluations, ({ submission_id }) => submission_id)) {
		const numbers = rows.map(({ iteration }) => iteration).toSorted((a, b) => a - b);
		expect(new Set(numbers).size, `${id} ${submissionId}`).toBe(numbers.length);
	}
	const reported = new Set(reports.map(({ subject_id }) => subject_id));
	expect(evaluations.filter((evaluation) => !reported.has(evaluation.id))).toEqual([]);
}

/** Expects exactly the evaluations that the platform has announced. */
async function expectEventsOf(evaluations: readonly Row[]): Promise<void> {
	const announced = await queryAll<{ id: string }>(
		"select payload->>'evaluationId' as id from _recorded_events where type = 'evaluation.completed' order by 1",
	);
	expect(evaluations.map(({ id }) => id).toSorted()).toEqual(announced.map(({ id }) => id));
}
