import { sql } from "drizzle-orm";
import { check, index, integer, primaryKey, real, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { BLAMES } from "../../../domain/evaluation-fault.ts";
import { EVALUATION_ROUNDS } from "../../../domain/evaluation-rounds.ts";
import { JOB_KINDS } from "../../../domain/jobs.ts";
import { type DayScope, FUNDS } from "../../../domain/spend.ts";
import { TRIAL_KINDS, TRIAL_STATUSES } from "../../../domain/trials.ts";
import type { ShownWait } from "../../../domain/waits.ts";
import { isOneOf } from "../../schema/one-of.ts";

/** A job is `ready` for a consumer, `claimed` by one, `waiting` for its time, or `paused` until operators switch judging on. */
const JOB_STATES = ["ready", "claimed", "waiting", "paused"] as const;

/** A job waits. Times are in milliseconds since the epoch. */
export interface JobWait extends Pick<ShownWait, "reason" | "message" | "since"> {
	/** When the part of the wait that is not counted yet began. */
	readonly from: number;
	/** The job waits for these spending ceilings. */
	readonly ceilings?: readonly DayScope[];
}

/**
 * A job is work that a consumer of the queue does for this task. Only the holder of the claim works on it. A job is deleted when it ends, so a
 * result that arrives twice finds nothing to change.
 */
export const jobs = sqliteTable(
	"jobs",
	{
		/** Graders, external judges and the bucket identify the job by this id. */
		id: text("id").notNull(),
		kind: text("kind", { enum: JOB_KINDS }).notNull(),
		/** The job judges this submission or trial. `stop_runs` stops the image's runs of the job with this id, and `final_round` has the task's. */
		subjectId: text("subject_id").notNull(),
		/** The job makes this evaluation of the submission, for this reason. */
		iteration: integer("iteration").notNull().default(1),
		round: text("round", { enum: EVALUATION_ROUNDS }).notNull().default("submission"),
		/** If true, the extension that has queued the job also ends it. So neither its turn, a wait for a ceiling nor further attempts end it. */
		isBound: integer("is_bound", { mode: "boolean" }).notNull().default(false),
		/** This human, operator or agent waits for the job. */
		party: text("party").notNull(),
		/**
		 * Turns order the jobs that are ready, from 1. The job with the smallest turn is next, so parties alternate. It is 0 once a consumer
		 * has begun the job.
		 */
		turn: integer("turn").notNull(),
		state: text("state", { enum: JOB_STATES }).notNull(),
		attempts: integer("attempts").notNull().default(0),
		/** This many attempts ended in a fault. Waiting for a judge or grader does not count. */
		faults: integer("faults").notNull().default(0),
		/** This many runs of the image were asked for. Each is counted before its request, so that all of them can be stopped. */
		runs: integer("runs").notNull().default(0),
		/** A mode keeps state here between two visits of the job, such as when a request was delivered. */
		progress: text("progress", { mode: "json" }).$type<unknown>(),
		/** Each consumer has a new token. Null unless the job is claimed. */
		claimToken: text("claim_token"),
		/** This pays for the job under the task's ceiling. */
		fund: text("fund", { enum: FUNDS }).notNull().default("all"),
		/** Pays for the job on the day. Null if only the poster's and the deployment's day do, and deleted with the job. */
		payer: text("payer"),
		/** If true, the agent had no evaluation of the task when the consumer has reserved. */
		isFirst: integer("is_first", { mode: "boolean" }).notNull().default(false),
		/** The consumer has reserved this under the task's ceiling, in millionths of a US dollar. Null before its first call to a model. */
		reserved: integer("reserved"),
		/** An attempt has paid for a call to a model, so the job counts as a run of its fund. */
		isPaid: integer("is_paid", { mode: "boolean" }).notNull().default(false),
		/** No consumer takes the job before this time. */
		dueAt: integer("due_at").notNull(),
		/** At this time the job ends without a score. Waits extend it, so that only work counts. */
		giveUpAt: integer("give_up_at").notNull(),
		/** When the object looks at the job, because its claim expires, it is due, or its time is over. Null for never. */
		wakeAt: integer("wake_at"),
		lastError: text("last_error"),
		/** The supplier's own words about the last fault. Only operators read them. */
		supplierWords: text("supplier_words"),
		/** The job waits for this, looks in between included. Null for a job that is at work or waits for its turn. */
		wait: text("wait", { mode: "json" }).$type<JobWait>(),
		/** The job has waited this long before its present wait, in milliseconds. Pauses do not count. */
		waitedMs: integer("waited_ms").notNull().default(0),
		/** An operator has asked for the job, for this reason. Null for others. */
		operatorReason: text("operator_reason"),
		/** Attempts that continue in a new message have lasted this long, in milliseconds. */
		continuedMs: integer("continued_ms").notNull().default(0),
		/** The request that the job was made for, for logs and traces. Null for what the object does by itself. */
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
		// The index has the party too, because a new job is compared with other jobs of its party.
		index("jobs_turn").on(table.state, table.kind, table.turn, table.id, table.party),
	],
);

export type JobRow = typeof jobs.$inferSelect;

/** A trial is judged without being a submission: it is a dry run of the poster, or a case of the judge check. */
export const trials = sqliteTable(
	"trials",
	{
		id: text("id").primaryKey(),
		kind: text("kind", { enum: TRIAL_KINDS }).notNull(),
		/** A dry run has its label here, and a case of the judge check its name. */
		name: text("name"),
		/** A case of the judge check passes up to this score. */
		expectedAtMost: real("expected_at_most"),
		/** A reference passes as a case from this score on, over the criteria that `expected` names. */
		expectedAtLeast: real("expected_at_least"),
		/** The poster expects these scores of a dry run, by criterion. */
		expected: text("expected", { mode: "json" }).$type<Readonly<Record<string, number>>>(),
		/** If true, this dry run is a case of the judge check. */
		reference: integer("reference", { mode: "boolean" }).notNull().default(false),
		/** A case of the judge check has the files of this dry run. Null for a case of the platform's. */
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
		/** The task's owner reads this reason of a failure. */
		errorMessage: text("error_message"),
		/** Without a score, this party must change something. */
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

/** These rows sum up what judging used: for the whole task, and for each dry run by model. */
export const usage = sqliteTable(
	"usage",
	{
		/** The holder is `task`, or the id of a dry run. */
		holder: text("holder").notNull(),
		/** A dry run has a row for each model. The model is empty otherwise. */
		model: text("model").notNull().default(""),
		calls: integer("calls").notNull(),
		inputTokens: integer("input_tokens").notNull(),
		outputTokens: integer("output_tokens").notNull(),
		/** Null if nothing was read or written. */
		costMicroUsd: integer("cost_micro_usd"),
		/** The cost of agents' evaluations after their first one. */
		furtherMicroUsd: integer("further_micro_usd").notNull().default(0),
		/** This part is that of dry runs, judge checks, proposals and re-evaluations by the owner, of which there were `poster_runs`. */
		posterMicroUsd: integer("poster_micro_usd").notNull().default(0),
		posterRuns: integer("poster_runs").notNull().default(0),
	},
	(table) => [primaryKey({ columns: [table.holder, table.model] })],
);
