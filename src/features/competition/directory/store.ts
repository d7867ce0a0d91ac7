import { sql } from "drizzle-orm";
import type { Deps } from "../../../ports/deps.ts";

export interface UntouchedDraft {
	readonly taskId: string;
	/** The revision that the draft's card shows. It is null without a card. */
	readonly revision: number | null;
	readonly isAnonymous: boolean;
	/** A person has claimed the agent. */
	readonly hasPerson: boolean;
}

/** Selects the drafts that have not changed since a time, the oldest first. */
export async function selectUntouchedDrafts(
	{ db }: Deps,
	{ upTo, limit }: { readonly upTo: number; readonly limit: number },
): Promise<UntouchedDraft[]> {
	const rows = await db.query.all<{ taskId: string; revision: number | null; isAnonymous: number; hasPerson: number }>(sql`
		select d.task_id as "taskId", c.number as revision, a.tier = 'anonymous' as "isAnonymous", a.user_id is not null as "hasPerson"
		from anonymous_drafts d join agents a on a.id = d.agent_id left join task_cards c on c.id = d.task_id
		where d.touched_at <= ${upTo} order by d.touched_at limit ${limit}`);
	return rows.map((row) => ({ ...row, isAnonymous: row.isAnonymous === 1, hasPerson: row.hasPerson === 1 }));
}
