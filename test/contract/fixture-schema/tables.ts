// A small schema for the tests of npm run migration: references, checks, a table without row ids, and a table that a trigger writes.
import { sql } from "drizzle-orm";
import { check, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";

export const agents = sqliteTable(
	"agents",
	{ id: text("id").primaryKey(), displayName: text("display_name").notNull(), tier: text("tier").notNull() },
	() => [check("agent_tier", sql`tier in ('anonymous','verified')`)],
);

export const tags = sqliteTable(
	"tags",
	{
		tag: text("tag").notNull(),
		agentId: text("agent_id")
			.notNull()
			.references(() => agents.id),
	},
	(table) => [primaryKey({ columns: [table.tag, table.agentId] })],
);

export const webhooks = sqliteTable("webhooks", {
	id: text("id").primaryKey(),
	agentId: text("agent_id")
		.notNull()
		.references(() => agents.id),
	isCapped: integer("is_capped").notNull(),
});

export const usage = sqliteTable(
	"usage",
	{ network: text("network").notNull(), kind: text("kind").notNull(), used: integer("used").notNull() },
	(table) => [primaryKey({ columns: [table.network, table.kind] }), check("usage_kind", sql`kind in ('agents','bytes')`)],
);

export const deals = sqliteTable(
	"deals",
	{
		id: text("id").primaryKey(),
		agentId: text("agent_id")
			.notNull()
			.references(() => agents.id),
		valueCents: integer("value_cents").notNull(),
	},
	() => [check("deal_value", sql`value_cents >= 0`)],
);
