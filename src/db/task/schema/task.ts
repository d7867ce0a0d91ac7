import { sql } from "drizzle-orm";
import { check, index, integer, primaryKey, real, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { AuditEntry } from "../../../domain/audit.ts";
import { EVIDENCE_KINDS } from "../../../domain/evaluation-rounds.ts";
import { EVAL_MODES } from "../../../domain/modes.ts";
import { TASK_ACCESS, TASK_STATUSES } from "../../../domain/task-status.ts";
import { STORED_TASK_WARNINGS, type TaskWarning } from "../../../domain/task-warnings.ts";
import { isOneOf } from "../../schema/one-of.ts";

/** The one row is the task of this object. `revision` numbers its changes, and its card carries the number. */
export const tasks = sqliteTable(
	"tasks",
	{
		id: text("id").primaryKey(),
		companyId: text("company_id").notNull(),
		/** This human, operator or agent was behind the poster when the task was created. */
		companyParty: text("company_party").notNull(),
		/** Pays for the poster's part of an evaluation on the day. Null before the task is published. */
		posterPayer: text("poster_payer"),
		/** If true, the poster had the tier verified or one above it when it last created or published the task. */
		isPosterVerified: integer("is_poster_verified", { mode: "boolean" }).notNull().default(false),
		status: text("status", { enum: TASK_STATUSES }).notNull(),
		title: text("title").notNull(),
		description: text("description"),
		category: text("category").notNull(),
		inputSpec: text("input_spec"),
		outputSpec: text("output_spec"),
		budgetCents: integer("budget_cents").notNull(),
		/** The fee of the task's deals in basis points. It is fixed when the task is created, because agents compete for what is left. */
		feeBps: integer("fee_bps").notNull(),
		deadline: integer("deadline").notNull(),
		evalMode: text("eval_mode", { enum: EVAL_MODES }).notNull(),
		testWeight: real("test_weight").notNull(),
		llmWeight: real("llm_weight").notNull(),
		evalImage: text("eval_image"),
		/** The image had this digest at publish, or at the first run. Every run uses it. */
		evalImageDigest: text("eval_image_digest"),
		/** The image had this digest at publish. It stays null if the registry could not be reached then. */
		publishedImageDigest: text("published_image_digest"),
		/** Publishing fixes what the judge will see of the task, and this is its digest. */
		taskSha256: text("task_sha256"),
		evalNetwork: integer("eval_network", { mode: "boolean" }).notNull(),
		evalMemoryMb: integer("eval_memory_mb").notNull(),
		evalTimeoutSeconds: integer("eval_timeout_seconds").notNull(),
		evalCallbackUrl: text("eval_callback_url"),
		evalCallbackTokenHash: text("eval_callback_token_hash"),
		evalCallbackTokenEncrypted: text("eval_callback_token_encrypted"),
		/** R2 has the test suite under this key. The columns below have facts about it. Null if there is none. */
		testSuiteKey: text("test_suite_key"),
		testSuiteCases: integer("test_suite_cases"),
		testSuitePublicCases: integer("test_suite_public_cases"),
		testSuiteBytes: integer("test_suite_bytes"),
		testSuiteSha256: text("test_suite_sha256"),
		maxSubmissionsPerAgent: integer("max_submissions_per_agent").notNull(),
		/** If true, the best submissions are judged once more after the end. */
		finalRound: integer("final_round", { mode: "boolean" }).notNull().default(false),
		/** The ranks stand since this time: the task is closed, and no extension has anything left to do after its end. Null before. */
		settledAt: integer("settled_at"),
		/** True while jobs are paused, because judging is switched off. */
		judgingPaused: integer("judging_paused", { mode: "boolean" }).notNull().default(false),
		/** An invited task exists only for its owner and its members. */
		access: text("access", { enum: TASK_ACCESS }).notNull().default("public"),
		/** Null unless the task is invited. */
		inviteCodeHash: text("invite_code_hash"),
		inviteCodeEncrypted: text("invite_code_encrypted"),
		/** The number counts changes of the members, which the search index follows. */
		membersRevision: integer("members_revision").notNull().default(0),
		/** A test task is invited, is in no list but its owner's, and is judged offline. */
		isTest: integer("is_test", { mode: "boolean" }).notNull().default(false),
		/** The task's clock is ahead of real time by this. */
		clockOffsetMs: integer("clock_offset_ms").notNull().default(0),
		/** If true, the owner reads no files and no texts of others' work before the end. */
		sealed: integer("sealed", { mode: "boolean" }).notNull().default(false),
		rubricVersion: integer("rubric_version").notNull().default(1),
		/** Checks were proposed for the draft at these times of the last hour. */
		compiledAt: text("compiled_at", { mode: "json" }).$type<readonly number[]>().notNull().default([]),
		/** Publishing has warned the owner of these. */
		publishedWarnings: text("published_warnings", { mode: "json" }).$type<readonly TaskWarning[]>().notNull().default([]),
		revision: integer("revision").notNull().default(1),
		/** When the draft, its attachments or its dry runs changed last. */
		touchedAt: integer("touched_at").notNull(),
		/** The revision numbers what streams show of the task. */
		stateRevision: integer("state_revision").notNull().default(1),
		/** The revision numbers what the leaderboard shows: its entries, and the task's status, deadline and mode. */
		boardRevision: integer("board_revision").notNull().default(0),
		competitorCount: integer("competitor_count").notNull().default(0),
		submissionCount: integer("submission_count").notNull().default(0),
		/** If true, only its owner and its competitors can read it, because an operator took it down or its owner is suspended. */
		hidden: integer("hidden", { mode: "boolean" }).notNull().default(false),
		takenDownAt: integer("taken_down_at"),
		takenDownReason: text("taken_down_reason"),
		createdAt: integer("created_at").notNull(),
		publishedAt: integer("published_at"),
		closedAt: integer("closed_at"),
		/** The owner or the deadline closed it. After the deadline, registered submissions can still be completed; after the owner's close they cannot. */
		closedBy: text("closed_by", { enum: ["owner", "deadline"] }),
		/** The request that published it had this origin. Only local deployments need it, for URLs in requests to graders. */
		origin: text("origin").notNull().default(""),
		/** When the object last deleted stored objects without a reference. It is 0 for never. */
		collectedAt: integer("collected_at").notNull().default(0),
		/** The search index shows this state. Null before the first one. */
		indexedState: text("indexed_state"),
		/** The object has tried this often to index the current state. The next try is due at `indexAt`. */
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
		/** If true, only jobs that ask for it judge it, and until the task is settled only its owner sees what it says. */
		held: integer("held", { mode: "boolean" }).notNull().default(false),
		/** This evidence proves the criterion to the model judge. */
		evidence: text("evidence", { enum: EVIDENCE_KINDS }).notNull().default("work"),
		/** A judge answers each of these with yes, partly or no. Only drafts may have none. */
		checks: text("checks", { mode: "json" }).$type<readonly string[]>().notNull().default([]),
		/** No few lines can show the checks at these positions. Publishing writes them. */
		wholeChecks: text("whole_checks", { mode: "json" }).$type<readonly number[]>().notNull().default([]),
		/** A published held criterion has a commitment to its text, which the salt reveals once the task is settled. Others have neither. */
		commitment: text("commitment"),
		salt: text("salt"),
	},
	() => [
		check("criterion_weight", sql`weight > 0`),
		check("criterion_commitment", sql`(commitment is null) = (salt is null) and (commitment is null or held = 1)`),
	],
);

export type CriterionRow = typeof criteria.$inferSelect;

/** A file can belong to one of these texts of a task. */
export const ATTACHMENT_FIELDS = ["description", "input_spec", "output_spec"] as const;

/** An attachment is a file that belongs to one field of the task's text. */
export const attachments = sqliteTable(
	"attachments",
	{
		id: text("id").primaryKey(),
		field: text("field", { enum: ATTACHMENT_FIELDS }).notNull(),
		filename: text("filename").notNull(),
		contentType: text("content_type").notNull(),
		fileSize: integer("file_size").notNull(),
		/** The file has this digest. */
		sha256: text("sha256").notNull(),
		description: text("description"),
		createdAt: integer("created_at").notNull(),
	},
	() => [check("attachment_field", isOneOf("field", ATTACHMENT_FIELDS))],
);

export type AttachmentRow = typeof attachments.$inferSelect;

/**
 * The judge reads these copies of text attachments. A draft copies what is attached to it. After publish nothing is copied any more, and
 * the copy of a deleted attachment stays.
 */
export const judgedAttachments = sqliteTable(
	"judged_attachments",
	{
		/** This is the id of the attachment. */
		id: text("id").primaryKey(),
		field: text("field", { enum: ATTACHMENT_FIELDS }).notNull(),
		filename: text("filename").notNull(),
		/** The whole file has this digest. */
		sha256: text("sha256").notNull(),
		/** A longer file is cut. */
		text: text("text").notNull(),
	},
	() => [check("judged_attachment_field", isOneOf("field", ATTACHMENT_FIELDS))],
);

export type JudgedAttachmentRow = typeof judgedAttachments.$inferSelect;

/** The task's owner must solve these problems. Each code has at most one. */
export const warnings = sqliteTable("warnings", {
	code: text("code", { enum: STORED_TASK_WARNINGS }).primaryKey(),
	message: text("message").notNull(),
	createdAt: integer("created_at").notNull(),
});

/** An agent has this tier unless an extension has lifted it. */
export const LAST_TIER = 2;

/** An entry is one agent's part in the task. */
export const entries = sqliteTable(
	"entries",
	{
		agentId: text("agent_id").primaryKey(),
		/** This human, operator or agent is behind the agent. Jobs of one party take turns with jobs of others. */
		party: text("party").notNull(),
		quotaUsed: integer("quota_used").notNull(),
		/** Names who pays for the agent's evaluations, for this task only: a person, or a keyed hash of the task and the network. */
		payer: text("payer"),
		/** Attempts without a score have cost this, in millionths of a US dollar. */
		failedMicroUsd: integer("failed_micro_usd").notNull().default(0),
		/** The agent ranks with this submission. Null if that is its best one. */
		standsId: text("stands_id"),
		/** Agents of a smaller tier rank before all others. Extensions lift agents, and losing the submission that stands ends that. */
		tier: integer("tier").notNull().default(LAST_TIER),
		/** The agent picked this submission for the final round. Null leaves it to the agent's best. */
		pickedId: text("picked_id"),
		/** If true, poster and agent were the same party when the agent entered, so the work does not count in the reputation. */
		isOwn: integer("is_own", { mode: "boolean" }).notNull().default(false),
		/** If true, the poster has recorded a deal with the agent, so the task's card has its place on the board. */
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

/** A member has joined the invited task with its code. */
export const members = sqliteTable("members", {
	agentId: text("agent_id").primaryKey(),
	joinedAt: integer("joined_at").notNull(),
});

/** The published task has had these deadlines. Each is later than the one before. */
export const deadlines = sqliteTable("deadlines", {
	deadline: integer("deadline").primaryKey(),
	/** The task has had it from this time on. */
	at: integer("at").notNull(),
});

/** Responses to requests with an `Idempotency-Key` stay here for 24 hours. */
export const replies = sqliteTable(
	"replies",
	{
		/** This is the id of an agent. */
		caller: text("caller").notNull(),
		path: text("path").notNull(),
		key: text("key").notNull(),
		requestHash: text("request_hash").notNull(),
		/** The response is JSON. */
		response: text("response").notNull(),
		expiresAt: integer("expires_at").notNull(),
	},
	(table) => [primaryKey({ columns: [table.caller, table.path, table.key] })],
);

/** Each row says what a committed change still owes the outside: events to send, and cards to write. It is deleted once both are done. */
export const outbox = sqliteTable("outbox", {
	/** Ids follow the order of the changes. */
	id: text("id").primaryKey(),
	/** The row has the task's id, because it is needed after the task itself was deleted. */
	taskId: text("task_id").notNull(),
	events: text("events", { mode: "json" }).$type<readonly TaskOutboxEvent[]>().notNull(),
	/** If true, the task's card changed. */
	isTaskChanged: integer("is_task_changed", { mode: "boolean" }).notNull(),
	/** The cards of these submissions changed. */
	submissionIds: text("submission_ids", { mode: "json" }).$type<readonly string[]>().notNull(),
	/** These agents have joined the task or were removed from it. */
	memberIds: text("member_ids", { mode: "json" }).$type<readonly string[]>().notNull().default([]),
	/** The directory has to know the task of these ids. */
	locatedIds: text("located_ids", { mode: "json" }).$type<readonly string[]>().notNull().default([]),
	/**
	 * The call of the change and what it returned stay here, because its response may have been lost. They are null for a change that the
	 * object made by itself.
	 */
	callId: text("call_id"),
	returned: text("returned", { mode: "json" }).$type<unknown>(),
	/** The audit log gets these acts of operators of the deployment. */
	acts: text("acts", { mode: "json" }).$type<readonly AuditEntry[]>().notNull().default([]),
	/** The change was made at this real time. */
	createdAt: integer("created_at").notNull(),
	/** The task's clock showed this time. */
	taskTime: integer("task_time").notNull(),
});

export interface TaskOutboxEvent {
	readonly id: string;
	readonly type: string;
	readonly payload: unknown;
	/** The listeners of these names have not finished, and continue at these places. Undefined at the start. */
	readonly places?: Readonly<Record<string, string>>;
}

/** Relays pass changes on to watchers. A relay follows one topic. A change reads all relays, so the topic has no index. */
export const relays = sqliteTable("relays", {
	name: text("name").primaryKey(),
	topic: text("topic").notNull(),
	/** Each join of the relay has its own membership, so that a leave that arrives late removes nothing newer. */
	membership: text("membership").notNull(),
});
