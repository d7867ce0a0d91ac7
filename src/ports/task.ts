// The verbs of a Task object and its callers use these types.
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

/** The object has its own SQLite. Statements run synchronously: `.get()`, `.all()`, `.run()`, `.values()`. */
export type TaskDatabase = DrizzleSqliteDODatabase & { readonly $client: DurableObjectStorage };

/** A verb gets this. It reads, decides and writes in one synchronous transaction, so nothing else happens in between. */
export interface TaskStore {
	/** The task's id is also the object's name. */
	readonly id: string;
	readonly db: TaskDatabase;
	readonly config: Config;
	/** The time on the task's clock, in milliseconds since the epoch. What the task decides happens at this time. */
	readonly now: number;
	/** The time outside, which is the same unless the clock of a test task was advanced. Stored responses and stored objects age by it. */
	readonly realNow: number;
	/** The request that this change is made for. Null for what the object does by itself. */
	readonly requestId: string | null;
	/** The core and its extensions have these parts in the object. src/compose/ lists them. */
	readonly parts: TaskJoints;
	newId(): string;
	/** Records an event, which is sent after the transaction. */
	record(event: DomainEvent): void;
	/** Has the task's card written after the transaction. Increment `revision` with every change that a card shows. */
	markTask(): void;
	/** Has a submission's card written after the transaction. Increment its `revision` too. */
	markSubmission(submissionId: string): void;
	/** Has the followers look at the jobs after the transaction. Call it with every change of a job. */
	markJobs(): void;
	/** Has the directory learn which task an id belongs to, because paths have only the id. */
	markLocated(id: string): void;
	/** Has the directory learn that an agent has joined the task or was removed from it. */
	markMember(agentId: string): void;
	/** Has an act of an operator written into the audit log. */
	recordAct(entry: AuditEntry): void;
	/** Advances the task's clock after the transaction. What falls due on the way happens at its own time, before the call returns. */
	advanceClock(ms: number): void;
	/** Deletes the object with all that it stores, after the transaction. */
	destroy(): void;
}

/** A verb of the core reaches extensions through these lists, because the core imports no extension. */
export interface TaskJoints {
	/** Everything that stores something in the object. */
	readonly holdings: readonly TaskHolding<TaskStore>[];
	/** Consumers claim jobs in the order of this list. Of two rules for one kind, the first that is for a job has it. */
	readonly jobs: readonly JobRules[];
	readonly inspections: readonly InspectionRules[];
	readonly steps: Steps;
}

/** The kind of a job sees this of it. The row has more. */
export interface Job {
	readonly id: string;
	readonly kind: JobKindName;
	readonly subjectId: string;
	readonly iteration: number;
	readonly round: EvaluationRound;
	/** If true, the extension that has queued the job also ends it. */
	readonly isBound: boolean;
	readonly fund: Fund;
	readonly attempts: number;
	readonly operatorReason: string | null;
}

export interface AttemptFindings<Own = unknown> {
	/** The calls to models have used this. */
	readonly used: readonly (Usage & { readonly model: string })[];
	readonly findings: Findings<Own>;
	readonly isScored: boolean;
}

/** The Task object asks the kind of a job this. `JobKind` of core/competition/evaluation adds the work that a consumer does. */
export interface JobRules<Material extends object = object, Own = unknown> {
	readonly kind: JobKindName;
	/** If true, the rules are for the bound jobs of the kind, otherwise for the others. */
	readonly isBound?: true;
	/** The job judges what its `subjectId` names. Null for a job that judges nothing. */
	readonly subject: "submission" | "trial" | null;
	readonly lane: Lane;
	/** The last of these attempts is final, even when it ends in a fault. Null for a job that judges nothing: it is tried until its time is over. */
	readonly tries: number | null;
	/** If true, the job judges the criteria that competitors must not tune to. */
	readonly judgesHeld: boolean;
	/** If true, what the job costs was reserved under the task's ceiling before it was queued. */
	readonly isReserved: boolean;
	/** Returns what the consumer needs besides the task and its rubric. Returns null when nothing is left to do, after it has recorded why. */
	open(task: TaskStore, job: Job): Material | null;
	/** Writes what an attempt has used and found out, however it ended. */
	record(task: TaskStore, job: Job, findings: AttemptFindings<Own>): void;
	score(task: TaskStore, job: Job, scored: { readonly judgement: Judgement; readonly used: readonly Usage[] }): void;
	fail(task: TaskStore, job: Job, fault: FaultRecord): void;
	/** Returns what the kind keeps of the task's ceiling for jobs that are still to come. */
	keeps?(task: TaskStore): KeptRoom;
	/** Bound jobs of the kind end at this time at the latest, in milliseconds since the epoch. Null if they have no such time. */
	endsAt?(task: TaskStore): number | null;
	/** Bound jobs of the kind were paused for this long, because operators had switched judging off. */
	resume?(task: TaskStore, pausedMs: number): void;
	/** Returns null unless the score of the submission is this kind's to decide. */
	decides?(task: TaskStore, submissionId: string): Decision | null;
}

/** A kind of job keeps this of the task's ceiling. */
export interface KeptRoom {
	/** Other jobs of agents and of the poster leave this part of the ceiling free, from 0 to 1. */
	readonly share: number;
	/** The part should have room for this number of works, or publishing warns the owner. */
	readonly works: number;
	/** This is reserved already, in millionths of a US dollar. The jobs that use it reserve nothing themselves. */
	readonly reserved: number;
}

/** A kind of job decides the score of a submission. */
export interface Decision {
	/** The kind has not decided yet, so nothing else judges the submission. */
	readonly isOpen: boolean;
	/** An operator's evaluation is made in this round, so that it replaces the score as the kind did. */
	readonly round: EvaluationRound;
}

/** An inspection looks at the files of a submission once, before they are judged. The consumer does it as a part of the job. */
export interface InspectionRules<Wanted extends object = object, Found extends object = object> {
	readonly name: string;
	/** Says what to look for in the present artifact. Null if that is known. */
	open(task: TaskStore, submission: { readonly id: string; readonly artifactSha256: string | null }): Wanted | null;
	/** Stores what was found. The submission has its artifact. */
	record(task: TaskStore, submissionId: string, findings: Found): void;
}

/** Extensions take these steps at the turning points of a task: in the core's transaction, in listed order. A throw undoes all of it. */
export interface Steps {
	/** These run when a draft is published, before its status changes. */
	readonly published: readonly ((task: TaskStore, facts: PublishedFacts) => readonly TaskWarning[])[];
	/** These run when the task or one of its jobs has ended, and at times when nothing has. What they did before they do not do again. */
	readonly ended: readonly ((task: TaskStore, facts: EndedFacts) => StepReply)[];
}

/** A task that has ended is not settled while one of its steps replies `wait`. */
export type StepReply = "wait" | null;

export interface PublishedFacts {
	/** The rubric as it is published. */
	readonly criteria: readonly {
		readonly name: string;
		readonly weight: number;
		readonly checks: readonly string[];
		readonly evidence: EvidenceKind;
	}[];
	/** Jobs of the poster's party take turns with those of the submissions' parties. */
	readonly party: string;
	/** Pays for the jobs of the poster on the day. */
	readonly payer: string;
}

export interface EndedFacts {
	/** A submission has got the score of an evaluation in this round. Null if none has. */
	readonly scored: { readonly submissionId: string; readonly round: EvaluationRound } | null;
}

/** `ctx` and `deps` are such callers. */
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
 * plain data. A call can be lost after it took effect and is then repeated, so a verb takes the id of what it makes, and a second call
 * changes nothing and returns the same.
 */
export interface TaskVerb<Input, Output> {
	/** @throws AppError the verb's error, and `NOT_FOUND` if there is no such task. */
	(caller: TaskCaller, taskId: string, input: Input): Promise<Output>;
	/** The constant that holds the verb has the same name. */
	readonly name: string;
	/** The object finds the verb by its name and number, such as `closeOwnTask@1`. */
	readonly calledAs: string;
	/** If true, the verb makes the task. All other verbs fail without a task, and write nothing. */
	readonly creates: boolean;
	/** @throws AppError, which reaches the caller and undoes the transaction. */
	readonly run: (task: TaskStore, input: Input) => Output;
}

/**
 * Every declared verb, by what it is called as. The Worker and its objects are one program, so a verb whose module a caller imports is
 * declared in an object of the same version too. One of another version may lack it, and then refuses the call.
 */
const declaredVerbs = new Map<string, TaskVerb<never, unknown>>();

/**
 * Declares a {@link TaskVerb}. After a deployment, Workers of one version call objects of another. A verb whose input or meaning changes
 * therefore gets the next number, as in `closeOwnTask@2`. The earlier one may stay declared for a release.
 *
 * @param name Its number is 1 if none follows it.
 * @throws Error if another verb has this name and number.
 */
export function taskVerb<Input, Output>(name: string, run: (task: TaskStore, input: Input) => Output): TaskVerb<Input, Output> {
	return declareVerb(name, { creates: false, run });
}

/** Declares a {@link TaskVerb} that makes the task. */
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

/** Returns null for a verb that only another version has. */
export function findVerb(calledAs: string): TaskVerb<never, unknown> | null {
	return declaredVerbs.get(calledAs) ?? null;
}

/** Waits for a call to a task that may have been deleted in the meantime. Returns null if it was. */
export async function unlessDeleted<Output>(call: Promise<Output>): Promise<Output | null> {
	try {
		return await call;
	} catch (error) {
		if (error instanceof AppError && error.code === "NOT_FOUND") return null;
		throw error;
	}
}

/** A Task object does its duties by itself, when they are due. */
export interface TaskDuty {
	readonly name: string;
	/** If true, the duty is about what is outside of the task, so `dueAt` is a real time, and the task's clock does not move it. */
	readonly isInRealTime?: true;
	/** Returns the time in milliseconds since the epoch, or null if nothing will be due. */
	dueAt(task: TaskStore): number | null;
	/** Does what is due now, in a separate transaction. Repeating it changes nothing. */
	run(task: TaskStore): void;
	/** A transaction has changed rows, and this is its last step. */
	noteChange?(task: TaskStore): void;
	/** The task's clock has just moved by this. */
	noteAdvance?(task: TaskStore, ms: number): void;
}

/** A call that ended the object fails with this message. */
export const RESTARTING = "The Task object restarts.";

/**
 * The object replies with this. Errors cross the border as data, because an exception loses its class. A caller of another version knows
 * only these kinds, so a new one would need another method.
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
	/** There is no task of this id. */
	| { readonly kind: "missing" };

export interface TaskCall {
	/** Each call has a new id. A repeated call has the same id, and gets the first one's value. */
	readonly id: string;
	readonly taskId: string;
	/** A name with a number: {@link TaskVerb.calledAs}. */
	readonly verb: string;
	readonly input: unknown;
	/** The caller's clock says this time, in milliseconds since the epoch. */
	readonly now: number;
	/** The request that the call is made for. */
	readonly requestId?: string | null | undefined;
}
