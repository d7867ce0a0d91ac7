import { sql } from "drizzle-orm";
import { check, index, integer, real, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { type REVIEW_CAUSES, REVIEW_DECISIONS } from "../../../domain/reviews.ts";
import { isOneOf } from "../../schema/one-of.ts";

/** True for open appeals. The partial index repeats it word for word. */
const isOpenAppeal = sql`decision is null`;

/** Appeals. An agent can appeal once per submission. The decision is null while the appeal is open. */
export const appeals = sqliteTable(
	"appeals",
	{
		submissionId: text("submission_id").primaryKey(),
		id: text("id").notNull(),
		/** The criterion that the appeal is about. Null for the whole score. */
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

/** The owner's last decision on each submission that was listed for review. A later appeal reopens the review. */
export const reviews = sqliteTable(
	"reviews",
	{
		submissionId: text("submission_id").primaryKey(),
		decision: text("decision", { enum: REVIEW_DECISIONS }).notNull(),
		reason: text("reason").notNull(),
		/** The final score before and after a review that changed scores. Null if the scores stayed the same. */
		fromScore: real("from_score"),
		toScore: real("to_score"),
		/** The criteria whose scores changed. Null if the scores stayed the same. */
		criteria: text("criteria", { mode: "json" }).$type<readonly string[]>(),
		/** Why the submission was listed for review, as of the decision. */
		causes: text("causes", { mode: "json" }).$type<(typeof REVIEW_CAUSES)[number][]>().notNull(),
		/** The earlier submission that this one nearly matched, as of the decision. Null if there was none. */
		copyOf: text("copy_of", { mode: "json" }).$type<{ readonly submissionId: string; readonly similarity: number }>(),
		/** When the latest of `causes` arose. */
		listedAt: integer("listed_at").notNull(),
		decidedAt: integer("decided_at").notNull(),
	},
	() => [
		check("review_decision", isOneOf("decision", REVIEW_DECISIONS)),
		check("review_changed", sql`(decision = 'changed') = (from_score is not null) and (from_score is null) = (to_score is null)`),
		check("review_criteria", sql`(from_score is null) = (criteria is null)`),
		// A review must never lower a score.
		check("review_raised", sql`to_score is null or to_score >= from_score`),
	],
);

export type ReviewRow = typeof reviews.$inferSelect;
