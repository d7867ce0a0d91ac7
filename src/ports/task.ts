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

/** The object's own SQLite. Statements run synchronously: `.get()`, `.all()`, `.run()`, `.values()`. */
export type TaskDatabase = DrizzleSqliteDODatabase & { readonly $client: DurableObjectStorage };

/** The store that a verb gets. A verb reads, decides and writes in one synchronous transaction, so nothing else happens in between. */
export interface TaskStore {
	/** The task's id is also the object's name. */
	readonly id: string;
	readonly db: TaskDatabase;
	readonly config: Config;
	/** The time on the task's clock, in milliseconds since the epoch. The task's decisions use it. */
	readonly now: number;
	/**
	 * Real time. The same as `now` unless the clock of a test task was advanced.
	 * The age of stored responses and objects is measured in real time.
	 */
	readonly realNow: number;
	/** The request that causes this change. Null if the object acts by itself. */
	readonly requestId: string | null;
	/** The parts of the core and its extensions in the object. src/compose/ lists them. */
	readonly parts: TaskJoints;
	newId(): string;
	/** Records an event, which is sent after the transaction. */
	record(event: DomainEvent): void;
	/** Writes the task's card after the transaction. Increment `revision` with every change that a card shows. */
	markTask(): void;
	/** Writes a submission's card after the transaction. Increment its `revision` too. */
	markSubmission(submissionId: string): void;
	/**
	 * Checks the jobs after the transaction, through the object's followers (compose/task-runtime.ts). Call this with every change of a job.
	 */
	markJobs(): void;
	/** Stores in the directory which task an id belongs to, because paths contain only the id. */
	markLocated(id: string): void;
	/** Notifies the directory that an agent joined the task or was removed from it. */
	markMember(agentId: string): void;
	/** Writes an operator's action to the audit log. */
	recordAct(entry: AuditEntry): void;
	/**
	 * Advances the task's clock after the transaction. Anything that falls due in between happens at its own time, before the call returns.
	 */
	advanceClock(ms: number): void;
	/** Deletes the object and all of its data after the transaction. */
	destroy(): void;
}

/** The lists through which the core reaches extensions, because it must not import them. */
export interface TaskJoints {
	/** Everything that stores data in the object. */
	readonly holdings: readonly TaskHolding<TaskStore>[];
	/** Consumers claim jobs in the order of this list. If several entries are for one kind, the first that fits a job applies. */
	readonly jobs: readonly JobRules[];
	readonly inspections: readonly InspectionRules[];
	readonly steps: Steps;
}

/** The part of a job's row that its kind sees. */
export interface Job {
	readonly id: string;
	readonly kind: JobKindName;
	readonly subjectId: string;
	readonly iteration: number;
	readonly round: EvaluationRound;
	/** True if the extension that queued the job also ends it. */
	readonly isBound: boolean;
	readonly fund: Fund;
	readonly attempts: number;
	readonly operatorReason: string | null;
}

export interface AttemptFindings<Own = unknown> {
	/** Usage of the calls to models. */
	readonly used: readonly (Usage & { readonly model: string })[];
	readonly findings: Findings<Own>;
	readonly isScored: boolean;
}

/** The rules of a kind of job inside the Task object. `JobKind` in core/competition/evaluation adds the consumer's work. */
export interface JobRules<Material extends object = object, Own = unknown> {
	readonly kind: JobKindName;
	/** True if the rules are for the kind's bound jobs. Otherwise, they are for its other jobs. */
	readonly isBound?: true;
	/** What `subjectId` identifies, which is what the job judges. Null for a job that judges nothing. */
	readonly subject: "submission" | "trial" | null;
	readonly lane: Lane;
	/** The maximum number of attempts. Null for a job that judges nothing, which is retried until its time is over. */
	readonly tries: number | null;
	/** True if the job also judges the criteria that competitors must not optimize for. */
	readonly judgesHeld: boolean;
	/** True if the job's cost was reserved under the task's ceiling before it was queued. */
	readonly isReserved: boolean;
	/** Returns what the consumer needs in addition to the task and its rubric. If nothing is left to do, records why and returns null. */
	open(task: TaskStore, job: Job): Material | null;
	/** Records the usage and findings of an attempt, however it ended. */
	record(task: TaskStore, job: Job, findings: AttemptFindings<Own>): void;
	score(task: TaskStore, job: Job, scored: { readonly judgement: Judgement; readonly used: readonly Usage[] }): void;
	fail(task: TaskStore, job: Job, fault: FaultRecord): void;
	/** Returns the part of the task's ceiling that the kind sets aside for later jobs. */
	keeps?(task: TaskStore): KeptRoom;
	/** When bound jobs of the kind end at the latest, in milliseconds since the epoch. Null if there is no limit. */
	endsAt?(task: TaskStore): number | null;
	/** Called when judging is on again, with the time for which bound jobs of the kind were paused. */
	resume?(task: TaskStore, pausedMs: number): void;
	/** Returns null unless this kind decides the submission's score. */
	decides?(task: TaskStore, submissionId: string): Decision | null;
}

/** The part of the task's ceiling that a kind of job sets aside. */
export interface KeptRoom {
	/** The fraction of the ceiling that other jobs leave free, from 0 to 1. */
	readonly share: number;
	/** The number of submissions for which that part should have room. If it has less, publishing warns the owner. */
	readonly works: number;
	/** The amount that is already reserved, in millionths of a US dollar. The jobs that use it reserve nothing themselves. */
	readonly reserved: number;
}

/** The decision of a kind of job about the score of a submission. */
export interface Decision {
	/** True if the kind has not decided yet. Until then, nothing else judges the submission. */
	readonly isOpen: boolean;
	/** The round for an evaluation that an operator requests, so that it replaces the score in the same way as this kind of job did. */
	readonly round: EvaluationRound;
}

/** An inspection looks at the files of a submission once, before they are judged, as part of the job. */
export interface InspectionRules<Wanted extends object = object, Found extends object = object> {
	readonly name: string;
	/** Returns what to look for in the current artifact. Null if the findings are already stored. */
	open(task: TaskStore, submission: { readonly id: string; readonly artifactSha256: string | null }): Wanted | null;
	/** Stores what was found. The submission has an artifact. */
	record(task: TaskStore, submissionId: string, findings: Found): void;
}

/**
 * Steps that extensions take at the turning points of a task, in the core's transaction and in listed order. If one throws, everything is
 * rolled back.
 */
export interface Steps {
	/** Run when a draft is published, before its status changes. */
	readonly published: readonly ((task: TaskStore, facts: PublishedFacts) => readonly TaskWarning[])[];
	/** Run when the task or one of its jobs has ended, and sometimes at other times. They must be idempotent. */
	readonly ended: readonly ((task: TaskStore, facts: EndedFacts) => StepReply)[];
}

/** An ended task is not settled while one of the steps returns `wait`. */
export type StepReply = "wait" | null;

export interface PublishedFacts {
	/** The rubric, as published. */
	readonly criteria: readonly {
		readonly name: string;
		readonly weight: number;
		readonly checks: readonly string[];
		readonly evidence: EvidenceKind;
	}[];
	/** The poster's party. Its jobs take turns with jobs of the submitters' parties. */
	readonly party: string;
	/** The payer of the poster's jobs under the daily ceilings. */
	readonly payer: string;
}

export interface EndedFacts {
	/** The submission that got a score, and the round of its evaluation. Null if none did. */
	readonly scored: { readonly submissionId: string; readonly round: EvaluationRound } | null;
}

/** The caller of a verb. Both `Ctx` and `Deps` qualify. */
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
 * A verb runs inside the Task object. The Worker calls it like a function: `await closeOwnTask(ctx, taskId, { by })`.
 * Input and output are plain data. If the response to a call is lost, the call is repeated.
 * So a verb gets the id of what it creates, and a second call changes nothing and returns the same.
 */
export interface TaskVerb<Input, Output> {
	/** @throws AppError the verb's error, and `NOT_FOUND` if there is no such task. */
	(caller: TaskCaller, taskId: string, input: Input): Promise<Output>;
	/** The name of the constant to which the verb is assigned. */
	readonly name: string;
	/** The verb's name and number, such as `closeOwnTask@1`. The object finds the verb by it. */
	readonly calledAs: string;
	/** True if the verb creates the task. All other verbs fail without a task, and write nothing. */
	readonly creates: boolean;
	/** @throws AppError, which reaches the caller and rolls back the transaction. */
	readonly run: (task: TaskStore, input: Input) => Output;
}

/**
 * Every declared verb, by name and number. The Worker and its objects are one program, so an object of the same version has every verb that
 * a caller can import. An object of another version may lack it, and then rejects the call.
 */
const declaredVerbs = new Map<string, TaskVerb<never, unknown>>();

/**
 * Declares a {@link TaskVerb}. After a deployment, Workers of one version call objects of another.
 * So a verb whose input or meaning changes gets the next number, as in `closeOwnTask@2`. The earlier one may stay declared for a release.
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

/** Returns null if this version does not have the verb. */
export function findVerb(calledAs: string): TaskVerb<never, unknown> | null {
	return declaredVerbs.get(calledAs) ?? null;
}

/** Waits for a call to a task. Returns null if the task was deleted in the meantime. */
export async function unlessDeleted<Output>(call: Promise<Output>): Promise<Output | null> {
	try {
		return await call;
	} catch (error) {
		if (error instanceof AppError && error.code === "NOT_FOUND") return null;
		throw error;
	}
}

/** A duty that a Task object performs by itself when it is due. */
export interface TaskDuty {
	readonly name: string;
	/**
	 * True if the duty is about the world outside the task. Then `dueAt` is in real time, and advancing the task's clock does not change it.
	 */
	readonly isInRealTime?: true;
	/** Returns when the duty is due, in milliseconds since the epoch, or null if nothing will be due. */
	dueAt(task: TaskStore): number | null;
	/** Does what is due now, in a separate transaction. Must be idempotent. */
	run(task: TaskStore): void;
	/** Runs as the last step of a transaction that has changed rows. */
	noteChange?(task: TaskStore): void;
	/** Runs when the task's clock has just been advanced by `ms` milliseconds. */
	noteAdvance?(task: TaskStore, ms: number): void;
}

/** The message of a call that failed because the object ended. */
export const RESTARTING = "The Task object restarts.";

/**
 * The object's reply. Errors are returned as data, because an exception loses its class on the way. Callers of another version know only
 * these kinds, so a new kind would need a new method.
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
	/** Each call has a new id. A repeated call has the same id, and gets the first call's value. */
	readonly id: string;
	readonly taskId: string;
	/** A name with a number: {@link TaskVerb.calledAs}. */
	readonly verb: string;
	readonly input: unknown;
	/** The time on the caller's clock, in milliseconds since the epoch. */
	readonly now: number;
	/** The request behind the call. */
	readonly requestId?: string | null | undefined;
}
