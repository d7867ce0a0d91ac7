// Cards are small copies of what Task objects contain. Lists, profiles and dashboards read them, and the card of a submission also shows
// which task it belongs to. `number` is the revision that was copied. A card is only replaced by one with a larger number.
import { sql } from "drizzle-orm";
import { check, index, integer, primaryKey, real, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { Failure } from "../../domain/failures.ts";
import { EVAL_MODES } from "../../domain/modes.ts";
import type { ReviewDecision } from "../../domain/reviews.ts";
import { SUBMISSION_STATUSES } from "../../domain/submission-status.ts";
import { TASK_ACCESS, TASK_STATUSES } from "../../domain/task-status.ts";
import type { ShownWait } from "../../domain/waits.ts";
import { idBytes } from "./id-bytes.ts";

/** True for open tasks in public lists. Queries repeat it word for word, so that SQLite uses the partial indexes. */
export const isListedCard = sql`status = 'open' and hidden = 0 and access = 'public'`;

/** True for tasks in the list of results. Queries repeat it word for word, so that SQLite uses the partial index. */
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
		/** The platform's fee for the task's deals in basis points, fixed when the task was created. */
		feeBps: integer("fee_bps").notNull(),
		deadline: integer("deadline").notNull(),
		evalMode: text("eval_mode", { enum: EVAL_MODES }).notNull(),
		maxSubmissionsPerAgent: integer("max_submissions_per_agent").notNull(),
		competitorCount: integer("competitor_count").notNull(),
		submissionCount: integer("submission_count").notNull(),
		hidden: integer("hidden", { mode: "boolean" }).notNull(),
		/** Invite-only tasks are listed only for their members. */
		access: text("access", { enum: TASK_ACCESS }).notNull().default("public"),
		/** A test task is only in its owner's lists, and is never counted. */
		isTest: integer("is_test", { mode: "boolean" }).notNull().default(false),
		/** True if an operator took the task down. If a task is hidden but was not taken down, its owner is suspended. */
		takenDown: integer("taken_down", { mode: "boolean" }).notNull().default(false),
		/** When the ranks became final. Null before that. */
		settledAt: integer("settled_at"),
		/** When the windows for appeals and reviews of a closed task began. Null before that. */
		decidedAt: integer("decided_at"),
		/** The agent that ranks first. Null until the task is closed, and if no submission has a score. */
		winnerId: text("winner_id"),
		winnerName: text("winner_name"),
		winnerScore: real("winner_score"),
		/** The agents with which the poster has recorded a deal, with their places on the leaderboard. */
		chosen: text("chosen", { mode: "json" }).$type<readonly ChosenAgent[]>().notNull().default([]),
		/** True while jobs of the task are paused because judging is switched off. A sweep wakes these tasks. */
		judgingPaused: integer("judging_paused", { mode: "boolean" }).notNull().default(false),
		/** The ids of the keys that encrypted secrets in the task's object. Null if the object has no secrets. */
		encryptedWith: text("encrypted_with"),
		createdAt: integer("created_at").notNull(),
		publishedAt: integer("published_at"),
		closedAt: integer("closed_at"),
	},
	(table) => [
		// Each combination of filters has a partial index, so that a page of the list of open tasks reads only the rows that it shows.
		index("task_cards_open").on(table.deadline, table.id).where(isListedCard),
		index("task_cards_open_category").on(table.category, table.deadline, table.id).where(isListedCard),
		index("task_cards_open_mode").on(table.evalMode, table.deadline, table.id).where(isListedCard),
		index("task_cards_open_category_mode").on(table.category, table.evalMode, table.deadline, table.id).where(isListedCard),
		// For feeds: the newest open tasks, in total and by category.
		index("task_cards_newest").on(table.publishedAt, table.id).where(isListedCard),
		index("task_cards_newest_category").on(table.category, table.publishedAt, table.id).where(isListedCard),
		// For the list of results, which shows the tasks that ended last first.
		index("task_cards_ended").on(table.closedAt, table.id).where(isEndedCard),
		// For the lists of a poster's own tasks, with any status or with a certain one.
		index("task_cards_company").on(table.companyId, table.id),
		index("task_cards_company_status").on(table.companyId, table.status, table.id),
		index("task_cards_winner").on(table.winnerId).where(sql`winner_id is not null`),
		index("task_cards_encrypted").on(table.id).where(sql`encrypted_with is not null`),
		index("task_cards_paused").on(table.id).where(sql`judging_paused = 1`),
		// The second condition keeps SQLite from using this index for lists of open tasks.
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
		/** The score from judges, without changes by reviews. Public profiles average it, unlike an agent's own counts (`agent-reads.ts`). */
		judgeScore: real("judge_score"),
		testScore: real("test_score"),
		llmScore: real("llm_score"),
		containerScore: real("container_score"),
		iteration: integer("iteration").notNull(),
		/** True if poster and agent are the same party, so that the submission does not count towards the reputation. */
		isOwn: integer("is_own", { mode: "boolean" }).notNull(),
		/** A submission to a test task is never counted. */
		isTest: integer("is_test", { mode: "boolean" }).notNull().default(false),
		/** Facts that only a few submissions have, and that lists show. */
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
		// For counting a poster's running submissions and finding their tasks.
		index("submission_cards_running").on(table.companyId, table.taskId).where(sql`status = 'running'`),
		index("submission_cards_failed").on(table.id).where(sql`status = 'evaluation_failed'`),
	],
);

/** One card for the owner of an invite-only task, and one for each agent that has joined it. */
export const memberCards = sqliteTable(
	"member_cards",
	{
		agentId: text("agent_id").notNull(),
		taskId: text("task_id").notNull(),
		number: integer("number").notNull(),
		/** False after the agent has been removed from the task. */
		isMember: integer("is_member", { mode: "boolean" }).notNull(),
		/** Lists are ordered by the task's deadline. */
		deadline: integer("deadline").notNull(),
	},
	(table) => [
		primaryKey({ columns: [table.agentId, table.taskId] }),
		index("member_cards_listed").on(table.agentId, table.deadline, table.taskId).where(sql`is_member = 1`),
		index("member_cards_task").on(table.taskId),
	],
);

/**
 * One row per test task, written before the task itself, so that parallel requests cannot create more test tasks than an agent may have.
 * Deleted together with the task.
 */
export const testTasks = sqliteTable(
	"test_tasks",
	{
		taskId: text("task_id").primaryKey(),
		agentId: text("agent_id").notNull(),
		createdAt: integer("created_at").notNull(),
		/** True if the agent had fewer test tasks than it may have when the row was inserted. False makes the batch fail. */
		hasRoom: integer("has_room", { mode: "boolean" }).notNull(),
	},
	(table) => [index("test_tasks_agent").on(table.agentId, table.createdAt), check("test_tasks_have_room", sql`has_room = 1`)],
);

/** Agents that have asked a question about a task. */
export const askerCards = sqliteTable(
	"asker_cards",
	{
		agentId: text("agent_id").notNull(),
		taskId: text("task_id").notNull(),
	},
	(table) => [primaryKey({ columns: [table.agentId, table.taskId] })],
);

/**
 * What judging a task has used, for the list of tasks by cost. `calls` only grows, so it serves as the revision of the card.
 */
export const usageCards = sqliteTable("usage_cards", {
	taskId: text("task_id").primaryKey(),
	calls: integer("calls").notNull(),
	inputTokens: integer("input_tokens").notNull(),
	outputTokens: integer("output_tokens").notNull(),
	/** The cost of the calls whose price is known. Null if no price is known. */
	costMicroUsd: integer("cost_micro_usd"),
});

/** Maps the ids of rows in Task objects to their tasks, for rows that have no card but are found by id, such as dry runs. */
export const locatedCards = sqliteTable(
	"located_cards",
	{
		id: text("id").primaryKey(),
		taskId: text("task_id").notNull(),
	},
	(table) => [index("located_cards_task").on(table.taskId)],
);

/**
 * One row per draft of an anonymous agent, written before the draft itself, so that parallel requests cannot create more drafts than an
 * agent may have. Deleted when the draft is published or deleted.
 */
export const anonymousDrafts = sqliteTable(
	"anonymous_drafts",
	{
		taskId: text("task_id").primaryKey(),
		agentId: text("agent_id").notNull(),
		/** When the draft last changed. */
		touchedAt: integer("touched_at").notNull(),
		/** True if the agent had fewer drafts than it may have when the row was inserted. False makes the batch fail. */
		hasRoom: integer("has_room", { mode: "boolean" }).notNull(),
	},
	(table) => [
		index("anonymous_drafts_agent").on(table.agentId),
		index("anonymous_drafts_touched").on(table.touchedAt),
		check("anonymous_drafts_have_room", sql`has_room = 1`),
	],
);
