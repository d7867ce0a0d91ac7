// Writes the rows of drafts that anonymous agents have made.
import { sql } from "drizzle-orm";
import type { Statement } from "../../../ports/database.ts";
import type { Deps } from "../../../ports/deps.ts";

type Db = Pick<Deps, "db">;

interface NewDraft {
	readonly taskId: string;
	readonly agentId: string;
	readonly now: number;
	/** An anonymous agent has at most this many drafts. */
	readonly limit: number;
}

/** Inserts the row of a new draft if its agent is anonymous. Over the limit, the constraint `anonymous_drafts_have_room` undoes the batch. */
export function insertDraft({ db }: Db, { taskId, agentId, now, limit }: NewDraft): Statement {
	return db.statement(sql`
		insert into anonymous_drafts (task_id, agent_id, touched_at, has_room)
		select ${taskId}, id, ${now}, (select count(*) from anonymous_drafts where agent_id = ${agentId} and task_id <> ${taskId}) < ${limit}
		from agents where id = ${agentId} and tier = 'anonymous'
		on conflict (task_id) do nothing`);
}

/** Records that a draft has changed. It also brings back the row of a draft of an anonymous agent when the directory is rebuilt. */
export function touchDraft({ db }: Db, { taskId, now }: { readonly taskId: string; readonly now: number }): Statement {
	return db.statement(sql`
		insert into anonymous_drafts (task_id, agent_id, touched_at, has_room)
		select c.id, c.company_id, ${now}, 1 from task_cards c join agents a on a.id = c.company_id
		where c.id = ${taskId} and c.status = 'draft' and a.tier = 'anonymous'
		on conflict (task_id) do update set touched_at = excluded.touched_at`);
}

/** Deletes the row of a task unless its card is a draft's, because cards come late and twice. */
export function deletePublishedDraft({ db }: Db, taskId: string): Statement {
	return db.statement(sql`
		delete from anonymous_drafts where task_id = ${taskId} and not exists (select 1 from task_cards where id = ${taskId} and status = 'draft')`);
}

export function deleteDrafts({ db }: Db, taskIds: readonly string[]): Statement {
	return db.statement(sql`delete from anonymous_drafts where task_id in (select value from json_each(${JSON.stringify(taskIds)}))`);
}

/** Makes the sweep look at drafts again later. */
export function updateTouched({ db }: Db, { taskIds, now }: { readonly taskIds: readonly string[]; readonly now: number }): Statement {
	return db.statement(sql`
		update anonymous_drafts set touched_at = ${now} where task_id in (select value from json_each(${JSON.stringify(taskIds)}))`);
}
