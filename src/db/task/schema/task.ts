import { sql } from "drizzle-orm";
import { check, index, integer, primaryKey, real, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { AuditEntry } from "../../../domain/audit.ts";
import { EVIDENCE_KINDS } from "../../../domain/evaluation-rounds.ts";
import { EVAL_MODES } from "../../../domain/modes.ts";
import { TASK_ACCESS, TASK_STATUSES } from "../../../domain/task-status.ts";
import { STORED_TASK_WARNINGS, type TaskWarning } from "../../../domain/task-warnings.ts";
import { isOneOf } from "../../schema/one-of.ts";

/** A single row: this object's task. `revision` increases with each change of the task's card, which contains it. */
export const tasks = sqliteTable(
	"tasks",
	{
		id: text("id").primaryKey(),
		companyId: text("company_id").notNull(),
		/** The human, operator or agent that was behind the poster when the task was created. */
		companyParty: text("company_party").notNull(),
		/** The payer whose daily ceiling the poster's part of evaluations counts towards. Null before the task is published. */
		posterPayer: text("poster_payer"),
		/** True if the poster's tier was verified (`isVerifiedTier`) when the draft was created or, later, when it was published. */
		isPosterVerified: integer("is_poster_verified", { mode: "boolean" }).notNull().default(false),
		status: text("status", { enum: TASK_STATUSES }).notNull(),
		title: text("title").notNull(),
		description: text("description"),
		category: text("category").notNull(),
		inputSpec: text("input_spec"),
		outputSpec: text("output_spec"),
		budgetCents: integer("budget_cents").notNull(),
		/** The fee for the task's deals in basis points. Fixed when the task is created, because it affects what agents can earn. */
		feeBps: integer("fee_bps").notNull(),
		deadline: integer("deadline").notNull(),
		evalMode: text("eval_mode", { enum: EVAL_MODES }).notNull(),
		testWeight: real("test_weight").notNull(),
		llmWeight: real("llm_weight").notNull(),
		evalImage: text("eval_image"),
		/** The digest of the image, resolved when the task is published or by the first run. Every run uses the image with this digest. */
		evalImageDigest: text("eval_image_digest"),
		/** The digest of the image as of publishing. Null for a draft, and if the registry could not be reached on publishing. */
		publishedImageDigest: text("published_image_digest"),
		/** The digest of what the judge sees of the task, computed when the task is published. Null for a draft. */
		taskSha256: text("task_sha256"),
		evalNetwork: integer("eval_network", { mode: "boolean" }).notNull(),
		evalMemoryMb: integer("eval_memory_mb").notNull(),
		evalTimeoutSeconds: integer("eval_timeout_seconds").notNull(),
		evalCallbackUrl: text("eval_callback_url"),
		evalCallbackTokenHash: text("eval_callback_token_hash"),
		evalCallbackTokenEncrypted: text("eval_callback_token_encrypted"),
		/** The key of the test suite in R2. Null without a suite. The columns below describe the suite. */
		testSuiteKey: text("test_suite_key"),
		testSuiteCases: integer("test_suite_cases"),
		testSuitePublicCases: integer("test_suite_public_cases"),
		testSuiteBytes: integer("test_suite_bytes"),
		testSuiteSha256: text("test_suite_sha256"),
		maxSubmissionsPerAgent: integer("max_submissions_per_agent").notNull(),
		/** True if the task has a final round, which judges the best submissions again after the task ends. */
		finalRound: integer("final_round", { mode: "boolean" }).notNull().default(false),
		/** When the ranks became final: the task was closed, and no extension had anything left to do. Null before that. */
		settledAt: integer("settled_at"),
		/** True while jobs are paused because judging is switched off. */
		judgingPaused: integer("judging_paused", { mode: "boolean" }).notNull().default(false),
		/** If the access is `invited`, only the task's owner and its members can see the task. */
		access: text("access", { enum: TASK_ACCESS }).notNull().default("public"),
		/** The hash of the invite code. Null unless the task is invite-only. */
		inviteCodeHash: text("invite_code_hash"),
		inviteCodeEncrypted: text("invite_code_encrypted"),
		/** The number of times the members have changed, so that the search index is updated. */
		membersRevision: integer("members_revision").notNull().default(0),
		/** A test task is invite-only, only its owner's lists show it, and it is judged offline. */
		isTest: integer("is_test", { mode: "boolean" }).notNull().default(false),
		/** The time by which the task's clock is ahead of real time, in milliseconds. Only a test task's clock can be ahead. */
		clockOffsetMs: integer("clock_offset_ms").notNull().default(0),
		/** True if the owner cannot read the files or text of submissions by others until the task is closed. */
		sealed: integer("sealed", { mode: "boolean" }).notNull().default(false),
		rubricVersion: integer("rubric_version").notNull().default(1),
		/** The times in the last hour at which the platform proposed checks for the draft, for the hourly limit. */
		compiledAt: text("compiled_at", { mode: "json" }).$type<readonly number[]>().notNull().default([]),
		/** The warnings that the owner got on publishing. */
		publishedWarnings: text("published_warnings", { mode: "json" }).$type<readonly TaskWarning[]>().notNull().default([]),
		revision: integer("revision").notNull().default(1),
		/** When the draft, its attachments or its dry runs last changed. */
		touchedAt: integer("touched_at").notNull(),
		/** Increases with each change that the task's streams show. */
		stateRevision: integer("state_revision").notNull().default(1),
		/** Increases with each change that the leaderboard shows: its entries, and the task's status, deadline and mode. */
		boardRevision: integer("board_revision").notNull().default(0),
		competitorCount: integer("competitor_count").notNull().default(0),
		submissionCount: integer("submission_count").notNull().default(0),
		/** True if only the owner and competitors can read the task, because an operator took it down or its owner is suspended. */
		hidden: integer("hidden", { mode: "boolean" }).notNull().default(false),
		takenDownAt: integer("taken_down_at"),
		takenDownReason: text("taken_down_reason"),
		createdAt: integer("created_at").notNull(),
		publishedAt: integer("published_at"),
		closedAt: integer("closed_at"),
		/**
		 * Whether the owner or the deadline closed the task. Agents can still hand in files for registered submissions after the deadline, but
		 * not after the owner has closed the task.
		 */
		closedBy: text("closed_by", { enum: ["owner", "deadline"] }),
		/** The origin of the request that published the task. Only local deployments need it, for the URLs in requests to graders. */
		origin: text("origin").notNull().default(""),
		/** When the Task object last deleted files in the bucket that nothing refers to. 0 for never. */
		collectedAt: integer("collected_at").notNull().default(0),
		/** The state of the task that the search index contains. Null if the task was never indexed. */
		indexedState: text("indexed_state"),
		/** How many times the Task object has tried to index the current state. The next try is due at `indexAt`. */
		indexTries: integer("index_tries").notNull().default(0),
		indexAt: integer("index_at").notNull().default(0),
	},
	() => [
		check("task_status", isOneOf("status", TASK_STATUSES)),
		check("task_access", isOneOf("access", TASK_ACCESS)),
		check(
			"task_invite",
			sql`(access = 'invited') = (invite_code_hash is not null) and (access = 'invited') = (invite_code_encrypted is not null)`,
		),
		check("task_test", sql`is_test = 0 or access = 'invited'`),
		check("task_clock", sql`clock_offset_ms >= 0 and (clock_offset_ms = 0 or (is_test = 1 and status <> 'draft'))`),
		check("task_eval_mode", isOneOf("eval_mode", EVAL_MODES)),
		check("task_weights", sql`abs(test_weight + llm_weight - 100) < 0.011`),
		check("task_settled", sql`settled_at is null or status = 'closed'`),
		check("task_taken_down", sql`(taken_down_at is null) = (taken_down_reason is null) and (taken_down_at is null or hidden = 1)`),
		check("task_fixed", sql`(status = 'draft') = (task_sha256 is null)`),
		check("task_quota", sql`max_submissions_per_agent between 1 and 25`),
	],
);

export type TaskRow = typeof tasks.$inferSelect;
export type NewTask = typeof tasks.$inferInsert;

export const criteria = sqliteTable(
	"criteria",
	{
		name: text("name").primaryKey(),
		description: text("description"),
		weight: real("weight").notNull(),
		position: real("position").notNull(),
		/**
		 * True for a criterion that evaluations of new submissions omit, and whose text only the task's owner sees until the task is settled.
		 */
		held: integer("held", { mode: "boolean" }).notNull().default(false),
		/** What the model judge accepts as evidence. */
		evidence: text("evidence", { enum: EVIDENCE_KINDS }).notNull().default("work"),
		/** The checks of the criterion. A judge answers each with yes, partly or no. Only the criteria of a draft may have none. */
		checks: text("checks", { mode: "json" }).$type<readonly string[]>().notNull().default([]),
		/** The positions of the checks that a quote of a few lines cannot prove. Set when the task is published. */
		wholeChecks: text("whole_checks", { mode: "json" }).$type<readonly number[]>().notNull().default([]),
		/**
		 * The commitment to the text of a criterion of the final round, made when the task is published. The salt is revealed once the task is
		 * settled.
		 */
		commitment: text("commitment"),
		salt: text("salt"),
	},
	() => [
		check("criterion_weight", sql`weight > 0`),
		check("criterion_commitment", sql`(commitment is null) = (salt is null) and (commitment is null or held = 1)`),
	],
);

export type CriterionRow = typeof criteria.$inferSelect;

/** The parts of a task's text to which a file can belong. */
export const ATTACHMENT_FIELDS = ["description", "input_spec", "output_spec"] as const;

/** Attachments. Each belongs to one field of the task's text. */
export const attachments = sqliteTable(
	"attachments",
	{
		id: text("id").primaryKey(),
		field: text("field", { enum: ATTACHMENT_FIELDS }).notNull(),
		filename: text("filename").notNull(),
		contentType: text("content_type").notNull(),
		fileSize: integer("file_size").notNull(),
		sha256: text("sha256").notNull(),
		description: text("description"),
		createdAt: integer("created_at").notNull(),
	},
	() => [check("attachment_field", isOneOf("field", ATTACHMENT_FIELDS))],
);

export type AttachmentRow = typeof attachments.$inferSelect;

/**
 * Copies of the text attachments of a draft, for the judge. After the task is published, new attachments are not copied, and the copies of
 * deleted attachments are kept, so that the judge always sees the same text.
 */
export const judgedAttachments = sqliteTable(
	"judged_attachments",
	{
		id: text("id").primaryKey(),
		field: text("field", { enum: ATTACHMENT_FIELDS }).notNull(),
		filename: text("filename").notNull(),
		/** The digest of the whole file, even if the copy is truncated. */
		sha256: text("sha256").notNull(),
		/** The text of the file, truncated if it is too long for the judge. */
		text: text("text").notNull(),
	},
	() => [check("judged_attachment_field", isOneOf("field", ATTACHMENT_FIELDS))],
);

export type JudgedAttachmentRow = typeof judgedAttachments.$inferSelect;

/** Problems with the task that its owner must solve. Each code occurs at most once. */
export const warnings = sqliteTable("warnings", {
	code: text("code", { enum: STORED_TASK_WARNINGS }).primaryKey(),
	message: text("message").notNull(),
	createdAt: integer("created_at").notNull(),
});

/** The tier in which every agent begins. Extensions can move an agent to a smaller one. */
export const LAST_TIER = 2;

/** Entries: how each agent takes part in the task. */
export const entries = sqliteTable(
	"entries",
	{
		agentId: text("agent_id").primaryKey(),
		/** The human, operator or agent behind the agent. Jobs of different parties take turns. */
		party: text("party").notNull(),
		quotaUsed: integer("quota_used").notNull(),
		/** Who pays for the agent's evaluations on this task: a person, a keyed hash of the task and the network, or the agent itself. */
		payer: text("payer"),
		/** What the agent's payer paid for attempts without a score, in millionths of a US dollar. */
		failedMicroUsd: integer("failed_micro_usd").notNull().default(0),
		/** The submission that determines the agent's rank. Null means its best one. */
		standsId: text("stands_id"),
		/**
		 * An agent with a smaller tier ranks before all agents with a larger one. Extensions can move an agent to a smaller tier, until it
		 * loses the submission that determines its rank.
		 */
		tier: integer("tier").notNull().default(LAST_TIER),
		/** The submission that the agent picked for the final round. Null means its best one. */
		pickedId: text("picked_id"),
		/**
		 * True if poster and agent were the same party when the agent entered. Its submissions then do not count towards its reputation.
		 */
		isOwn: integer("is_own", { mode: "boolean" }).notNull().default(false),
		/** True if the poster has recorded a deal with the agent. The task's card then contains the agent's place on the leaderboard. */
		isChosen: integer("is_chosen", { mode: "boolean" }).notNull().default(false),
		createdAt: integer("created_at").notNull(),
	},
	(table) => [
		check("quota_not_negative", sql`quota_used >= 0`),
		check("entry_tier", sql`tier between 0 and 2`),
		index("entries_chosen").on(table.agentId).where(sql`is_chosen = 1`),
	],
);

export type EntryRow = typeof entries.$inferSelect;

/** Members: the agents that have joined the invite-only task with its code. */
export const members = sqliteTable("members", {
	agentId: text("agent_id").primaryKey(),
	joinedAt: integer("joined_at").notNull(),
});

/** The deadlines that the published task has had. Each is later than the one before. */
export const deadlines = sqliteTable("deadlines", {
	deadline: integer("deadline").primaryKey(),
	/** When it became the deadline. */
	at: integer("at").notNull(),
});

/** Responses to requests with an `Idempotency-Key`, kept for 24 hours. */
export const replies = sqliteTable(
	"replies",
	{
		/** The id of the agent that sent the request. */
		caller: text("caller").notNull(),
		path: text("path").notNull(),
		key: text("key").notNull(),
		requestHash: text("request_hash").notNull(),
		/** The response as JSON. */
		response: text("response").notNull(),
		expiresAt: integer("expires_at").notNull(),
	},
	(table) => [primaryKey({ columns: [table.caller, table.path, table.key] })],
);

/**
 * The outbox of committed changes: the events that must still be sent, and the cards that must still be written. The row of a change is
 * deleted once this is done.
 */
export const outbox = sqliteTable("outbox", {
	/** A UUID of version 7, so ids sort in the order of the changes. */
	id: text("id").primaryKey(),
	/** The id of the task, kept here because the outbox is still sent after the task is deleted. */
	taskId: text("task_id").notNull(),
	events: text("events", { mode: "json" }).$type<readonly TaskOutboxEvent[]>().notNull(),
	/** True if the task's card has changed. */
	isTaskChanged: integer("is_task_changed", { mode: "boolean" }).notNull(),
	/** The submissions whose cards have changed. */
	submissionIds: text("submission_ids", { mode: "json" }).$type<readonly string[]>().notNull(),
	/** The agents that have joined the task or were removed from it. */
	memberIds: text("member_ids", { mode: "json" }).$type<readonly string[]>().notNull().default([]),
	/** The new ids that the directory must map to the task. */
	locatedIds: text("located_ids", { mode: "json" }).$type<readonly string[]>().notNull().default([]),
	/**
	 * The call that made the change. Kept with what the call returned, because its response may have been lost. Null for a change that the
	 * object made by itself.
	 */
	callId: text("call_id"),
	returned: text("returned", { mode: "json" }).$type<unknown>(),
	/** The operators' actions for the audit log. */
	acts: text("acts", { mode: "json" }).$type<readonly AuditEntry[]>().notNull().default([]),
	/** When the change was made, in real time. */
	createdAt: integer("created_at").notNull(),
	/** When the change was made, by the task's clock. */
	taskTime: integer("task_time").notNull(),
});

export interface TaskOutboxEvent {
	readonly id: string;
	readonly type: string;
	readonly payload: unknown;
	/** Where each listener that has not finished must continue, keyed by its name. Undefined before the first attempt. */
	readonly places?: Readonly<Record<string, string>>;
}

/** Relays, which forward changes to watchers. Each follows one topic. A change reads all relays, so the topic has no index. */
export const relays = sqliteTable("relays", {
	name: text("name").primaryKey(),
	topic: text("topic").notNull(),
	/** A new id each time the relay joins, so that a late message about leaving does not remove a newer membership. */
	membership: text("membership").notNull(),
});
