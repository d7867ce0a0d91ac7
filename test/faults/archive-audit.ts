// What must hold of the archive: every row is in D1 or in an object, once, and no reader can tell which.
import { env } from "cloudflare:workers";
import { expect } from "vitest";
import { collectObjects } from "../../src/features/stored-objects/service.ts";
import { listEvaluations } from "../../src/features/submissions/contract.ts";
import { type ArchivedLine, archivedLine } from "../../src/features/task-archive/rules.ts";
import { archiveObjects, archiveTasks, bringBack } from "../../src/features/task-archive/service.ts";
import { HOUR_MS } from "../../src/platform/clock.ts";
import { manualClock } from "../support/deps.ts";
import { count, listBucket, queryAll } from "../support/storage.ts";
import { ARCHIVE_AFTER_MS, type Stage } from "./stage.ts";

export interface AuditedArchive {
	readonly archivedParts: number;
	readonly partsBroughtBack: number;
	readonly comparedReadings: number;
}

/** Records how often parts move, which no table of the platform does. */
export async function countMoves(): Promise<void> {
	const moved = "after update of key on task_archives begin insert into _archive_moves values (new.key is null); end";
	await env.DB.batch(
		[
			"create table _archive_moves (is_back integer)",
			"create trigger _archive_part_added after insert on task_archives begin insert into _archive_moves values (0); end",
			`create trigger _archive_part_moved ${moved}`,
		].map((statement) => env.DB.prepare(statement)),
	);
}

/** Everything is archived, then everything comes back, and each time all is there and reads as before. Leaves all rows in D1. */
export async function auditArchive(stage: Stage): Promise<AuditedArchive> {
	const moves = {
		archivedParts: await count("select count(*) from _archive_moves where not is_back"),
		partsBroughtBack: await count("select count(*) from _archive_moves where is_back"),
	};
	await expectWhole();
	const before = await readAll(stage);
	for (const [id, { text }] of stage.readings) {
		const isUnchanged = (await count("select revision from submissions where id = ?", id)) === stage.readings.get(id)?.revision;
		if (isUnchanged) expect(before.get(id), id).toBe(text);
	}
	await archiveAll(stage);
	await expectWhole();
	expect(await readAll(stage)).toEqual(before);
	await bringAllBack(stage);
	await expectWhole();
	expect(await readAll(stage)).toEqual(before);
	return { ...moves, comparedReadings: before.size };
}

async function archiveAll(stage: Stage): Promise<void> {
	while ((await count("select count(*) from tasks where status = 'closed' and quiet_since is not null")) > 0) {
		stage.clock.advance(ARCHIVE_AFTER_MS + 1);
		await archiveTasks(stage.openDeps());
	}
	expect(await count("select count(*) from task_archives where key is null")).toBe(0);
	await collectObjects({ ...stage.openDeps(), clock: manualClock(stage.clock.now() + 2 * HOUR_MS) }, archiveObjects);
	const parts = await queryAll<{ key: string }>("select key from task_archives order by key");
	expect(await listBucket("archives/")).toEqual(parts.map(({ key }) => key));
	expect(parts.length).toBeGreaterThan(0);
}

async function bringAllBack(stage: Stage): Promise<void> {
	for (const { last_id } of await queryAll<{ last_id: string }>("select last_id from task_archives"))
		await bringBack(stage.openDeps(), last_id);
	expect(await count("select count(*) from task_archives where key is not null")).toBe(0);
	expect(await listBucket("archives/")).toEqual([]);
}

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

/** Rows of D1 and of all objects together. */
async function expectWhole(): Promise<void> {
	const lines = await readLines();
	const archived = new Set(lines.map(({ submission_id }) => submission_id));
	const inD1 = await readTables();
	for (const name of ["evaluations", "judge_usage", "state_changes"] as const) {
		expect(
			inD1[name].filter((row) => archived.has(String(row["submission_id"] ?? row["subject_id"]))),
			name,
		).toEqual([]);
	}
	const all = (name: keyof typeof inD1) => [...inD1[name], ...lines.flatMap((line) => line[name])];
	expectEvaluations(all("evaluations"), all("evaluation_jobs"));
	expectNumbered(all("state_changes"));
	await expectEventsOf(all("evaluations"));
	await expectSums(all("judge_usage"));
}

type Row = Readonly<Record<string, unknown>>;

async function readTables(): Promise<Record<keyof Omit<ArchivedLine, "submission_id">, Row[]>> {
	return {
		evaluations: await queryAll<Row>("select id, submission_id, iteration, job_id from evaluations"),
		evaluation_jobs: await queryAll<Row>("select id, submission_id, outcome from evaluation_jobs"),
		judge_usage: await queryAll<Row>("select submission_id, task_id, calls from judge_usage"),
		state_changes: await queryAll<Row>("select subject_id, number from state_changes where subject_id in (select id from submissions)"),
	};
}

/** All archived submissions, each in the part whose range has it. */
async function readLines(): Promise<ArchivedLine[]> {
	const parts = await queryAll<{ task_id: string; last_id: string; key: string | null }>(
		"select task_id, last_id, key from task_archives order by task_id, last_id",
	);
	const lines: ArchivedLine[] = [];
	for (const [index, { task_id, last_id, key }] of parts.entries()) {
		if (key === null) continue;
		const previous = parts[index - 1];
		const after = previous?.task_id === task_id ? previous.last_id : "";
		const ids = await queryAll<{ id: string }>(
			"select id from submissions where task_id = ? and id > ? and id <= ? order by id",
			task_id,
			after,
			last_id,
		);
		const text = (await (await env.BUCKET.get(key))?.text()) ?? "";
		const found = text.split("\n").flatMap((line) => (line === "" ? [] : archivedLine.parse(JSON.parse(line))));
		expect(found.map(({ submission_id }) => submission_id)).toEqual(ids.map(({ id }) => id));
		lines.push(...found);
	}
	return lines;
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
