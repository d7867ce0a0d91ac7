import { sql } from "drizzle-orm";
import { check, index, integer, primaryKey, real, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { BLAMES } from "../../../domain/evaluation-fault.ts";
import { EVALUATION_ROUNDS } from "../../../domain/evaluation-rounds.ts";
import { JOB_KINDS } from "../../../domain/jobs.ts";
import { type DayScope, FUNDS } from "../../../domain/spend.ts";
import { TRIAL_KINDS, TRIAL_STATUSES } from "../../../domain/trials.ts";
import type { ShownWait } from "../../../domain/waits.ts";
import { isOneOf } from "../../schema/one-of.ts";

/** `ready` for a queue consumer, `claimed` by one, `waiting` until it is due, or `paused` until an operator switches judging on. */
const JOB_STATES = ["ready", "claimed", "waiting", "paused"] as const;

/** What a job waits for, and since when. Times are in milliseconds since the epoch. */
export interface JobWait extends Pick<ShownWait, "reason" | "message" | "since"> {
	/** The time up to which the wait is included in `waitedMs`. */
	readonly from: number;
	/** The spending ceilings that the job waits for. */
	readonly ceilings?: readonly DayScope[];
}

/**
 * Jobs, which queue consumers run for this task. Only the consumer that has claimed a job runs it. The row is deleted when the job ends, so
 * a result that arrives twice changes nothing.
 */
export const jobs = sqliteTable(
	"jobs",
	{
		/** The job's id, which appears in requests to graders and external judges and in the keys of files in the bucket. */
		id: text("id").notNull(),
		kind: text("kind", { enum: JOB_KINDS }).notNull(),
		/**
		 * The submission or trial that the job judges. For `stop_runs`, the job whose image runs must be stopped. For `final_round`, the task.
		 */
		subjectId: text("subject_id").notNull(),
		/** The number of the submission's evaluation. `round` is the reason for the evaluation. */
		iteration: integer("iteration").notNull().default(1),
		round: text("round", { enum: EVALUATION_ROUNDS }).notNull().default("submission"),
		/** True if only the extension that queued the job can end it. Failed attempts and waiting for a ceiling then do not end it. */
		isBound: integer("is_bound", { mode: "boolean" }).notNull().default(false),
		/** The human, operator or agent that waits for the job. */
		party: text("party").notNull(),
		/** The job's place among the ready jobs, from 1, in an order in which parties alternate. 0 once a consumer has begun the job. */
		turn: integer("turn").notNull(),
		state: text("state", { enum: JOB_STATES }).notNull(),
		attempts: integer("attempts").notNull().default(0),
		/** The number of attempts that ended in a fault. Waiting for a judge or grader does not count. */
		faults: integer("faults").notNull().default(0),
		/** The number of image runs that were requested. A run is counted before it is requested, so that every run can be stopped. */
		runs: integer("runs").notNull().default(0),
		/** What the evaluation mode keeps between two attempts, such as the time at which it delivered a request. */
		progress: text("progress", { mode: "json" }).$type<unknown>(),
		/** The token of the consumer that has claimed the job. Null unless it is claimed. */
		claimToken: text("claim_token"),
		/** The fund that pays for the job under the task's ceiling. */
		fund: text("fund", { enum: FUNDS }).notNull().default("all"),
		/**
		 * The payer whose daily ceiling the job counts towards. Null if the job only counts towards those of the poster and the deployment.
		 */
		payer: text("payer"),
		/** True if the agent had no evaluation on the task when the consumer made the reservation. */
		isFirst: integer("is_first", { mode: "boolean" }).notNull().default(false),
		/** What the consumer has reserved under the task's ceiling, in millionths of a US dollar. Null before its first call to a model. */
		reserved: integer("reserved"),
		/** True if an attempt has paid for a call to a model. The job then counts as a run of its fund. */
		isPaid: integer("is_paid", { mode: "boolean" }).notNull().default(false),
		/** The time before which consumers do not claim the job. */
		dueAt: integer("due_at").notNull(),
		/** When the job ends without a score. Waiting postpones this time, so that only the duration of attempts counts. */
		giveUpAt: integer("give_up_at").notNull(),
		/** When the Task object must look at the job again: when the claim expires, the job is due, or its time is over. Null for never. */
		wakeAt: integer("wake_at"),
		lastError: text("last_error"),
		/** The supplier's own message about the last fault, which only operators see. */
		supplierWords: text("supplier_words"),
		/** What the job is waiting for. Kept while an attempt runs. Null if it waits for nothing, or only for its turn. */
		wait: text("wait", { mode: "json" }).$type<JobWait>(),
		/** How long the job has waited in total, in milliseconds, up to `from` of the current wait. Pauses do not count. */
		waitedMs: integer("waited_ms").notNull().default(0),
		/** Why an operator requested the job. Null for other jobs. */
		operatorReason: text("operator_reason"),
		/** The total duration of the attempts that another queue message continued, in milliseconds. */
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
		// Includes the party, because adding a job to the queue looks for other jobs of the same party.
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
		/** The label of a dry run, or the name of a case of the judge check. */
		name: text("name"),
		/** The highest score with which a case of the judge check passes. Null for references and for dry runs. */
		expectedAtMost: real("expected_at_most"),
		/** The lowest score with which a reference passes, computed from `expected`. Null for other cases and for dry runs. */
		expectedAtLeast: real("expected_at_least"),
		/** The scores that the poster expects for a dry run, or for a case that uses its files, keyed by criterion name. */
		expected: text("expected", { mode: "json" }).$type<Readonly<Record<string, number>>>(),
		/** True if the poster marked this dry run as a reference, so that the judge check judges its files too. */
		reference: integer("reference", { mode: "boolean" }).notNull().default(false),
		/** The dry run whose files this case of the judge check uses. Null for the platform's own cases. */
		referenceId: text("reference_id"),
		status: text("status", { enum: TRIAL_STATUSES }).notNull().default("running"),
		/** The key of the trial's zip in the bucket. Null for a case whose files have not been packed yet. */
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
		/** Why the trial failed, for the task's owner. */
		errorMessage: text("error_message"),
		/** Who is to blame for the missing score of a failed trial. */
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

/** What judging has used: one row for the whole task, and one row for each dry run and model. */
export const usage = sqliteTable(
	"usage",
	{
		/** The holder is `task`, or the id of a dry run. */
		holder: text("holder").notNull(),
		/** The model that the dry run used. Empty for the task. */
		model: text("model").notNull().default(""),
		calls: integer("calls").notNull(),
		inputTokens: integer("input_tokens").notNull(),
		outputTokens: integer("output_tokens").notNull(),
		/** The cost in millionths of a US dollar. Null if it is not known. */
		costMicroUsd: integer("cost_micro_usd"),
		/** The cost of agents' evaluations other than each agent's first one. */
		furtherMicroUsd: integer("further_micro_usd").notNull().default(0),
		/** The cost of dry runs, judge checks, proposals of checks, and the owner's re-evaluations. `poster_runs` is their number. */
		posterMicroUsd: integer("poster_micro_usd").notNull().default(0),
		posterRuns: integer("poster_runs").notNull().default(0),
	},
	(table) => [primaryKey({ columns: [table.holder, table.model] })],
);
