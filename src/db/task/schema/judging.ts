import { sql } from "drizzle-orm";
import { check, index, integer, primaryKey, real, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { BLAMES } from "../../../domain/evaluation-fault.ts";
import { EVALUATION_ROUNDS } from "../../../domain/evaluation-rounds.ts";
import { JOB_KINDS } from "../../../domain/jobs.ts";
import { type DayScope, FUNDS } from "../../../domain/spend.ts";
import { TRIAL_KINDS, TRIAL_STATUSES } from "../../../domain/trials.ts";
import type { ShownWait } from "../../../domain/waits.ts";
import { isOneOf } from "../../schema/one-of.ts";

/** `ready` for a consumer, `claimed` by one, `waiting` for its time, or `paused` until operators switch judging on. */
const JOB_STATES = ["ready", "claimed", "waiting", "paused"] as const;

/** What a job waits for, and since when. Times are in milliseconds since the epoch. */
export interface JobWait extends Pick<ShownWait, "reason" | "message" | "since"> {
	/** When the part of the wait began that is not counted yet. */
	readonly from: number;
	/** The spending ceilings that the job waits for. */
	readonly ceilings?: readonly DayScope[];
}

/**
 * Jobs: work that a queue consumer does for this task. Only the holder of the claim works on a job. A job is deleted when it ends, so a
 * result that arrives twice changes nothing.
 */
export const jobs = sqliteTable(
	"jobs",
	{
		/** The job's id for graders, external judges and the bucket. */
		id: text("id").notNull(),
		kind: text("kind", { enum: JOB_KINDS }).notNull(),
		/** The submission or trial that the job judges. For `stop_runs`, the job whose image runs it stops. For `final_round`, the task. */
		subjectId: text("subject_id").notNull(),
		/** The number of the submission's evaluation that the job makes, and the reason for it. */
		iteration: integer("iteration").notNull().default(1),
		round: text("round", { enum: EVALUATION_ROUNDS }).notNull().default("submission"),
		/** If true, the extension that queued the job also ends it. So failed attempts or waiting for a ceiling do not end it. */
		isBound: integer("is_bound", { mode: "boolean" }).notNull().default(false),
		/** The human, operator or agent that waits for the job. */
		party: text("party").notNull(),
		/** The order of ready jobs, from 1. The smallest is next, so that parties alternate. 0 once a consumer has begun the job. */
		turn: integer("turn").notNull(),
		state: text("state", { enum: JOB_STATES }).notNull(),
		attempts: integer("attempts").notNull().default(0),
		/** The number of attempts that ended in a fault. Waiting for a judge or grader does not count. */
		faults: integer("faults").notNull().default(0),
		/** The number of image runs that were requested. Each is counted before its request, so that all can be stopped. */
		runs: integer("runs").notNull().default(0),
		/** The mode's state between two visits of the job, such as when a request was delivered. */
		progress: text("progress", { mode: "json" }).$type<unknown>(),
		/** Each consumer has a new token. Null unless the job is claimed. */
		claimToken: text("claim_token"),
		/** The fund that pays for the job under the task's ceiling. */
		fund: text("fund", { enum: FUNDS }).notNull().default("all"),
		/**
		 * The payer of the job under the daily ceilings. Null if the job counts only for the poster and the deployment. Deleted with the job.
		 */
		payer: text("payer"),
		/** If true, the agent had no evaluation on the task when the consumer made the reservation. */
		isFirst: integer("is_first", { mode: "boolean" }).notNull().default(false),
		/** What the consumer has reserved under the task's ceiling, in millionths of a US dollar. Null before its first call to a model. */
		reserved: integer("reserved"),
		/** True if an attempt has paid for a call to a model, so the job counts as a run of its fund. */
		isPaid: integer("is_paid", { mode: "boolean" }).notNull().default(false),
		/** Consumers do not claim the job before this time. */
		dueAt: integer("due_at").notNull(),
		/** When the job ends without a score. Waits extend it, so that only work counts. */
		giveUpAt: integer("give_up_at").notNull(),
		/** When the object next looks at the job, because its claim expires, it is due, or its time is over. Null for never. */
		wakeAt: integer("wake_at"),
		lastError: text("last_error"),
		/** The supplier's own words about the last fault, only for operators. */
		supplierWords: text("supplier_words"),
		/** What the job is waiting for, even while a consumer checks on it in between. Null for a job that is at work or waits for its turn. */
		wait: text("wait", { mode: "json" }).$type<JobWait>(),
		/** How long the job waited before its current wait, in milliseconds. Pauses do not count. */
		waitedMs: integer("waited_ms").notNull().default(0),
		/** The reason for which an operator requested the job. Null for other jobs. */
		operatorReason: text("operator_reason"),
		/** How long attempts that continue in a new message have lasted, in milliseconds. */
		continuedMs: integer("continued_ms").notNull().default(0),
		/** The id of the request that caused the job, for logs and traces. Null for jobs that the object started by itself. */
		requestId: text("request_id"),
		createdAt: integer("created_at").notNull(),
	},
	(table) => [
		primaryKey({ columns: [table.subjectId, table.kind] }),
		check("job_kind", isOneOf("kind", JOB_KINDS)),
		check("job_state", isOneOf("state", JOB_STATES)),
		check("job_claimed", sql`(state = 'claimed') = (claim_token is not null)`),
		check("job_fund", isOneOf("fund", FUNDS)),
		check("job_reserved", sql`reserved is null or state = 'claimed'`),
		// The index includes the party, because a new job is compared with its party's other jobs.
		index("jobs_turn").on(table.state, table.kind, table.turn, table.id, table.party),
	],
);

export type JobRow = typeof jobs.$inferSelect;

/** Trials are judged but are not submissions: the poster's dry runs, and the cases of the judge check. */
export const trials = sqliteTable(
	"trials",
	{
		id: text("id").primaryKey(),
		kind: text("kind", { enum: TRIAL_KINDS }).notNull(),
		/** The label of a dry run, or the name of a judge check case. */
		name: text("name"),
		/** The highest score at which a judge check case passes. */
		expectedAtMost: real("expected_at_most"),
		/** The lowest score at which a reference passes, over the criteria in `expected`. */
		expectedAtLeast: real("expected_at_least"),
		/** The scores that the poster expects of a dry run, by criterion. */
		expected: text("expected", { mode: "json" }).$type<Readonly<Record<string, number>>>(),
		/** If true, this dry run is a case of the judge check. */
		reference: integer("reference", { mode: "boolean" }).notNull().default(false),
		/** The dry run whose files this case of the judge check has. Null for the platform's own cases. */
		referenceId: text("reference_id"),
		status: text("status", { enum: TRIAL_STATUSES }).notNull().default("running"),
		/** Null until the files of a case are packed. */
		artifactKey: text("artifact_key"),
		artifactSha256: text("artifact_sha256"),
		missingSections: text("missing_sections", { mode: "json" }).$type<string[]>(),
		finalScore: real("final_score"),
		testScore: real("test_score"),
		llmScore: real("llm_score"),
		containerScore: real("container_score"),
		dimensions: text("dimensions", { mode: "json" }).$type<
			readonly { readonly criterion: string; readonly weight: number; readonly score: number }[]
		>(),
		/** The reason for a failure, for the task's owner. */
		errorMessage: text("error_message"),
		/** If there is no score, who must change something. */
		blame: text("blame", { enum: BLAMES }),
		createdAt: integer("created_at").notNull(),
		finishedAt: integer("finished_at"),
	},
	(table) => [
		check("trial_reference", sql`reference = 0 or kind = 'dry_run'`),
		check("trial_kind", isOneOf("kind", TRIAL_KINDS)),
		check("trial_status", isOneOf("status", TRIAL_STATUSES)),
		check("trial_finished", sql`(status = 'running') = (finished_at is null)`),
		check("trial_scored", sql`(status = 'completed') = (final_score is not null)`),
		index("trials_kind").on(table.kind, table.createdAt, table.id),
	],
);

export type TrialRow = typeof trials.$inferSelect;

/** What judging used: for the whole task, and for each dry run by model. */
export const usage = sqliteTable(
	"usage",
	{
		/** The holder is `task`, or the id of a dry run. */
		holder: text("holder").notNull(),
		/** The model, for dry runs, which have a row per model. Otherwise empty. */
		model: text("model").notNull().default(""),
		calls: integer("calls").notNull(),
		inputTokens: integer("input_tokens").notNull(),
		outputTokens: integer("output_tokens").notNull(),
		/** Null if nothing was read or written. */
		costMicroUsd: integer("cost_micro_usd"),
		/** The cost of agents' evaluations after each agent's first one. */
		furtherMicroUsd: integer("further_micro_usd").notNull().default(0),
		/** The part for dry runs, judge checks, proposals and re-evaluations by the owner. `poster_runs` counts them. */
		posterMicroUsd: integer("poster_micro_usd").notNull().default(0),
		posterRuns: integer("poster_runs").notNull().default(0),
	},
	(table) => [primaryKey({ columns: [table.holder, table.model] })],
);
