import { sql } from "drizzle-orm";
import { isTroubled } from "../../../db/schema/webhooks.ts";
import type { Deps } from "../../../ports/deps.ts";

export interface Overdue {
	readonly kind: "task" | "webhook";
	readonly id: string;
}

/** Selects tasks that are open although their deadline was before this time, and webhooks with deliveries that were due before it. */
export function selectOverdue(deps: Deps, { before, limit }: { readonly before: number; readonly limit: number }): Promise<Overdue[]> {
	return deps.db.query.all<Overdue>(sql`
		select 'task' as kind, id from task_cards indexed by task_cards_deadline
			where status = 'open' and closed_at is null and deadline < ${before}
		union all select 'webhook', id from webhooks indexed by webhooks_troubled
			where ${isTroubled} and active = 1 and waiting_deliveries > 0 and waiting_since < ${before}
		limit ${limit}`);
}
