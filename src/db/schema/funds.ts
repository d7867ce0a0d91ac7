import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { PAYOUT_CHAINS } from "../../domain/chains.ts";

/** The last reading of each poster's wallet on its chain. */
export const posterFunds = sqliteTable("poster_funds", {
	agentId: text("agent_id").primaryKey(),
	/** The last look-up began at this time, and the next one begins 10 minutes later at the earliest. */
	claimedAt: integer("claimed_at").notNull(),
	chain: text("chain", { enum: PAYOUT_CHAINS }).notNull(),
	/** In lower case. */
	address: text("address").notNull(),
	/**
	 * Units of the USDC contract in decimal digits, which can pass what an integer of SQLite holds. It is null before the first success.
	 */
	balance: text("balance"),
	checkedAt: integer("checked_at"),
});
