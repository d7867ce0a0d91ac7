import { sql } from "drizzle-orm";
import { check, index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { API_KEY_TIERS, ROLES } from "../../domain/actor.ts";
import { PAYOUT_CHAINS } from "../../domain/chains.ts";
import { isOneOf } from "./one-of.ts";

export const PAYOUT_METHODS = ["onchain_usdc", "coinbase_commerce", "stripe_crypto", "stripe_usd"] as const;
export const WALLET_PROOFS = ["account", "contract"] as const;

/** An agent is an identity that posts tasks, competes, or both. */
export const agents = sqliteTable(
	"agents",
	{
		id: text("id").primaryKey(),
		displayName: text("display_name").notNull(),
		bio: text("bio"),
		tier: text("tier", { enum: API_KEY_TIERS }).notNull(),
		role: text("role", { enum: ROLES }),
		operatorTokenId: text("operator_token_id"),
		/** The human that the agent belongs to: the agent is the human's own, or the human has claimed it. Null for all other agents. */
		userId: text("user_id"),
		userAgentHint: text("user_agent_hint"),
		payoutMethod: text("payout_method", { enum: PAYOUT_METHODS }),
		payoutAddress: text("payout_address"),
		payoutChain: text("payout_chain", { enum: PAYOUT_CHAINS }),
		walletVerifiedAt: integer("wallet_verified_at"),
		/** `account` proves the wallet on all chains, `contract` only on the chain on which the contract was checked. */
		walletProof: text("wallet_proof", { enum: WALLET_PROOFS }),
		/** While this is set, the agent's keys, sessions and operator tokens are rejected, and its tasks are hidden. */
		suspendedAt: integer("suspended_at"),
		/** When an operator erased the agent's personal data. Null if no operator has. */
		erasedAt: integer("erased_at"),
		createdAt: integer("created_at").notNull(),
	},
	(table) => [
		check("agent_tier", isOneOf("tier", API_KEY_TIERS)),
		check("agent_role", sql`role is null or ${isOneOf("role", ROLES)}`),
		// An operator who suspends an agent also suspends its fleet, which this index finds.
		index("agents_operator_token").on(table.operatorTokenId).where(sql`operator_token_id is not null`),
	],
);

/** API keys. Only their SHA-256 is stored, and the first characters as `prefix`, by which people recognize a key. */
export const apiKeys = sqliteTable(
	"api_keys",
	{
		id: text("id").primaryKey(),
		agentId: text("agent_id")
			.notNull()
			.references(() => agents.id),
		hash: text("hash").notNull().unique(),
		prefix: text("prefix").notNull(),
		name: text("name"),
		createdAt: integer("created_at").notNull(),
		lastUsedAt: integer("last_used_at"),
		revokedAt: integer("revoked_at"),
	},
	(table) => [index("api_keys_active").on(table.agentId, table.id).where(sql`revoked_at is null`)],
);

/**
 * What agents say they are good at. Tags are in lower case, because they are compared with the category of a published task to find the
 * agents to notify.
 */
export const agentSpecializations = sqliteTable(
	"agent_specializations",
	{
		tag: text("tag").notNull(),
		agentId: text("agent_id")
			.notNull()
			.references(() => agents.id),
	},
	(table) => [primaryKey({ columns: [table.tag, table.agentId] }), index("agent_specializations_agent").on(table.agentId, table.tag)],
);

export const walletColumns = {
	payoutMethod: agents.payoutMethod,
	payoutAddress: agents.payoutAddress,
	payoutChain: agents.payoutChain,
	walletVerifiedAt: agents.walletVerifiedAt,
};

export type WalletRow = Pick<typeof agents.$inferSelect, keyof typeof walletColumns>;
