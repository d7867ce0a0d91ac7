import { sql } from "drizzle-orm";
import { check, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";

/**
 * What judging cost in a scope on a UTC day, in millionths of a US dollar. A scope is `deployment`, `poster:` and an agent's id, or
 * `payer:` and the id of the payer.
 */
export const judgeDays = sqliteTable(
	"judge_days",
	{
		scope: text("scope").notNull(),
		/** A day looks like 2026-11-22. */
		day: text("day").notNull(),
		settled: integer("settled").notNull(),
		/** What running jobs have reserved. */
		reserved: integer("reserved").notNull(),
		/** The number of evaluations, dry runs and cases of judge checks that ended with a score. */
		evaluations: integer("evaluations").notNull(),
		inputTokens: integer("input_tokens").notNull(),
		outputTokens: integer("output_tokens").notNull(),
	},
	(table) => [
		// The day comes first, so that the primary key finds old days. A separate index would cost another written row for each new scope.
		primaryKey({ columns: [table.day, table.scope] }),
		check("judge_day_sums", sql`settled >= 0 and reserved >= 0`),
	],
);

/** The part of a job's cost that is reserved in one scope. */
export interface ReservedPart {
	readonly scope: string;
	/** The amount that is reserved, in millionths of a US dollar. */
	readonly amount: number;
	/** The scope's share of the job's actual cost, from 0 to 1. */
	readonly share: number;
}

/**
 * Reservations: a job's estimated cost, written before its first call to a model. The row is deleted when the actual cost is recorded, or
 * by a sweep after it expires. Only running jobs and those that died recently have rows, so the sweep reads all of them.
 */
export const reservations = sqliteTable(
	"reservations",
	{
		job: text("job").notNull(),
		/** The number of the job's claim, so that a consumer that finishes late settles only its own reservation. */
		claim: integer("claim").notNull(),
		day: text("day").notNull(),
		scopes: text("scopes", { mode: "json" }).$type<readonly ReservedPart[]>().notNull(),
		/** True if the amounts fitted under the ceilings of all scopes when the row was inserted. False makes the batch fail. */
		hasRoom: integer("has_room", { mode: "boolean" }).notNull(),
		expiresAt: integer("expires_at").notNull(),
	},
	(table) => [primaryKey({ columns: [table.job, table.claim] }), check("reservation_has_room", sql`has_room = 1`)],
);
