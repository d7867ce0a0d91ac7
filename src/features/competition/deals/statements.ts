import { and, eq, type SQL, sql } from "drizzle-orm";
import { guard } from "../../../db/commit.ts";
import { agents } from "../../../db/schema/agents.ts";
import { deals } from "../../../db/schema/deals.ts";
import type { Statement } from "../../../ports/database.ts";
import type { Deps } from "../../../ports/deps.ts";
import type { DealRow, DealWallet, HistoryEntry } from "./store.ts";

/** The unique index over the task admits one deal per task. */
export function insertDeal(deps: Deps, row: typeof deals.$inferInsert): Statement {
	return deps.db.query.insert(deals).values(row);
}

/**
 * Holds while a deal is as the decision saw it: where its parties have brought it, and what is known of its payment. Both are in
 * the events, so neither can change unseen. Each look at a payment is counted, so of two consumers the later one's result counts.
 */
export function guardDeal(deps: Deps, { id, status, paymentVerified, checks }: DealRow): Statement {
	const verified = paymentVerified === null ? null : Number(paymentVerified);
	const isSame = and(eq(deals.id, id), eq(deals.status, status), eq(deals.checks, checks), sql`payment_verified is ${verified}`);
	return guard(deps.db, exists(sql`deals where ${isSame}`));
}

/** Holds while an agent is paid where the decision saw it. */
export function guardWallet(deps: Deps, agentId: string, wallet: DealWallet): Statement {
	const { payoutMethod, payoutAddress, payoutChain } = wallet;
	const isSame = sql`payout_method is ${payoutMethod} and payout_address is ${payoutAddress} and payout_chain is ${payoutChain}`;
	return guard(deps.db, exists(sql`agents where ${and(eq(agents.id, agentId), isSame)}`));
}

const exists = (rows: SQL): SQL => sql`exists (select 1 from ${rows})`;

interface DealChange {
	readonly change: Partial<Omit<DealRow, "id">>;
	/** What is added to its history. */
	readonly entries: readonly HistoryEntry[];
}

/** Put {@link guardDeal} before it: each entry comes with a change that it guards, so each is added once. */
export function updateDeal(deps: Deps, id: string, { change, entries }: DealChange): Statement {
	const added = entries.map((entry) => sql`, '$[#]', json(${JSON.stringify(entry)})`);
	const history = sql`json_insert(history${sql.join(added)})`;
	return deps.db.query
		.update(deals)
		.set({ ...change, history })
		.where(eq(deals.id, id));
}
