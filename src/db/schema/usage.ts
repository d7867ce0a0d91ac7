import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";

/** This holder has the sums over all posters in {@link judgeUsageDays}. */
export const DEPLOYMENT = "deployment";

/** Each row counts what judging has used for a poster, or for the whole deployment, on a UTC day. */
export const judgeUsageDays = sqliteTable(
	"judge_usage_days",
	{
		/** The holder is the id of a poster, or {@link DEPLOYMENT}. */
		holder: text("holder").notNull(),
		/** A day looks like 2026-11-22. */
		day: text("day").notNull(),
		calls: integer("calls").notNull(),
		inputTokens: integer("input_tokens").notNull(),
		outputTokens: integer("output_tokens").notNull(),
		/** It is null if no price is known. */
		costMicroUsd: integer("cost_micro_usd"),
	},
	(table) => [primaryKey({ columns: [table.holder, table.day] }), index("judge_usage_days_day").on(table.day)],
);
