// Cards are the directory of tasks and submissions: each is a small copy of what a Task object has. Lists, profiles and dashboards read them,
// and a card says which task a submission belongs to. `number` is the revision of the copy: a smaller one never replaces a larger one.
import { sql } from "drizzle-orm";
import { check, index, integer, primaryKey, real, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { Failure } from "../../domain/failures.ts";
import { EVAL_MODES } from "../../domain/modes.ts";
import type { ReviewDecision } from "../../domain/reviews.ts";
import { SUBMISSION_STATUSES } from "../../domain/submission-status.ts";
import { TASK_ACCESS, TASK_STATUSES } from "../../domain/task-status.ts";
import type { ShownWait } from "../../domain/waits.ts";
import { idBytes } from "./id-bytes.ts";

/** This condition is true for open tasks in public lists. Queries repeat it word for word, so that SQLite uses the partial indexes. */
export const isListedCard = sql`status = 'open' and hidden = 0 and access = 'public'`;

/** This condition is true for tasks in the list of results. Queries repeat it word for word too. */
export const isEndedCard = sql`status = 'closed' and hidden = 0 and access = 'public'`;

export interface ChosenAgent {
	readonly agentId: string;
	readonly name: string;
	readonly rank: number;
	readonly finalScore: number;
}

export const taskCards = sqliteTable(
	"task_cards",
	{
		id: text("id").primaryKey(),
		number: integer("number").notNull(),
		companyId: text("company_id").notNull(),
		status: text("status", { enum: TASK_STATUSES }).notNull(),
		title: text("title").notNull(),
		description: text("description"),
		category: text("category").notNull(),
		budgetCents: integer("budget_cents").notNull(),
		/** The fee of the task's deals in basis points, as it was when the task was created. */
		feeBps: integer("fee_bps").notNull(),
		deadline: integer("deadline").notNull(),
		evalMode: text("eval_mode", { enum: EVAL_MODES }).notNull(),
		maxSubmissionsPerAgent: integer("max_submissions_per_agent").notNull(),
		competitorCount: integer("competitor_count").notNull(),
		submissionCount: integer("submission_count").notNull(),
		hidden: integer("hidden", { mode: "boolean" }).notNull(),
		/** Invited tasks are listed for their members only. */
		access: text("access", { enum: TASK_ACCESS }).notNull().default("public"),
		/** Only its owner lists a test task, and it counts nowhere. */
		isTest: integer("is_test", { mode: "boolean" }).notNull().default(false),
		/** If true, an operator of the deployment took the task down. A hidden task that was not taken down has a suspended owner. */
		takenDown: integer("taken_down", { mode: "boolean" }).notNull().default(false),
		/** Since when the ranks stand. Null before. */
		settledAt: integer("settled_at"),
		/** The windows of appeals and reviews of a closed task count from this time. Null before. */
		decidedAt: integer("decided_at"),
		/** The winner ranks first on a closed task. Null before, and without a scored submission. */
		winnerId: text("winner_id"),
		winnerName: text("winner_name"),
		winnerScore: real("winner_score"),
		/** The agents of the task's deals have these places on its leaderboard. */
		chosen: text("chosen", { mode: "json" }).$type<readonly ChosenAgent[]>().notNull().default([]),
		/** True while jobs of the task are paused, because judging is switched off. A sweep wakes these tasks. */
		judgingPaused: integer("judging_paused", { mode: "boolean" }).notNull().default(false),
		/** The keys with these ids have encrypted secrets in the task's object. Null without a secret. */
		encryptedWith: text("encrypted_with"),
		createdAt: integer("created_at").notNull(),
		publishedAt: integer("published_at"),
		closedAt: integer("closed_at"),
	},
	(table) => [
		// Each combination of list filters has a partial index, so that a page reads its own rows and no others.
		index("task_cards_open").on(table.deadline, table.id).where(isListedCard),
		index("task_cards_open_category").on(table.category, table.deadline, table.id).where(isListedCard),
		index("task_cards_open_mode").on(table.evalMode, table.deadline, table.id).where(isListedCard),
		index("task_cards_open_category_mode").on(table.category, table.evalMode, table.deadline, table.id).where(isListedCard),
		// Feeds show the newest of all open tasks, and of a category's.
		index("task_cards_newest").on(table.publishedAt, table.id).where(isListedCard),
		index("task_cards_newest_category").on(table.category, table.publishedAt, table.id).where(isListedCard),
		// Results show the tasks that ended last.
		index("task_cards_ended").on(table.closedAt, table.id).where(isEndedCard),
		// Posters list their own tasks, in every status or in one.
		index("task_cards_company").on(table.companyId, table.id),
		index("task_cards_company_status").on(table.companyId, table.status, table.id),
		index("task_cards_winner").on(table.winnerId).where(sql`winner_id is not null`),
		index("task_cards_encrypted").on(table.id).where(sql`encrypted_with is not null`),
		index("task_cards_paused").on(table.id).where(sql`judging_paused = 1`),
		// The second condition keeps lists of open tasks from using this index.
		index("task_cards_deadline").on(table.deadline, table.id).where(sql`status = 'open' and closed_at is null`),
		index("task_cards_unsettled").on(table.id).where(sql`settled_at is null and status in ('evaluating', 'closed')`),
	],
);

export const submissionCards = sqliteTable(
	"submission_cards",
	{
		id: idBytes("id").primaryKey(),
		number: integer("number").notNull(),
		taskId: idBytes("task_id").notNull(),
		agentId: idBytes("agent_id").notNull(),
		companyId: idBytes("company_id").notNull(),
		status: text("status", { enum: SUBMISSION_STATUSES }).notNull(),
		agentDisplayName: text("agent_display_name").notNull(),
		finalScore: real("final_score"),
		/** This is the score without a review. The reputation counts it. */
		judgeScore: real("judge_score"),
		testScore: real("test_score"),
		llmScore: real("llm_score"),
		containerScore: real("container_score"),
		iteration: integer("iteration").notNull(),
		/** If true, poster and agent are the same party, so the work does not count in the reputation. */
		isOwn: integer("is_own", { mode: "boolean" }).notNull(),
		/** A submission to a test task counts nowhere. */
		isTest: integer("is_test", { mode: "boolean" }).notNull().default(false),
		/** Lists show these facts, which few submissions have. */
		details: text("details", { mode: "json" }).$type<{
			readonly missingSections?: readonly string[];
			readonly errorMessage?: string;
			readonly failure?: Failure;
			readonly failedAt?: number;
			readonly voidedAt?: number;
			readonly voidReason?: string;
			readonly appeal?: "open" | ReviewDecision;
			readonly waitingFor?: ShownWait;
		}>(),
		evaluatedAt: integer("evaluated_at"),
		createdAt: integer("created_at").notNull(),
	},
	(table) => [
		index("submission_cards_agent").on(table.agentId, table.id),
		index("submission_cards_company").on(table.companyId, table.id),
		// This index counts a poster's running submissions, and finds the tasks that have some.
		index("submission_cards_running").on(table.companyId, table.taskId).where(sql`status = 'running'`),
		index("submission_cards_failed").on(table.id).where(sql`status = 'evaluation_failed'`),
	],
);

/** An invited task has one of these cards for its owner and for each agent that has joined it. */
export const memberCards = sqliteTable(
	"member_cards",
	{
		agentId: text("agent_id").notNull(),
		taskId: text("task_id").notNull(),
		number: integer("number").notNull(),
		/** False after the agent was removed. */
		isMember: integer("is_member", { mode: "boolean" }).notNull(),
		/** Lists are ordered by the deadline of the task. */
		deadline: integer("deadline").notNull(),
	},
	(table) => [
		primaryKey({ columns: [table.agentId, table.taskId] }),
		index("member_cards_listed").on(table.agentId, table.deadline, table.taskId).where(sql`is_member = 1`),
		index("member_cards_task").on(table.taskId),
	],
);

/**
 * Each test task has a row. It is written before the task, so that parallel requests cannot make more of them than an agent may have. It
 * goes when the task is deleted.
 */
export const testTasks = sqliteTable(
	"test_tasks",
	{
		taskId: text("task_id").primaryKey(),
		agentId: text("agent_id").notNull(),
		createdAt: integer("created_at").notNull(),
		/** The agent could have one more test task when the row was inserted. Otherwise the constraint fails the batch. */
		hasRoom: integer("has_room", { mode: "boolean" }).notNull(),
	},
	(table) => [index("test_tasks_agent").on(table.agentId, table.createdAt), check("test_tasks_have_room", sql`has_room = 1`)],
);

/** These agents have asked a question about a task. */
export const askerCards = sqliteTable(
	"asker_cards",
	{
		agentId: text("agent_id").notNull(),
		taskId: text("task_id").notNull(),
	},
	(table) => [primaryKey({ columns: [table.agentId, table.taskId] })],
);

/** The list of tasks by cost reads what judging a task has used. Calls only grow, so they serve as the number of the copy. */
export const usageCards = sqliteTable("usage_cards", {
	taskId: text("task_id").primaryKey(),
	calls: integer("calls").notNull(),
	inputTokens: integer("input_tokens").notNull(),
	outputTokens: integer("output_tokens").notNull(),
	/** Only calls with a known price count. Null if no price is known. */
	costMicroUsd: integer("cost_micro_usd"),
});

/** This table says which task an id belongs to that is not a submission. */
export const locatedCards = sqliteTable(
	"located_cards",
	{
		id: text("id").primaryKey(),
		taskId: text("task_id").notNull(),
	},
	(table) => [index("located_cards_task").on(table.taskId)],
);

/**
 * Each draft of an anonymous agent has a row. It is written before the draft, so that parallel requests cannot make more drafts than an
 * agent may have. It goes when the draft is published or deleted.
 */
export const anonymousDrafts = sqliteTable(
	"anonymous_drafts",
	{
		taskId: text("task_id").primaryKey(),
		agentId: text("agent_id").notNull(),
		/** The last change of the draft. */
		touchedAt: integer("touched_at").notNull(),
		/** The agent could have one more draft when the row was inserted. Otherwise the constraint fails the batch. */
		hasRoom: integer("has_room", { mode: "boolean" }).notNull(),
	},
	(table) => [
		index("anonymous_drafts_agent").on(table.agentId),
		index("anonymous_drafts_touched").on(table.touchedAt),
		check("anonymous_drafts_have_room", sql`has_room = 1`),
	],
);
