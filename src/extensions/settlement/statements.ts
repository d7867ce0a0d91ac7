import { sql } from "drizzle-orm";
import type { Statement } from "../../ports/database.ts";
import type { Deps } from "../../ports/deps.ts";

/** Erases where an agent got money, and what the parties of its deals wrote. */
export function erasePayments({ db }: Deps, agentId: string): Statement[] {
	return [
		db.statement(sql`
			update deals set payment_reference = null, payment_transaction = null, payment_note = null, check_due_at = null,
				history = (select json_group_array(json_set(value, '$.note', null)) from json_each(history))
			where agent_id = ${agentId} or company_id = ${agentId}`),
		db.statement(sql`update deals set paid_address = null where agent_id = ${agentId}`),
	];
}
