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

/** Records that a draft of an anonymous agent has changed. It also brings back its row when the directory is rebuilt. */
export function touchDraft({ db }: Db, { taskId, agentId, now }: Omit<NewDraft, "limit">): Statement {
	return db.statement(sql`
		insert into anonymous_drafts (task_id, agent_id, touched_at, has_room)
		select ${taskId}, id, ${now}, 1 from agents where id = ${agentId} and tier = 'anonymous'
		on conflict (task_id) do update set touched_at = excluded.touched_at`);
}

export function deleteDrafts({ db }: Db, taskIds: readonly string[]): Statement {
	return db.statement(sql`delete from anonymous_drafts where task_id in (select value from json_each(${JSON.stringify(taskIds)}))`);
}

/** Makes the sweep look at drafts again later. */
export function updateTouched({ db }: Db, { taskIds, now }: { readonly taskIds: readonly string[]; readonly now: number }): Statement {
	return db.statement(sql`
		update anonymous_drafts set touched_at = ${now} where task_id in (select value from json_each(${JSON.stringify(taskIds)}))`);
}
