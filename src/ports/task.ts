// Types for the verbs of a Task object and their callers.
import type { DrizzleSqliteDODatabase } from "drizzle-orm/durable-sqlite";
import type { Config } from "../config/env.ts";
import type { AuditEntry } from "../domain/audit.ts";
import { AppError } from "../domain/errors.ts";
import type { FaultRecord } from "../domain/evaluation-fault.ts";
import type { EvaluationRound, EvidenceKind } from "../domain/evaluation-rounds.ts";
import type { DomainEvent } from "../domain/events.ts";
import type { JobKindName } from "../domain/jobs.ts";
import type { Fund, Usage } from "../domain/spend.ts";
import type { TaskWarning } from "../domain/task-warnings.ts";
import type { Clock } from "../platform/clock.ts";
import type { TaskHolding } from "./holdings.ts";
import type { Findings, Judgement } from "./judgement.ts";
import type { Lane } from "./queues.ts";

/** The SQLite database inside the Task object. Statements run synchronously: `.get()`, `.all()`, `.run()`, `.values()`. */
export type TaskDatabase = DrizzleSqliteDODatabase & { readonly $client: DurableObjectStorage };

/** What a verb gets. A verb reads, decides and writes in one synchronous transaction, so nothing else happens in between. */
export interface TaskStore {
	/** The task's id is also the object's name. */
	readonly id: string;
	readonly db: TaskDatabase;
	readonly config: Config;
	/** The time on the task's clock, in milliseconds since the epoch. The task's decisions use it. */
	readonly now: number;
	/**
	 * Real time, in milliseconds since the epoch. The same as `now` unless the clock of a test task was advanced. The age of stored responses
	 * and files is measured in it.
	 */
	readonly realNow: number;
	/** The id of the request that causes this change. Null if the object acts by itself. */
	readonly requestId: string | null;
	/** What the core and the extensions add to Task objects. src/compose/ has the lists. */
	readonly parts: TaskJoints;
	newId(): string;
	/** Records an event, which is sent after the transaction. */
	record(event: DomainEvent): void;
	/** Writes the task's card after the transaction. Also increment the task's `revision` with every change that the card shows. */
	markTask(): void;
	/** Writes a submission's card after the transaction. Also increment the submission's `revision`. */
	markSubmission(submissionId: string): void;
	/**
	 * Looks at the jobs again after the transaction (compose/task-runtime.ts), for example to send a message to a queue. Call this with every
	 * change of a job.
	 */
	markJobs(): void;
	/** Stores in the directory that an id belongs to this task, for paths that contain only the id. */
	markLocated(id: string): void;
	/** Writes an agent's member card after the transaction, because the agent joined the task or was removed from it. */
	markMember(agentId: string): void;
	/** Writes an operator's action to the audit log after the transaction. */
	recordAct(entry: AuditEntry): void;
	/**
	 * Advances the task's clock after the transaction. Every duty that becomes due on the way runs at its own time, before the call returns.
	 */
	advanceClock(ms: number): void;
	/** Deletes the object and all of its data after the transaction. */
	destroy(): void;
}

/** The lists through which the core reaches extensions, which it must not import. */
export interface TaskJoints {
	/** The holdings that store data in Task objects. */
	readonly holdings: readonly TaskHolding<TaskStore>[];
	/** The rules of the kinds of jobs, in the order in which consumers claim jobs. If several fit a job, the first one applies. */
	readonly jobs: readonly JobRules[];
	readonly inspections: readonly InspectionRules[];
	readonly steps: Steps;
}

/** The columns of a job's row that the rules of its kind see. */
export interface Job {
	readonly id: string;
	readonly kind: JobKindName;
	readonly subjectId: string;
	readonly iteration: number;
	readonly round: EvaluationRound;
	/** True if only the extension that queued the job can end it. */
	readonly isBound: boolean;
	readonly fund: Fund;
	readonly attempts: number;
	readonly operatorReason: string | null;
}

export interface AttemptFindings<Own = unknown> {
	/** What the attempt's calls used, by model. */
	readonly used: readonly (Usage & { readonly model: string })[];
	readonly findings: Findings<Own>;
	readonly isScored: boolean;
}

/** The rules of a kind of job inside the Task object. `JobKind` in core/competition/evaluation adds what the queue consumer does. */
export interface JobRules<Material extends object = object, Own = unknown> {
	readonly kind: JobKindName;
	/** True if the rules are for the kind's bound jobs, which only their extension can end. Undefined if they are for its other jobs. */
	readonly isBound?: true;
	/** What the job judges, which is what `subjectId` identifies. Null for a job that judges nothing. */
	readonly subject: "submission" | "trial" | null;
	readonly lane: Lane;
	/** The maximum number of attempts. Null for a job that judges nothing, which is retried until its time is over. */
	readonly tries: number | null;
	/** True if the job also judges held criteria, which competitors must not optimize for. */
	readonly judgesHeld: boolean;
	/** True if the job's cost was reserved under the task's ceiling before it was queued. */
	readonly isReserved: boolean;
	/** Returns what the consumer needs in addition to the task and its rubric. If there is nothing to do, records why and returns null. */
	open(task: TaskStore, job: Job): Material | null;
	/** Records the usage and findings of an attempt, however it ended. */
	record(task: TaskStore, job: Job, findings: AttemptFindings<Own>): void;
	score(task: TaskStore, job: Job, scored: { readonly judgement: Judgement; readonly used: readonly Usage[] }): void;
	fail(task: TaskStore, job: Job, fault: FaultRecord): void;
	/** Returns the part of the task's ceiling that the kind sets aside for later jobs. */
	keeps?(task: TaskStore): KeptRoom;
	/** Returns when bound jobs of the kind end at the latest, in milliseconds since the epoch. Returns null if there is no limit. */
	endsAt?(task: TaskStore): number | null;
	/** Called when judging is on again. `pausedMs` is how long bound jobs of the kind were paused. */
	resume?(task: TaskStore, pausedMs: number): void;
	/** Returns the kind's decision about the score of a submission, or null if the kind does not decide it. */
	decides?(task: TaskStore, submissionId: string): Decision | null;
}

/** The part of the task's ceiling that a kind of job sets aside. */
export interface KeptRoom {
	/** The fraction of the task's ceiling, from 0 to 1, that other jobs must leave free. */
	readonly share: number;
	/**
	 * The number of submissions for which this part of the ceiling should suffice. If it does not, the owner gets a warning on publishing.
	 */
	readonly works: number;
	/** The amount that the kind has already reserved for its jobs, in millionths of a US dollar. The jobs themselves reserve nothing. */
	readonly reserved: number;
}

/** What a kind of job has decided about a submission's score. */
export interface Decision {
	/** True if the kind has not decided yet. Until it has, no other job judges the submission. */
	readonly isOpen: boolean;
	/**
	 * The round of this kind's evaluations. An evaluation that an operator requests later has the same one, so that it replaces the score.
	 */
	readonly round: EvaluationRound;
}

/** An inspection looks at the files of a submission once, before they are judged, as part of the job. */
export interface InspectionRules<Wanted extends object = object, Found extends object = object> {
	readonly name: string;
	/** Returns what to look for in the submission's current artifact. Returns null if the findings are already stored. */
	open(task: TaskStore, submission: { readonly id: string; readonly artifactSha256: string | null }): Wanted | null;
	/** Stores what was found in the submission's artifact. */
	record(task: TaskStore, submissionId: string, findings: Found): void;
}

/**
 * What extensions do when a task is published and when it ends. The steps run in the core's transaction, in the order of the lists. If one
 * throws, the whole transaction is rolled back.
 */
export interface Steps {
	/** The steps that run when a draft is published, before its status changes. They return warnings for the owner. */
	readonly published: readonly ((task: TaskStore, facts: PublishedFacts) => readonly TaskWarning[])[];
	/** The steps that run when the task or one of its jobs has ended, and sometimes at other times. They must be idempotent. */
	readonly ended: readonly ((task: TaskStore, facts: EndedFacts) => StepReply)[];
}

/** An ended task is not settled while one of the steps returns `wait`. */
export type StepReply = "wait" | null;

export interface PublishedFacts {
	/** The rubric with which the task is published. */
	readonly criteria: readonly {
		readonly name: string;
		readonly weight: number;
		readonly checks: readonly string[];
		readonly evidence: EvidenceKind;
	}[];
	/** The poster's party, for jobs that the poster causes. Jobs of different parties take turns. */
	readonly party: string;
	/** The payer whose daily ceiling the poster's jobs count towards. */
	readonly payer: string;
}

export interface EndedFacts {
	/** The submission that got a score, and the round of its evaluation. Null if none did. */
	readonly scored: { readonly submissionId: string; readonly round: EvaluationRound } | null;
}

/** What a caller of a verb must have. `Ctx` and `Deps` have it. */
interface TaskCaller {
	readonly clock: Clock;
	readonly hubs: {
		callTask<Input, Output>(
			taskId: string,
			verb: TaskVerb<Input, Output>,
			call: { readonly input: Input; readonly now: number },
		): Promise<Output>;
	};
}

/**
 * A verb runs inside the Task object. The Worker calls it like a function: `await closeOwnTask(ctx, taskId, { by })`. Input and output are
 * plain data. A call is repeated if its response is lost. So its input has the id of what it creates, and a second call changes nothing.
 */
export interface TaskVerb<Input, Output> {
	/** @throws AppError The error that the verb throws, or `NOT_FOUND` if there is no such task. */
	(caller: TaskCaller, taskId: string, input: Input): Promise<Output>;
	/** The name of the constant to which the verb is assigned. */
	readonly name: string;
	/** The verb's name and number, such as `closeOwnTask@1`, by which the object finds the verb. */
	readonly calledAs: string;
	/** True if the verb creates the task. All other verbs fail if there is no task, and write nothing. */
	readonly creates: boolean;
	/** @throws AppError for the caller. It rolls back the transaction. */
	readonly run: (task: TaskStore, input: Input) => Output;
}

/**
 * The declared verbs, keyed by name and number. The Worker and its objects are one program, so an object of the same version has every verb
 * that a caller can import. An object of another version may lack a verb, and then rejects the call.
 */
const declaredVerbs = new Map<string, TaskVerb<never, unknown>>();

/**
 * Declares a {@link TaskVerb}. After a deployment, Workers of one version call objects of another. So if the input or the meaning of a verb
 * changes, it gets the next number, as in `closeOwnTask@2`. The earlier one may stay declared for a release.
 *
 * @param name A name without a number has the number 1.
 * @throws Error if another verb has this name and number.
 */
export function taskVerb<Input, Output>(name: string, run: (task: TaskStore, input: Input) => Output): TaskVerb<Input, Output> {
	return declareVerb(name, { creates: false, run });
}

/** Declares a {@link TaskVerb} that creates the task. */
export function creatingVerb<Input, Output>(name: string, run: (task: TaskStore, input: Input) => Output): TaskVerb<Input, Output> {
	return declareVerb(name, { creates: true, run });
}

function declareVerb<Input, Output>(name: string, parts: Pick<TaskVerb<Input, Output>, "creates" | "run">): TaskVerb<Input, Output> {
	const call = ({ hubs, clock }: TaskCaller, taskId: string, input: Input) => hubs.callTask(taskId, verb, { input, now: clock.now() });
	const [bareName = name, number = "1"] = name.split("@");
	const calledAs = `${bareName}@${number}`;
	const verb: TaskVerb<Input, Output> = Object.defineProperty(Object.assign(call, parts, { calledAs }), "name", { value: bareName });
	if (declaredVerbs.has(calledAs)) throw new Error(`Two verbs are called ${calledAs}.`);
	declaredVerbs.set(calledAs, verb);
	return verb;
}

/** Returns a verb by its name and number, or null if this version does not have it. */
export function findVerb(calledAs: string): TaskVerb<never, unknown> | null {
	return declaredVerbs.get(calledAs) ?? null;
}

/** Waits for the call of a verb. Returns null if the task does not exist, for example because it was deleted in the meantime. */
export async function unlessDeleted<Output>(call: Promise<Output>): Promise<Output | null> {
	try {
		return await call;
	} catch (error) {
		if (error instanceof AppError && error.code === "NOT_FOUND") return null;
		throw error;
	}
}

/** A duty of a Task object, which the object does by itself when it is due. */
export interface TaskDuty {
	readonly name: string;
	/**
	 * True if the duty is about something outside the task. Then `dueAt` is in real time, and advancing the task's clock has no effect on it.
	 */
	readonly isInRealTime?: true;
	/** Returns when the duty is due, in milliseconds since the epoch, or null if nothing will be due. */
	dueAt(task: TaskStore): number | null;
	/** Does what is due now, in a separate transaction. Must be idempotent. */
	run(task: TaskStore): void;
	/** Called as the last step of a transaction that has changed rows. */
	noteChange?(task: TaskStore): void;
	/** Called when the task's clock has just been advanced by `ms` milliseconds. */
	noteAdvance?(task: TaskStore, ms: number): void;
}

/** The message of the error with which calls fail when the Task object restarts. */
export const RESTARTING = "The Task object restarts.";

/**
 * The Task object's reply to a call. Errors are data, because an exception loses its class on the way. Callers of another version know only
 * these kinds of replies, so a new kind would need a new method.
 */
export type TaskReply =
	| { readonly kind: "value"; readonly value: unknown }
	| {
			readonly kind: "refused";
			readonly refusal: {
				readonly code: string;
				readonly facts: unknown;
			};
	  }
	/** There is no task with this id. */
	| { readonly kind: "missing" };

export interface TaskCall {
	/** The id of the call. If the call is repeated, the id is the same, so the object returns the value of the first call. */
	readonly id: string;
	readonly taskId: string;
	/** The verb's {@link TaskVerb.calledAs}. */
	readonly verb: string;
	readonly input: unknown;
	/** The time on the caller's clock, in milliseconds since the epoch. */
	readonly now: number;
	/** The id of the request behind the call. */
	readonly requestId?: string | null | undefined;
}
