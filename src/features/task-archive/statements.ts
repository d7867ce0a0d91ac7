import { getTableColumns, sql } from "drizzle-orm";
import { ARCHIVED_TABLES } from "../../db/archived.ts";
import { guard } from "../../db/commit.ts";
import type { Statement } from "../../ports/database.ts";
import type { Deps } from "../../ports/deps.ts";
import type { ArchivedTable, RawRow, RowsByTable } from "./rules.ts";
import type { ArchivedPart } from "./store.ts";

interface NewPart extends ArchivedPart {
	/** The last submission of the part before; empty for the first part. */
	readonly after: string;
	readonly submissions: readonly { readonly id: string; readonly revision: number }[];
}

/**
 * Holds while a settled task has no part here, and while its submissions in this range are the ones that were read, unchanged and not
 * being evaluated. Every verb that changes a submission or asks for an evaluation counts the submission's revision.
 */
export function guardQuiet(deps: Deps, { taskId, lastId, after, submissions }: NewPart, before: number): Statement[] {
	const range = sql`task_id = ${taskId} and id > ${after} and id <= ${lastId}`;
	const read = sql`json_each(${JSON.stringify(submissions.map(({ id, revision }) => [id, revision]))})`;
	return [
		guard(
			deps.db,
			sql`exists (select 1 from tasks where id = ${taskId} and status = 'closed' and quiet_since <= ${before}
				and (round_status is null or round_status = 'ended'))`,
		),
		guard(
			deps.db,
			sql`(select coalesce(max(last_id), '') from task_archives where task_id = ${taskId} and last_id < ${lastId}) = ${after}
				and not exists (select 1 from task_archives where task_id = ${taskId} and last_id = ${lastId} and key is not null)`,
		),
		guard(
			deps.db,
			sql`(select count(*) from submissions where ${range}) = ${submissions.length}
				and not exists (select 1 from ${read} where not exists (
					select 1 from submissions where id = value->>0 and revision = value->>1 and status <> 'running'))
				and not exists (select 1 from evaluation_jobs where finished_at is null and submission_id in (select value->>0 from ${read}))`,
		),
	];
}

/** Takes rows out of D1 by their keys, so that a row which was not read stays. */
export function deleteRows(deps: Deps, rows: RowsByTable): Statement[] {
	const tables: readonly ArchivedTable[] = ["evaluations", "evaluation_jobs"];
	const idsOf = (list: readonly RawRow[]) => JSON.stringify(list.map(({ id }) => id));
	const usage = JSON.stringify(rows.judge_usage.map(({ task_id, id }) => [task_id, id]));
	const changes = JSON.stringify(rows.state_changes.map(({ subject_id, number }) => [subject_id, number]));
	return [
		...tables.map((name) =>
			deps.db.statement(sql`delete from ${sql.identifier(name)} where id in (select value from json_each(${idsOf(rows[name])}))`),
		),
		deps.db.statement(sql`delete from judge_usage where (task_id, id) in (select value->>0, value->>1 from json_each(${usage}))`),
		deps.db.statement(
			sql`delete from state_changes where (subject_id, number) in (select value->>0, value->>1 from json_each(${changes}))`,
		),
	];
}

export function putPart(deps: Deps, { taskId, lastId, key }: ArchivedPart): Statement {
	return deps.db.statement(sql`
		insert into task_archives (task_id, last_id, key) values (${taskId}, ${lastId}, ${key})
		on conflict (task_id, last_id) do update set key = excluded.key`);
}

/** Ends the work on a task whose submissions are all in its archive. Changes nothing about any other task. */
export function endArchive(deps: Deps, taskId: string, before: number): Statement {
	return deps.db.statement(sql`
		update tasks set quiet_since = null where id = ${taskId} and status = 'closed' and quiet_since <= ${before}
			and (round_status is null or round_status = 'ended')
			and not exists (select 1 from task_archives where task_id = ${taskId} and key is null)
			and not exists (select 1 from submissions where task_id = ${taskId}
				and id > coalesce((select max(last_id) from task_archives where task_id = ${taskId}), ''))`);
}

/** Holds while a part is where it was. */
export function guardPart(deps: Deps, { taskId, lastId, key }: ArchivedPart): Statement {
	return guard(deps.db, sql`exists (select 1 from task_archives where task_id = ${taskId} and last_id = ${lastId} and key = ${key})`);
}

/** D1 takes parameters of 2 MB. */
const MAX_CHARACTERS = 500_000;

/**
 * Puts archived rows back into D1. Rows that are there stay: a restored backup may have them twice. Put it in front of
 * {@link releasePart}, so that usage is not counted again.
 */
export function insertRows(deps: Deps, name: ArchivedTable, rows: readonly RawRow[]): Statement[] {
	const columns = Object.values(getTableColumns(ARCHIVED_TABLES[name].table)).map((column) => column.name);
	const names = sql.join(
		columns.map((column) => sql.identifier(column)),
		sql`, `,
	);
	const values = sql.join(
		columns.map((column) => sql`value->>${column}`),
		sql`, `,
	);
	return pack(rows.map((row) => JSON.stringify(row))).map((page) =>
		deps.db.statement(sql`insert or ignore into ${sql.identifier(name)} (${names}) select ${values} from json_each(${page})`),
	);
}

/** JSON arrays of bounded length. A row that is longer has one of its own. */
function pack(rows: readonly string[]): string[] {
	const pages: string[][] = [];
	let characters = MAX_CHARACTERS;
	for (const row of rows) {
		if (characters + row.length > MAX_CHARACTERS) {
			pages.push([]);
			characters = 0;
		}
		pages.at(-1)?.push(row);
		characters += row.length;
	}
	return pages.map((page) => `[${page.join(",")}]`);
}

/** Records that a part's rows are in D1. The task waits as long as after its close before they are archived again. */
export function releasePart(deps: Deps, { taskId, lastId }: ArchivedPart): Statement[] {
	return [
		deps.db.statement(sql`update task_archives set key = null where task_id = ${taskId} and last_id = ${lastId}`),
		deps.db.statement(sql`update tasks set quiet_since = ${deps.clock.now()} where id = ${taskId}`),
	];
}
