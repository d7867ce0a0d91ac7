// The archive: rows of settled tasks that D1 need not keep move into objects, and come back before a verb changes what they belong to.
import { ARCHIVED_TABLES } from "../../db/archived.ts";
import { commit, StaleReadError } from "../../db/commit.ts";
import type { Deps } from "../../ports/deps.ts";
import type { StoredObjects } from "../stored-objects/service.ts";
import * as rules from "./rules.ts";
import * as statements from "./statements.ts";
import * as store from "./store.ts";

export const archiveObjects: StoredObjects = {
	prefix: rules.OBJECT_PREFIX,
	async selectUnreferenced(deps, keys) {
		const parts = keys.flatMap((key) => rules.parseObjectKey(key) ?? []);
		const others = keys.filter((key) => rules.parseObjectKey(key) === null);
		return [...others, ...(await store.selectUnreferenced(deps, parts))];
	},
};

export interface ArchiveLimits {
	readonly tasksPerRun: number;
	/** A part takes two calls to D1. One invocation, which all sweeps share, may make 1,000. */
	readonly callsPerRun: number;
	/** With 100, a run moves up to 20,000 submissions, so 28 million a day. */
	readonly partSubmissions: number;
	/** What the sweep has in memory at a time, with those of one submission more, which has 200 at most. An evaluation has 200 KB at most. */
	readonly partEvaluations: number;
	/** A reader loads a whole part. */
	readonly partCharacters: number;
}

const LIMITS: ArchiveLimits = { tasksPerRun: 200, callsPerRun: 400, partSubmissions: 100, partEvaluations: 100, partCharacters: 4_000_000 };

/**
 * Archives tasks on which nothing has moved for the time of `ARCHIVE_AFTER_DAYS`, as long as the run's budget of calls to D1 lasts.
 * Runs may overlap. Pauses with the switch `writes`, so that a backup can be a copy of one moment.
 *
 * @throws The first fault, after all other tasks had their turn.
 */
export async function archiveTasks(deps: Deps, limits: ArchiveLimits = LIMITS): Promise<void> {
	const { switches } = await deps.switchboard.read(deps);
	if (!switches.writes.on) return;
	const before = deps.clock.now() - deps.config.archiveAfterMs;
	const faults: unknown[] = [];
	for (const task of await store.selectQuietTasks(deps, { before, limit: limits.tasksPerRun })) {
		if (deps.db.use.calls >= limits.callsPerRun) break;
		try {
			await archiveTask(deps, task, { before, limits });
		} catch (error) {
			// Another run was faster, or something moved. The next run reads again.
			if (!(error instanceof StaleReadError)) faults.push(error);
		}
	}
	if (faults.length > 0) throw faults[0];
}

interface Run {
	readonly before: number;
	readonly limits: ArchiveLimits;
}

async function archiveTask(deps: Deps, task: store.QuietTask, { before, limits }: Run): Promise<void> {
	const { partSubmissions: maxSubmissions, partEvaluations: maxEvaluations } = limits;
	let after = task.after;
	while (deps.db.use.calls < limits.callsPerRun) {
		const range = await store.findRange(deps, { taskId: task.id, after, until: task.until, maxSubmissions, maxEvaluations });
		if (range === null) return;
		const movedAt = rules.lastMovement(range, deps.clock.now());
		if (movedAt > before) return store.savePostponement(deps, task, movedAt);
		const lines = cutPart(range, task.until === null ? limits.partCharacters : Number.POSITIVE_INFINITY);
		const last = lines.at(-1);
		if (last === undefined) return commit(deps.db, [statements.endArchive(deps, task.id, before)]);
		await storePart(deps, { taskId: task.id, after, range, lines, before });
		// A part that is written again ends where later parts begin. The next run looks for what is left.
		if (task.until !== null || (lines.length === range.submissions.length && !range.hasMore)) return;
		after = last.submission_id;
	}
}

type Range = NonNullable<Awaited<ReturnType<typeof store.findRange>>>;

/** The first submissions of a range with their rows: one at least, and no more than the characters allow. */
function cutPart({ submissions, rows }: Range, maxCharacters: number): rules.ArchivedLine[] {
	const evaluations = groupBy(rows.evaluations, "evaluations");
	const jobs = groupBy(rows.evaluation_jobs, "evaluation_jobs");
	const usage = groupBy(rows.judge_usage, "judge_usage");
	const changes = groupBy(rows.state_changes, "state_changes");
	const lines: rules.ArchivedLine[] = [];
	let characters = 0;
	for (const { id } of submissions) {
		const line = {
			submission_id: id,
			evaluations: evaluations.get(id) ?? [],
			evaluation_jobs: jobs.get(id) ?? [],
			judge_usage: usage.get(id) ?? [],
			state_changes: changes.get(id) ?? [],
		};
		characters += rules.writeLine(line).length;
		if (lines.length > 0 && characters > maxCharacters) break;
		lines.push(line);
	}
	return lines;
}

function groupBy(rows: readonly rules.RawRow[], name: rules.ArchivedTable): ReadonlyMap<unknown, rules.RawRow[]> {
	return Map.groupBy(rows, (row) => row[ARCHIVED_TABLES[name].submission]);
}

interface NewPart {
	readonly taskId: string;
	readonly after: string;
	readonly range: Range;
	readonly lines: readonly rules.ArchivedLine[];
	readonly before: number;
}

/** Stores the object, then moves the rows in one commit. What dies in between leaves an object for the collector. */
async function storePart(deps: Deps, { taskId, after, range, lines, before }: NewPart): Promise<void> {
	const lastId = lines.at(-1)?.submission_id ?? after;
	const key = rules.objectKeyOf({ taskId, lastId, id: deps.ids.next() });
	const part = { taskId, lastId, key };
	await deps.bucket.put(key, lines.map(rules.writeLine).join(""), { httpMetadata: { contentType: "application/jsonl" } });
	const submissions = range.submissions.slice(0, lines.length);
	try {
		await commit(deps.db, [
			...statements.guardQuiet(deps, { ...part, after, submissions }, before),
			...statements.deleteRows(deps, mergeLines(lines)),
			statements.putPart(deps, part),
			statements.endArchive(deps, taskId, before),
		]);
	} catch (error) {
		// After any other error the commit may still take place.
		if (error instanceof StaleReadError) await deps.bucket.delete(key);
		throw error;
	}
}

function mergeLines(lines: readonly rules.ArchivedLine[]): rules.RowsByTable {
	return {
		evaluations: lines.flatMap(({ evaluations }) => evaluations),
		evaluation_jobs: lines.flatMap(({ evaluation_jobs }) => evaluation_jobs),
		judge_usage: lines.flatMap(({ judge_usage }) => judge_usage),
		state_changes: lines.flatMap(({ state_changes }) => state_changes),
	};
}

/** The lines of a part, of one submission or of all; null if the object is gone. */
async function readLines(deps: Deps, key: string, submissionIds: readonly string[] | null): Promise<rules.ArchivedLine[] | null> {
	const object = await deps.bucket.get(key);
	if (object === null) return null;
	const starts = submissionIds?.map(rules.lineStart) ?? null;
	const lines = (await object.text()).split("\n").filter((line) => line !== "");
	const wanted = starts === null ? lines : lines.filter((line) => starts.some((start) => line.startsWith(start)));
	return wanted.map((line) => rules.archivedLine.parse(JSON.parse(line)));
}

const MAX_READS = 3;

/**
 * Reads something about a submission together with its archived rows, which are null while they are in D1. Reads again when the rows
 * were brought back in between.
 *
 * @param read Returns the column of `archiveKeyOf` with what it finds.
 */
export async function readWithArchive<Found extends { readonly archiveKey: string | null }>(
	deps: Deps,
	submissionId: string,
	read: () => Promise<Found | null>,
): Promise<{ found: Found | null; archived: rules.ArchivedLine | null }> {
	for (let tried = 1; ; tried += 1) {
		const found = await read();
		if (found === null || found.archiveKey === null) return { found, archived: null };
		const [archived] = (await readLines(deps, found.archiveKey, [submissionId])) ?? [];
		if (archived !== undefined) return { found, archived };
		if (tried === MAX_READS) throw missing(found.archiveKey);
		deps.db.refresh();
	}
}

function missing(key: string): Error {
	return new Error(`The archive ${key} is missing, or lacks a submission.`);
}

/**
 * Brings the archived rows of a submission back to D1, with those of its part. A verb that changes a closed task's submission calls it
 * first: the trigger `submission_archived` refuses the change otherwise.
 */
export async function bringBack(deps: Deps, submissionId: string): Promise<void> {
	const part = await store.findPart(deps, submissionId);
	if (part !== null) await bringBackPart(deps, part);
}

const PARTS_AT_ONCE = 50;

/** {@link bringBack} for all work of an agent. Each part that is back stays back, so a call that dies is repeated. */
export async function bringBackWorkOf(deps: Deps, agentId: string): Promise<void> {
	for (;;) {
		const parts = await store.selectPartsOfAgent(deps, agentId, PARTS_AT_ONCE);
		if (parts.length === 0) return;
		for (const part of parts) await bringBackPart(deps, part);
	}
}

async function bringBackPart(deps: Deps, part: store.ArchivedPart): Promise<void> {
	const lines = await readLines(deps, part.key, null);
	if (lines === null) {
		deps.db.refresh();
		if (await store.isStoredAt(deps, part)) throw missing(part.key);
		return;
	}
	const rows = mergeLines(lines);
	try {
		await commit(deps.db, [
			statements.guardPart(deps, part),
			...statements.insertRows(deps, "evaluations", rows.evaluations),
			...statements.insertRows(deps, "evaluation_jobs", rows.evaluation_jobs),
			...statements.insertRows(deps, "judge_usage", rows.judge_usage),
			...statements.insertRows(deps, "state_changes", rows.state_changes),
			...statements.releasePart(deps, part),
		]);
	} catch (error) {
		// Another request has brought it back.
		if (!(error instanceof StaleReadError)) throw error;
		deps.db.refresh();
		return;
	}
	await deps.bucket.delete(part.key);
}

/** The archived evaluations of an agent's submissions, as rows of D1. Reads up to `limit` submissions. */
export async function readArchivedEvaluations(deps: Deps, agentId: string, limit: number): Promise<rules.RawRow[]> {
	const archived = await store.selectArchivedOfAgent(deps, agentId, limit);
	const rows: rules.RawRow[] = [];
	for (const [key, submissions] of Map.groupBy(archived, (submission) => submission.key)) {
		const ids = submissions.map(({ id }) => id);
		const lines = await readLines(deps, key, ids);
		if (lines === null) throw missing(key);
		rows.push(...lines.flatMap(({ evaluations }) => evaluations));
	}
	return rows;
}
