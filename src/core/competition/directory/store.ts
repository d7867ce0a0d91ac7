import { sql } from "drizzle-orm";
import { directoryOf } from "../../../db/parts.ts";
import type { Deps } from "../../../ports/deps.ts";

interface UntouchedDraft {
	readonly taskId: string;
	readonly isAnonymous: boolean;
	/** True if a person has claimed the agent. */
	readonly hasPerson: boolean;
}

/** Returns true if the task's card says that it is a draft. */
export async function hasDraftCard(deps: Pick<Deps, "db" | "parts">, taskId: string): Promise<boolean> {
	const rows = await directoryOf(deps, taskId).query.all(sql`select 1 as found from task_cards where id = ${taskId} and status = 'draft'`);
	return rows.length > 0;
}

/** Selects the drafts that have not changed since a time, oldest first. */
export async function selectUntouchedDrafts(
	{ db }: Deps,
	{ upTo, limit }: { readonly upTo: number; readonly limit: number },
): Promise<UntouchedDraft[]> {
	const rows = await db.query.all<{ taskId: string; isAnonymous: number; hasPerson: number }>(sql`
		select d.task_id as "taskId", a.tier = 'anonymous' as "isAnonymous", a.user_id is not null as "hasPerson"
		from anonymous_drafts d join agents a on a.id = d.agent_id
		where d.touched_at <= ${upTo} order by d.touched_at limit ${limit}`);
	return rows.map((row) => ({ ...row, isAnonymous: row.isAnonymous === 1, hasPerson: row.hasPerson === 1 }));
}
