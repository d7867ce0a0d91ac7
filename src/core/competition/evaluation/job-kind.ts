// A kind of job defines what its jobs do, in the Task object and in the consumer. src/compose/joints/jobs.ts lists all kinds.
import type { JobRow } from "../../../db/task/schema/judging.ts";
import type { CriterionRow, TaskRow } from "../../../db/task/schema/task.ts";
import type { FaultRecord } from "../../../domain/evaluation-fault.ts";
import type { JobKindName } from "../../../domain/jobs.ts";
import type { Deps } from "../../../ports/deps.ts";
import type { Findings, Judgement } from "../../../ports/judgement.ts";
import type { Job, JobRules, TaskJoints } from "../../../ports/task.ts";
import type { EvaluationRecord, ModeOutcome } from "../../judging/work.ts";

/** Everything that a consumer needs for a job. */
export interface JobMaterial<Material extends object = object> {
	readonly job: JobRow;
	readonly task: TaskRow;
	readonly criteria: readonly CriterionRow[];
	/** What {@link JobRules.open} returned for this job. */
	readonly opened: Material;
}

export interface JobAttempt<Material extends object = object, Own = unknown> {
	readonly material: JobMaterial<Material>;
	readonly record: EvaluationRecord;
	/** The consumer adds to these findings while it works. */
	readonly findings: { -readonly [Name in keyof Findings<Own>]: Findings<Own>[Name] };
}

export type Waiting = Extract<ModeOutcome, { kind: "waiting" }>;

/** How an attempt at a job has ended. */
export type JobResult =
	| { readonly kind: "scored"; readonly judgement: Judgement }
	| { readonly kind: "fault"; readonly fault: FaultRecord }
	/** A grader or the poster's service is still working, or cannot be reached. This does not count as an attempt. */
	| Waiting
	/** The job is finished, and has no score. */
	| { readonly kind: "done" };

export interface JobKind<Material extends object = object, Own = unknown> extends JobRules<Material, Own> {
	/** Does the work of an attempt, in the consumer and not in the Task object. @throws EvaluationFault */
	work(deps: Deps, attempt: JobAttempt<Material, Own>): Promise<JobResult>;
	/** Lists the keys of bucket objects that only this job needed, in addition to those that every job has. */
	listLeftovers?(material: JobMaterial<Material>): string[];
}

type KindOfJob = Pick<Job, "kind" | "isBound">;

/** Returns the rules of a job's kind. Returns null if the extension that defines the kind is not part of this platform. */
export function findRules<Rules extends JobRules>(jobs: readonly Rules[], { kind, isBound }: KindOfJob): Rules | null {
	return jobs.find((rules) => rules.kind === kind && (rules.isBound ?? false) === isBound) ?? null;
}

/** @throws Error if this platform does not have the kind. Callers never meet such a job, because it is neither claimed nor woken. */
export function rulesOf<Rules extends JobRules>(jobs: readonly Rules[], job: KindOfJob): Rules {
	const rules = findRules(jobs, job);
	if (rules === null) throw new Error(`No extension handles jobs of the kind ${job.kind}.`);
	return rules;
}

/** Lists the kinds of jobs in a lane, or in all lanes if `lane` is null, in the order in which consumers claim them. */
export function kindsIn({ jobs }: TaskJoints, lane: JobRules["lane"] | null): JobKindName[] {
	return [...new Set(jobs.filter((rules) => lane === null || rules.lane === lane).map(({ kind }) => kind))];
}
