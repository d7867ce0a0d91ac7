// Statements for the rows of anonymous agents' drafts and of test tasks.
import { sql } from "drizzle-orm";
import { DAY_MS } from "../../../platform/clock.ts";
import type { Statement } from "../../../ports/database.ts";
import type { Deps } from "../../../ports/deps.ts";

type Db = Pick<Deps, "db">;

interface NewDraft {
	readonly taskId: string;
	readonly agentId: string;
	readonly now: number;
	/** The maximum number of rows per agent. */
	readonly limit: number;
}

/**
 * Inserts the row of a new draft if its agent is anonymous. Over the limit, the constraint `anonymous_drafts_have_room` makes the batch
 * fail.
 */
export function insertDraft({ db }: Db, { taskId, agentId, now, limit }: NewDraft): Statement {
	return db.statement(sql`
		insert into anonymous_drafts (task_id, agent_id, touched_at, has_room)
		select ${taskId}, id, ${now}, (select count(*) from anonymous_drafts where agent_id = ${agentId} and task_id <> ${taskId}) < ${limit}
		from agents where id = ${agentId} and tier = 'anonymous'
		on conflict (task_id) do nothing`);
}

/** Records that an anonymous agent's draft has changed. Also restores the row when the directory is rebuilt. */
export function touchDraft({ db }: Db, { taskId, agentId, now }: Omit<NewDraft, "limit">): Statement {
	return db.statement(sql`
		insert into anonymous_drafts (task_id, agent_id, touched_at, has_room)
		select ${taskId}, id, ${now}, 1 from agents where id = ${agentId} and tier = 'anonymous'
		on conflict (task_id) do update set touched_at = excluded.touched_at`);
}

export function deleteDrafts({ db }: Db, taskIds: readonly string[]): Statement {
	return db.statement(sql`delete from anonymous_drafts where task_id in (select value from json_each(${JSON.stringify(taskIds)}))`);
}

/** Postpones drafts, so that the sweep checks them again later. */
export function updateTouched({ db }: Db, { taskIds, now }: { readonly taskIds: readonly string[]; readonly now: number }): Statement {
	return db.statement(sql`
		update anonymous_drafts set touched_at = ${now} where task_id in (select value from json_each(${JSON.stringify(taskIds)}))`);
}

/** Test tasks are deleted after 30 days, so an older row was left behind by a request that died. */
const TEST_TASK_LIMIT_MS = 31 * DAY_MS;

/** Inserts the row of a new test task. Over the limit, the constraint `test_tasks_have_room` makes the batch fail. */
export function insertTestTask({ db }: Db, { taskId, agentId, now, limit }: NewDraft): Statement {
	return db.statement(sql`
		insert into test_tasks (task_id, agent_id, created_at, has_room)
		select ${taskId}, ${agentId}, ${now}, (select count(*) from test_tasks
			where agent_id = ${agentId} and created_at > ${now - TEST_TASK_LIMIT_MS} and task_id <> ${taskId}) < ${limit}
		where true on conflict (task_id) do nothing`);
}

/** Restores the row of a test task when the directory is rebuilt. */
export function keepTestTask({ db }: Db, { taskId, agentId, now }: Omit<NewDraft, "limit">): Statement {
	return db.statement(sql`insert into test_tasks (task_id, agent_id, created_at, has_room) values (${taskId}, ${agentId}, ${now}, 1)
		on conflict (task_id) do nothing`);
}

export function deleteTestTasks({ db }: Db, taskIds: readonly string[]): Statement {
	return db.statement(sql`delete from test_tasks where task_id in (select value from json_each(${JSON.stringify(taskIds)}))`);
}

/** Deletes the deals of a test task together with the task. */
export function deleteTestDeals({ db }: Db, taskId: string): Statement {
	return db.statement(sql`delete from deals where task_id = ${taskId} and is_test = 1`);
}
