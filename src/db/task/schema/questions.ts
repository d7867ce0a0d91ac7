import { sql } from "drizzle-orm";
import { check, index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

/** A question counts as answered once `answeredAt` is set. The partial index repeats this condition word for word. */
export const isUnanswered = sql`answered_at is null`;

/** Public questions from agents about the task. The owner's notes to everyone are stored as answered questions. */
export const questions = sqliteTable(
	"questions",
	{
		/** A UUID of version 7, so ids sort by time. */
		id: text("id").primaryKey(),
		agentId: text("agent_id").notNull(),
		/** A keyed hash of the task and the agent's network. Null if limits count all agents of its person together, or the agent by itself. */
		network: text("network"),
		/** True if the owner wrote it as a note to everyone. */
		isNote: integer("is_note", { mode: "boolean" }).notNull(),
		text: text("text").notNull(),
		/** The SHA-256 of the text in lower-case hex. Null after an erasure, and if an earlier version of the platform stored the question. */
		textSha256: text("text_sha256"),
		answer: text("answer"),
		/** The SHA-256 of the answer, in the same form. The Worker computes both digests, because a verb cannot await anything. */
		answerSha256: text("answer_sha256"),
		/** When the owner answered the question. For a note, when the owner wrote it. */
		answeredAt: integer("answered_at"),
		createdAt: integer("created_at").notNull(),
	},
	(table) => [
		check("question_answered", sql`answer is null or answered_at is not null`),
		index("questions_unanswered").on(table.agentId).where(isUnanswered),
		index("questions_notes").on(table.id).where(sql`is_note = 1`),
	],
);

/**
 * Questions that agents deleted before they were answered. They still count towards the agents' limits, so that deleting a question does
 * not allow another one.
 */
export const withdrawnQuestions = sqliteTable("withdrawn_questions", {
	id: text("id").primaryKey(),
	agentId: text("agent_id").notNull(),
	network: text("network"),
});

/** A single row, added when the owner stops further questions about the task. */
export const closedQuestions = sqliteTable(
	"closed_questions",
	{ id: integer("id").primaryKey(), closedAt: integer("closed_at").notNull() },
	() => [check("closed_questions_one_row", sql`id = 1`)],
);

export type QuestionRow = typeof questions.$inferSelect;
