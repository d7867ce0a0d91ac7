// The Task object as its verbs and its callers see it.
import type { DrizzleSqliteDODatabase } from "drizzle-orm/durable-sqlite";
import type { Config } from "../config/env.ts";
import type { AuditEntry } from "../domain/audit.ts";
import type { DomainEvent } from "../domain/events.ts";

/** The object's own SQLite. Statements run at once: `.get()`, `.all()`, `.run()`, `.values()`. */
export type TaskDatabase = DrizzleSqliteDODatabase;

/** What a verb gets: it reads, decides and writes in one synchronous transaction, so nothing else happens in between. */
export interface TaskStore {
	/** The task's id, which is also the object's name. */
	readonly id: string;
	readonly db: TaskDatabase;
	readonly config: Config;
	/** Milliseconds since the epoch. */
	readonly now: number;
	newId(): string;
	/** Records an event, which is sent after the transaction. */
	record(event: DomainEvent): void;
	/** Has the task's card written after the transaction. Increment `revision` with every change that a card shows. */
	markTask(): void;
	/** The same for a submission. */
	markSubmission(submissionId: string): void;
	/** Has the followers look at the jobs after the transaction. Call it with every change of a job. */
	markJobs(): void;
	/** Has the directory learn which task a new dry run belongs to. */
	markDryRun(dryRunId: string): void;
	/** Has an act of an operator written into the audit log. */
	recordAct(entry: AuditEntry): void;
	/** Deletes the object with all that it stores, after the transaction. */
	destroy(): void;
}

/**
 * A method of the Task object, which `callTask` calls by its name. Input and output are plain data. A call can be lost after it took
 * effect and is then repeated, so a verb takes the id of what it makes, and a second call changes nothing and returns the same.
 */
export interface TaskVerb<Input, Output> {
	readonly name: string;
	/** Whether the verb makes the task. All others find no task where none was made, and write nothing. */
	readonly creates: boolean;
	/** @throws AppError, which reaches the caller. The transaction is undone. */
	readonly run: (task: TaskStore, input: Input) => Output;
}

export function taskVerb<Input, Output>(name: string, run: (task: TaskStore, input: Input) => Output): TaskVerb<Input, Output> {
	return { name, creates: false, run };
}

/** A {@link TaskVerb} that makes the task. */
export function creatingVerb<Input, Output>(name: string, run: (task: TaskStore, input: Input) => Output): TaskVerb<Input, Output> {
	return { name, creates: true, run };
}

/** Work that a Task object does by itself, when it is due. */
export interface TaskDuty {
	readonly name: string;
	/** In milliseconds since the epoch; null when nothing is due. */
	dueAt(task: TaskStore): number | null;
	/** Does what is due now, in a transaction of its own. Repeating it changes nothing. */
	run(task: TaskStore): void;
}

/** The error of a call that ended the object. */
export const RESTARTING = "The Task object restarts.";

/** What the object answers. Errors cross the border as data, because an exception loses its class. */
export type TaskReply =
	| { readonly kind: "value"; readonly value: unknown }
	| { readonly kind: "refused"; readonly refusal: TaskRefusal }
	/** There is no task of this id. */
	| { readonly kind: "missing" };

/** An `AppError` as plain data. */
export interface TaskRefusal {
	readonly code: string;
	readonly facts: unknown;
}

export interface TaskCall {
	/** A new one for each call. A repeated call has the same, and gets the first one's value. */
	readonly id: string;
	readonly taskId: string;
	readonly verb: string;
	readonly input: unknown;
	/** The caller's clock, in milliseconds since the epoch. */
	readonly now: number;
}
