import { sql } from "drizzle-orm";
import { check, index, integer, real, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { type REVIEW_CAUSES, REVIEW_DECISIONS } from "../../../domain/reviews.ts";
import { isOneOf } from "../../schema/one-of.ts";

/** An appeal is open while this is true. The partial index repeats it word for word. */
const isOpenAppeal = sql`decision is null`;

/** An agent can appeal once against the score of each of its submissions. The decision is null while the appeal is open. */
export const appeals = sqliteTable(
	"appeals",
	{
		submissionId: text("submission_id").primaryKey(),
		id: text("id").notNull(),
		/** The appeal is about this criterion. Null if it is about the whole score. */
		criterionName: text("criterion_name"),
		reason: text("reason").notNull(),
		decision: text("decision", { enum: REVIEW_DECISIONS }),
		decisionReason: text("decision_reason"),
		decidedAt: integer("decided_at"),
		createdAt: integer("created_at").notNull(),
	},
	(table) => [
		check("appeal_decided", sql`(decision is null) = (decided_at is null) and (decision is null) = (decision_reason is null)`),
		check("appeal_decision", sql`decision is null or ${isOneOf("decision", REVIEW_DECISIONS)}`),
		index("appeals_open").on(table.submissionId).where(isOpenAppeal),
	],
);

export type AppealRow = typeof appeals.$inferSelect;

/** Each row is the owner's last decision on a submission. An appeal that comes later opens the review again. */
export const reviews = sqliteTable(
	"reviews",
	{
		submissionId: text("submission_id").primaryKey(),
		decision: text("decision", { enum: REVIEW_DECISIONS }).notNull(),
		reason: text("reason").notNull(),
		/** A changed review has replaced the first of these final scores by the second. Null if the scores stay. */
		fromScore: real("from_score"),
		toScore: real("to_score"),
		/** The scores of these criteria have changed. Null if the scores stay. */
		criteria: text("criteria", { mode: "json" }).$type<readonly string[]>(),
		/** The submission was listed for these causes when it was decided. */
		causes: text("causes", { mode: "json" }).$type<(typeof REVIEW_CAUSES)[number][]>().notNull(),
		/** It was nearly the same as this work then. */
		copyOf: text("copy_of", { mode: "json" }).$type<{ readonly submissionId: string; readonly similarity: number }>(),
		/** When the newest of these causes arose. */
		listedAt: integer("listed_at").notNull(),
		decidedAt: integer("decided_at").notNull(),
	},
	() => [
		check("review_decision", isOneOf("decision", REVIEW_DECISIONS)),
		check("review_changed", sql`(decision = 'changed') = (from_score is not null) and (from_score is null) = (to_score is null)`),
		check("review_criteria", sql`(from_score is null) = (criteria is null)`),
		// A review never lowers a score.
		check("review_raised", sql`to_score is null or to_score >= from_score`),
	],
);

export type ReviewRow = typeof reviews.$inferSelect;
