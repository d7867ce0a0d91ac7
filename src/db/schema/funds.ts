import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { PAYOUT_CHAINS } from "../../domain/chains.ts";

/** Each row is the last reading of a poster's wallet on its chain. */
export const posterFunds = sqliteTable("poster_funds", {
	agentId: text("agent_id").primaryKey(),
	/** The last look-up began at this time, and the next one begins 10 minutes later at the earliest. */
	claimedAt: integer("claimed_at").notNull(),
	chain: text("chain", { enum: PAYOUT_CHAINS }).notNull(),
	/** The wallet's address is in lower case. */
	address: text("address").notNull(),
	/** The balance is in units of the USDC contract. It is text, because it can exceed an integer of SQLite. It is null before the first success. */
	balance: text("balance"),
	checkedAt: integer("checked_at"),
});
