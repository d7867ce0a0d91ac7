import { and, eq, type SQL, sql } from "drizzle-orm";
import type { DealRow } from "../../core/competition/deals/store.ts";
import { guard } from "../../db/commit.ts";
import { agents, type WalletRow } from "../../db/schema/agents.ts";
import { deals } from "../../db/schema/deals.ts";
import type { HistoryEntry } from "../../fields/settlement.ts";
import type { Statement } from "../../ports/database.ts";
import type { Deps } from "../../ports/deps.ts";

/**
 * Guard: the deal's status and payment have not changed since they were read, because events show both. Lookups of a payment are counted,
 * so if two consumers overlap, only the later result counts. An erasure counts as a lookup.
 */
export function guardDeal(deps: Deps, { id, status, paymentVerified, checks }: DealRow): Statement {
	const verified = paymentVerified === null ? null : Number(paymentVerified);
	const isSame = and(eq(deals.id, id), eq(deals.status, status), eq(deals.checks, checks), sql`payment_verified is ${verified}`);
	return guard(deps.db, exists(sql`deals where ${isSame}`));
}

/** Guard: the agent's wallet has not changed since it was read. */
export function guardWallet(deps: Deps, agentId: string, wallet: WalletRow): Statement {
	const { payoutMethod, payoutAddress, payoutChain } = wallet;
	const isSame = sql`payout_method is ${payoutMethod} and payout_address is ${payoutAddress} and payout_chain is ${payoutChain}`;
	return guard(deps.db, exists(sql`agents where ${and(eq(agents.id, agentId), isSame)}`));
}

const exists = (rows: SQL): SQL => sql`exists (select 1 from ${rows})`;

/**
 * Changes a deal and adds to its history.
 * Put {@link guardDeal} before it: the guard fails for a repeated change, so entries are added only once.
 *
 * @param change Only the columns that the decision changes, because the guard does not compare the others, and another consumer may write
 * them.
 */
export function updateDeal(
	deps: Deps,
	id: string,
	{ change, entries }: { readonly change: Partial<Omit<DealRow, "id">>; readonly entries: readonly HistoryEntry[] },
): Statement {
	const added = entries.map((entry) => sql`, '$[#]', json(${JSON.stringify(entry)})`);
	const history = sql`json_insert(history${sql.join(added)})`;
	return deps.db.query
		.update(deals)
		.set({ ...change, history })
		.where(eq(deals.id, id));
}

/** Erases where an agent was paid, and what the parties of its deals wrote. A running lookup cannot write any of this again. */
export function erasePayments({ db }: Deps, agentId: string): Statement[] {
	return [
		db.statement(sql`
			update deals set payment_reference = null, payment_transaction = null, payment_note = null, check_due_at = null, checks = checks + 1,
				history = (select json_group_array(json_set(value, '$.note', null)) from json_each(history))
			where agent_id = ${agentId} or company_id = ${agentId}`),
		db.statement(sql`
			update deals set paid_address = null, seen_address = null,
				history = (select json_group_array(json_set(value, '$.address', null)) from json_each(history))
			where agent_id = ${agentId}`),
	];
}
