import { sql } from "drizzle-orm";
import { check, index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { NETWORK_CAPS } from "../../domain/network-caps.ts";
import { isOneOf } from "./one-of.ts";

/**
 * What the agents of one holder used on one UTC day. For each kind, a constraint rejects use above the cap, even by parallel requests. Rows
 * are deleted after two days.
 */
export const networkUsage = sqliteTable(
	"network_usage",
	{
		/**
		 * `network:` and a keyed hash of the network and the day, so that no row reveals an IP address or links two days. Or `person:` and the
		 * id of a signed-in person. For an IP address that many people share, there are two rows: `agent:` and the agent's id, and `strangers`.
		 */
		holder: text("holder").notNull(),
		kind: text("kind", { enum: NETWORK_CAPS }).notNull(),
		/** A day looks like 2026-11-22. */
		day: text("day").notNull(),
		used: integer("used").notNull(),
		cap: integer("cap").notNull(),
	},
	(table) => [
		primaryKey({ columns: [table.holder, table.kind, table.day] }),
		index("network_usage_day").on(table.day),
		check("network_usage_kind", isOneOf("kind", NETWORK_CAPS)),
		...NETWORK_CAPS.map((kind) => check(`network_${kind}_within_cap`, sql`${sql.raw(`kind <> '${kind}'`)} or used <= cap`)),
	],
);

/** Registration challenges that have been used. They are kept until they expire, because each may be used only once. */
export const usedChallenges = sqliteTable(
	"used_challenges",
	{ nonce: text("nonce").primaryKey(), expiresAt: integer("expires_at").notNull() },
	(table) => [index("used_challenges_expiry").on(table.expiresAt)],
);
