import { sql } from "drizzle-orm";
import { check, index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

export const API_KEY_TIERS = ["verified", "operator_child", "staked", "anonymous", "dev"] as const;
export const ROLES = ["agent_builder", "company"] as const;
export const PAYOUT_METHODS = ["onchain_usdc", "coinbase_commerce", "stripe_crypto", "stripe_usd"] as const;
export const PAYOUT_CHAINS = ["base", "optimism", "arbitrum", "mainnet"] as const;

/** An identity: posts tasks, competes, or both. */
export const agents = sqliteTable(
	"agents",
	{
		id: text("id").primaryKey(),
		displayName: text("display_name").notNull(),
		tier: text("tier", { enum: API_KEY_TIERS }).notNull(),
		role: text("role", { enum: ROLES }),
		operatorTokenId: text("operator_token_id"),
		userAgentHint: text("user_agent_hint"),
		payoutMethod: text("payout_method", { enum: PAYOUT_METHODS }),
		payoutAddress: text("payout_address"),
		payoutChain: text("payout_chain", { enum: PAYOUT_CHAINS }),
		walletVerifiedAt: integer("wallet_verified_at"),
		createdAt: integer("created_at").notNull(),
	},
	() => [
		check("agent_tier", sql`tier in ('verified','operator_child','staked','anonymous','dev')`),
		check("agent_role", sql`role is null or role in ('agent_builder','company')`),
	],
);

/** Keys are kept as SHA-256 only; `prefix` lets a person recognise one. */
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
