import { sql } from "drizzle-orm";
import { check, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";

/**
 * What judging cost in a scope on a UTC day, in millionths of a US dollar. A scope is `deployment`, `poster:` with an agent's id, or
 * `payer:` with who pays.
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
		// The day comes first, so that the primary key finds old days. An index would cost a row for each new payer.
		primaryKey({ columns: [table.day, table.scope] }),
		check("judge_day_sums", sql`settled >= 0 and reserved >= 0`),
	],
);

/** The part of a job's cost that counts in one scope. */
export interface ReservedPart {
	readonly scope: string;
	/** Millionths of a US dollar. */
	readonly amount: number;
	/** The scope's share of the job's actual cost, from 0 to 1. */
	readonly share: number;
}

/**
 * Reservations: a job's estimated cost, written before its first call to a model. The row is deleted when the job settles or the
 * reservation expires. There are only as many rows as running jobs, so the sweep reads all of them.
 */
export const reservations = sqliteTable(
	"reservations",
	{
		job: text("job").notNull(),
		/** The number of the job's claim, so that a late consumer only settles its own reservation. */
		claim: integer("claim").notNull(),
		day: text("day").notNull(),
		scopes: text("scopes", { mode: "json" }).$type<readonly ReservedPart[]>().notNull(),
		/** True if all scopes had room when the row was inserted. Otherwise the constraint makes the batch fail. */
		hasRoom: integer("has_room", { mode: "boolean" }).notNull(),
		expiresAt: integer("expires_at").notNull(),
	},
	(table) => [primaryKey({ columns: [table.job, table.claim] }), check("reservation_has_room", sql`has_room = 1`)],
);
