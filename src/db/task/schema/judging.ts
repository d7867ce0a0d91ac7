import { sql } from "drizzle-orm";
import { check, index, integer, primaryKey, real, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { BLAMES } from "../../../domain/evaluation-fault.ts";
import { EVALUATION_ROUNDS } from "../../../domain/evaluation-rounds.ts";
import type { Spend } from "../../../domain/spend.ts";
import { TRIAL_KINDS, TRIAL_STATUSES } from "../../../domain/trials.ts";
import { isOneOf } from "../../schema/one-of.ts";

/** In the order in which they are handed out. Stopping frees the grader, and agents wait for submissions. */
const JOB_KINDS = ["stop_runs", "evaluation", "dry_run", "judge_check"] as const;

/** `ready` for a consumer, `leased` to one, or `waiting` for its time. */
const JOB_STATES = ["ready", "leased", "waiting"] as const;

/**
 * Work that a consumer of the queue does for this task. Only the holder of the lease works on a job. A job is deleted when it ends, so a
 * result that arrives twice finds nothing to change.
 */
export const jobs = sqliteTable(
	"jobs",
	{
		/** The name of the job to graders, outside judges and in the bucket. */
		id: text("id").notNull(),
		kind: text("kind", { enum: JOB_KINDS }).notNull(),
		/** The submission or the trial that is judged; for `stop_runs`, the job whose runs of the image are stopped. */
		subjectId: text("subject_id").notNull(),
		/** The evaluation of the submission that this job makes, and why it is made. */
		iteration: integer("iteration").notNull().default(1),
		round: text("round", { enum: EVALUATION_ROUNDS }).notNull().default("submission"),
		/** The human, operator or agent that waits for it. */
		party: text("party").notNull(),
		/** Its place among the jobs that are ready, from 1. The smallest one is next, so parties take turns. 0 once a consumer has begun it. */
		turn: integer("turn").notNull(),
		state: text("state", { enum: JOB_STATES }).notNull(),
		attempts: integer("attempts").notNull().default(0),
		/** Attempts that ended in a fault. Waiting for a judge or grader does not count. */
		faults: integer("faults").notNull().default(0),
		/** How many runs of the image were asked for. Counted before the request, so that all of them can be stopped. */
		runs: integer("runs").notNull().default(0),
		/** State that a mode keeps between two visits of the job, such as when a request was delivered. */
		progress: text("progress", { mode: "json" }).$type<unknown>(),
		/** A new one for each consumer; null unless the job is leased. */
		leaseToken: text("lease_token"),
		/** The most that the consumer's calls to models may use; null unless it may make some. */
		mayUse: text("may_use", { mode: "json" }).$type<Spend>(),
		/** No consumer takes the job before this time. */
		dueAt: integer("due_at").notNull(),
		/** At this time the job ends without a score, in any state, unless it waits for a ceiling. */
		giveUpAt: integer("give_up_at").notNull(),
		/** When the object looks at the job next: its lease expires, it is due, or its time is over. Null for never. */
		wakeAt: integer("wake_at"),
		lastError: text("last_error"),
		/** What stops all judging, such as a ceiling, in words for the agent and the task's owner. Null for other reasons to wait. */
		waitingFor: text("waiting_for"),
		/** How long the job has waited for that so far, in milliseconds. */
		ceilingWaitMs: integer("ceiling_wait_ms").notNull().default(0),
		createdAt: integer("created_at").notNull(),
	},
	(table) => [
		primaryKey({ columns: [table.subjectId, table.kind] }),
		check("job_kind", isOneOf("kind", JOB_KINDS)),
		check("job_state", isOneOf("state", JOB_STATES)),
		check("job_leased", sql`(state = 'leased') = (lease_token is not null)`),
		// With the party, which a new job is compared by.
		index("jobs_turn").on(table.state, table.kind, table.turn, table.id, table.party),
	],
);

/** Work that is judged without being a submission: dry runs of the poster, and the cases of the judge check. */
export const trials = sqliteTable(
	"trials",
	{
		id: text("id").primaryKey(),
		kind: text("kind", { enum: TRIAL_KINDS }).notNull(),
		/** The label of a dry run, or the name of a case of the judge check. */
		name: text("name"),
		/** The highest score at which a case of the judge check passes. */
		expectedAtMost: real("expected_at_most"),
		/** Scores that the poster expects of a dry run, by criterion. */
		expected: text("expected", { mode: "json" }).$type<Readonly<Record<string, number>>>(),
		status: text("status", { enum: TRIAL_STATUSES }).notNull().default("running"),
		/** Null until the files of a case are packed. */
		artifactKey: text("artifact_key"),
		artifactSha256: text("artifact_sha256"),
		missingSections: text("missing_sections", { mode: "json" }).$type<string[]>(),
		finalScore: real("final_score"),
		testScore: real("test_score"),
		llmScore: real("llm_score"),
		containerScore: real("container_score"),
		dimensions: text("dimensions", { mode: "json" }).$type<readonly { readonly criterion: string; readonly score: number }[]>(),
		/** The reason of a failure, as the task's owner reads it. */
		errorMessage: text("error_message"),
		/** The party that must change something, when there is no score. */
		blame: text("blame", { enum: BLAMES }),
		createdAt: integer("created_at").notNull(),
		finishedAt: integer("finished_at"),
	},
	(table) => [
		check("trial_kind", isOneOf("kind", TRIAL_KINDS)),
		check("trial_status", isOneOf("status", TRIAL_STATUSES)),
		check("trial_finished", sql`(status = 'running') = (finished_at is null)`),
		check("trial_scored", sql`(status = 'completed') = (final_score is not null)`),
		index("trials_kind").on(table.kind, table.createdAt, table.id),
	],
);

/** The sums of what judging used: for the whole task, and for each dry run by model. */
export const usage = sqliteTable(
	"usage",
	{
		/** `task`, or the id of a dry run. */
		holder: text("holder").notNull(),
		/** A model for a dry run, otherwise empty. */
		model: text("model").notNull().default(""),
		calls: integer("calls").notNull(),
		inputTokens: integer("input_tokens").notNull(),
		outputTokens: integer("output_tokens").notNull(),
		/** The cost of calls whose price is known; null when no price is known. */
		costMicroUsd: integer("cost_micro_usd"),
	},
	(table) => [primaryKey({ columns: [table.holder, table.model] })],
);
