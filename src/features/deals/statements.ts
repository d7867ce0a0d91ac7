import { and, eq, type SQL, sql } from "drizzle-orm";
import { guard } from "../../db/commit.ts";
import { agents } from "../../db/schema/agents.ts";
import { dealHistory, deals } from "../../db/schema/deals.ts";
import type { DealStatus } from "../../domain/deal-status.ts";
import type { Statement } from "../../ports/database.ts";
import type { Deps } from "../../ports/deps.ts";
import type { DealRow, DealWallet, HistoryRow } from "./store.ts";

/** Of several deals on one task, the unique index over the task admits one. */
export function insertDeal(deps: Deps, row: typeof deals.$inferInsert): Statement {
	return deps.db.query.insert(deals).values(row);
}

/** The key of the table admits each action once. */
export function insertHistory(deps: Deps, rows: HistoryRow[]): Statement {
	return deps.db.query.insert(dealHistory).values(rows);
}

/** Holds while a deal has the status that the decision saw. */
export function guardStatus(deps: Deps, { id, status }: { readonly id: string; readonly status: DealStatus }): Statement {
	return guard(deps.db, exists(sql`deals where ${and(eq(deals.id, id), eq(deals.status, status))}`));
}

/** Holds while an agent is paid where the decision saw it. */
export function guardWallet(deps: Deps, agentId: string, wallet: DealWallet): Statement {
	const { payoutMethod, payoutAddress, payoutChain } = wallet;
	const isSame = sql`payout_method is ${payoutMethod} and payout_address is ${payoutAddress} and payout_chain is ${payoutChain}`;
	return guard(deps.db, exists(sql`agents where ${and(eq(agents.id, agentId), isSame)}`));
}

/** Holds for the consumer that looked a payment up last. */
export function guardCheck(deps: Deps, { id, checks }: Pick<DealRow, "id" | "checks">): Statement {
	return guard(deps.db, exists(sql`deals where ${and(eq(deals.id, id), eq(deals.checks, checks))} and payment_verified is null`));
}

const exists = (rows: SQL): SQL => sql`exists (select 1 from ${rows})`;

export function updateDeal(deps: Deps, id: string, change: Partial<Omit<DealRow, "id">>): Statement {
	return deps.db.query.update(deals).set(change).where(eq(deals.id, id));
}
