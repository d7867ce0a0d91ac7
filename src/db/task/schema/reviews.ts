import { sql } from "drizzle-orm";
import { check, index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
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

interface ReviewChange {
	/** The final score before the decision and after it. */
	readonly from: number;
	readonly to: number;
	/** The names of the criteria whose scores changed. */
	readonly criteria: readonly string[];
	readonly reason: string;
	/** Milliseconds since the epoch. */
	readonly decidedAt: number;
}

/** The owner's last decision on each submission that was listed for review. A later appeal reopens the review. */
export const reviews = sqliteTable(
	"reviews",
	{
		submissionId: text("submission_id").primaryKey(),
		decision: text("decision", { enum: REVIEW_DECISIONS }).notNull(),
		reason: text("reason").notNull(),
		/** The decision that last changed scores. A later decision that upholds them keeps it. Null if a judge's score was upheld. */
		change: text("change", { mode: "json" }).$type<ReviewChange>(),
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
		check("review_changed", sql`decision <> 'changed' or change is not null`),
		// A review must never lower a score.
		check("review_raised", sql`change is null or change->>'to' >= change->>'from'`),
	],
);

export type ReviewRow = typeof reviews.$inferSelect;
