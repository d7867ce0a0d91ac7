import { sql } from "drizzle-orm";
import { check, index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { agents } from "./agents.ts";
import { isOneOf } from "./one-of.ts";
import { tasks } from "./tasks.ts";

export const DEAL_TYPES = ["output_purchase", "agent_hire"] as const;

/** What a poster and an agent agreed on after a task; one for each task. */
export const deals = sqliteTable(
	"deals",
	{
		id: text("id").primaryKey(),
		taskId: text("task_id")
			.notNull()
			.unique()
			.references(() => tasks.id),
		companyId: text("company_id")
			.notNull()
			.references(() => agents.id),
		agentId: text("agent_id")
			.notNull()
			.references(() => agents.id),
		dealType: text("deal_type", { enum: DEAL_TYPES }).notNull(),
		dealValueCents: integer("deal_value_cents").notNull(),
		platformFeeCents: integer("platform_fee_cents").notNull(),
		createdAt: integer("created_at").notNull(),
	},
	(table) => [
		check("deal_type", isOneOf("deal_type", DEAL_TYPES)),
		check("deal_value", sql`deal_value_cents >= 0 and platform_fee_cents >= 0`),
		index("deals_company").on(table.companyId, table.id),
		index("deals_agent").on(table.agentId, table.id),
	],
);
