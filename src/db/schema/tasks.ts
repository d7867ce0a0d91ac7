import { sql } from "drizzle-orm";
import { check, index, integer, primaryKey, real, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { EVIDENCE_KINDS, ROUND_STATUSES } from "../../domain/evaluation-rounds.ts";
import { EVAL_MODES } from "../../domain/modes.ts";
import { TASK_STATUSES } from "../../domain/task-status.ts";
import { STORED_TASK_WARNINGS } from "../../domain/task-warnings.ts";
import { agents } from "./agents.ts";
import { isOneOf } from "./one-of.ts";

/** A condition: the task is open and in public lists. Queries repeat it word for word, so that the partial indexes serve them. */
export const isListed = sql`status = 'open' and hidden = 0`;

/** `revision` grows with every change of the row but its counters; writers guard on the revision they read. */
export const tasks = sqliteTable(
	"tasks",
	{
		id: text("id").primaryKey(),
		companyId: text("company_id")
			.notNull()
			.references(() => agents.id),
		status: text("status", { enum: TASK_STATUSES }).notNull(),
		title: text("title").notNull(),
		description: text("description"),
		category: text("category").notNull(),
		inputSpec: text("input_spec"),
		outputSpec: text("output_spec"),
		budgetCents: integer("budget_cents").notNull(),
		deadline: integer("deadline").notNull(),
		evalMode: text("eval_mode", { enum: EVAL_MODES }).notNull(),
		testWeight: real("test_weight").notNull(),
		llmWeight: real("llm_weight").notNull(),
		evalImage: text("eval_image"),
		/** What the image meant at publish, or at the first run; every run uses it. Written once, and not counted by `revision`. */
		evalImageDigest: text("eval_image_digest"),
		evalNetwork: integer("eval_network", { mode: "boolean" }).notNull(),
		evalMemoryMb: integer("eval_memory_mb").notNull(),
		evalTimeoutSeconds: integer("eval_timeout_seconds").notNull(),
		evalCallbackUrl: text("eval_callback_url"),
		evalCallbackTokenHash: text("eval_callback_token_hash"),
		evalCallbackTokenSealed: text("eval_callback_token_sealed"),
		/** The test suite's key in R2, and facts about it; null without one. */
		testSuiteKey: text("test_suite_key"),
		testSuiteCases: integer("test_suite_cases"),
		/** Of these, the cases whose input and output agents may see. */
		testSuitePublicCases: integer("test_suite_public_cases"),
		testSuiteBytes: integer("test_suite_bytes"),
		testSuiteSha256: text("test_suite_sha256"),
		maxSubmissionsPerAgent: integer("max_submissions_per_agent").notNull(),
		/** Whether the best are judged once more after the end, which decides the ranks. */
		finalRound: integer("final_round", { mode: "boolean" }).notNull().default(false),
		/** Null before the end, and always without a final round. */
		roundStatus: text("round_status", { enum: ROUND_STATUSES }),
		rubricVersion: integer("rubric_version").notNull().default(1),
		revision: integer("revision").notNull().default(1),
		competitorCount: integer("competitor_count").notNull().default(0),
		submissionCount: integer("submission_count").notNull().default(0),
		/** Only its owner and those who have submitted can see it: it was taken down, or its owner is suspended. Both write it. */
		hidden: integer("hidden", { mode: "boolean" }).notNull().default(false),
		/** When an operator of the deployment took it down, and why, as its owner reads it. */
		takenDownAt: integer("taken_down_at"),
		takenDownReason: text("taken_down_reason"),
		createdAt: integer("created_at").notNull(),
		publishedAt: integer("published_at"),
		closedAt: integer("closed_at"),
		/** Who closed it. If the owner did, nothing more is accepted. After the deadline, registered submissions can still be completed. */
		closedBy: text("closed_by", { enum: ["owner", "deadline"] }),
	},
	(table) => [
		check("task_status", isOneOf("status", TASK_STATUSES)),
		check("task_eval_mode", isOneOf("eval_mode", EVAL_MODES)),
		check("task_weights", sql`abs(test_weight + llm_weight - 100) < 0.011`),
		check("task_round", sql`round_status is null or (final_round = 1 and round_status in ('waiting','judging','ended'))`),
		check("task_taken_down", sql`(taken_down_at is null) = (taken_down_reason is null) and (taken_down_at is null or hidden = 1)`),
		check("task_quota", sql`max_submissions_per_agent between 1 and 25`),
		// One partial index for each combination of list filters: a page reads its own rows and no others.
		index("tasks_open").on(table.deadline, table.id).where(isListed),
		index("tasks_open_category").on(table.category, table.deadline, table.id).where(isListed),
		index("tasks_open_mode").on(table.evalMode, table.deadline, table.id).where(isListed),
		index("tasks_open_category_mode").on(table.category, table.evalMode, table.deadline, table.id).where(isListed),
		// Feeds: the newest of all open tasks, and of a category's.
		index("tasks_newest").on(table.publishedAt, table.id).where(isListed),
		index("tasks_newest_category").on(table.category, table.publishedAt, table.id).where(isListed),
		index("tasks_unsettled").on(table.deadline).where(sql`status in ('open','evaluating')`),
		index("tasks_in_round").on(table.id).where(sql`round_status in ('waiting','judging')`),
		// A poster's own tasks, in every status and in one.
		index("tasks_company").on(table.companyId, table.id),
		index("tasks_company_status").on(table.companyId, table.status, table.id),
		uniqueIndex("tasks_test_suite").on(table.testSuiteKey).where(sql`test_suite_key is not null`),
	],
);

export const criteria = sqliteTable(
	"criteria",
	{
		taskId: text("task_id")
			.notNull()
			.references(() => tasks.id),
		name: text("name").notNull(),
		description: text("description"),
		weight: real("weight").notNull(),
		position: real("position").notNull(),
		/** What may prove levels 4 and 5 to the model judge. */
		evidence: text("evidence", { enum: EVIDENCE_KINDS }).notNull().default("work"),
	},
	(table) => [primaryKey({ columns: [table.taskId, table.name] }), check("criterion_weight", sql`weight > 0`)],
);

/** One agent's part in one task: how many submission slots it has used of how many. */
export const taskEntries = sqliteTable(
	"task_entries",
	{
		taskId: text("task_id")
			.notNull()
			.references(() => tasks.id),
		agentId: text("agent_id")
			.notNull()
			.references(() => agents.id),
		quotaUsed: integer("quota_used").notNull(),
		quotaLimit: integer("quota_limit").notNull(),
		/** The submission that the agent wants in the final round; null leaves it to the agent's best. */
		pickedId: text("picked_id"),
		/** Whether poster and agent were the same party when the agent entered. Such work does not count in the reputation. */
		isOwn: integer("is_own", { mode: "boolean" }).notNull().default(false),
		createdAt: integer("created_at").notNull(),
	},
	(table) => [
		primaryKey({ columns: [table.taskId, table.agentId] }),
		check("quota_within_limit", sql`quota_used <= quota_limit`),
		check("quota_not_negative", sql`quota_used >= 0`),
	],
);

/** What the owner of a task has to know of it, once for each code. */
export const taskWarnings = sqliteTable(
	"task_warnings",
	{
		taskId: text("task_id")
			.notNull()
			.references(() => tasks.id),
		code: text("code", { enum: STORED_TASK_WARNINGS }).notNull(),
		message: text("message").notNull(),
		createdAt: integer("created_at").notNull(),
	},
	(table) => [primaryKey({ columns: [table.taskId, table.code] })],
);
