// The core reaches extensions through typed lists in src/compose/joints/ and src/fields/. docs/architecture/extensions.md explains each.
import type { Actor } from "../domain/actor.ts";
import type { Deps, Inspector, RecordedEvent } from "./deps.ts";
import type { DirectoryHolding, TaskHolding } from "./holdings.ts";
import type { SweepName } from "./queues.ts";
import type { InspectionRules, TaskDuty, TaskStore } from "./task.ts";

/** Receives the events of a Task object after the change that caused them. After a crash, it may get an event again. */
export interface TaskListener {
	/** The name under which the outbox stores the listener's progress: the position at which its next call for an event continues. */
	readonly name: string;
	/** Returns null once it has finished. Otherwise, like an `EventListener`, returns the position at which the next call continues. */
	readonly listen: (task: TaskStore, deps: Deps, event: RecordedEvent) => Promise<string | null>;
}

/** A duty that also does something outside the Task object. */
export interface WorkingDuty extends TaskDuty {
	/** Runs before `run` and outside its transaction, so that verbs can run at the same time. If it fails, the next alarm calls it again. */
	work?(task: TaskStore, deps: Deps): Promise<void>;
}

/** A kind of bearer credential that requests may contain instead of an API key. */
export interface BearerKind {
	/** Returns true if a credential has the form of this kind. Only then does the platform look up its holder. */
	isPossible(credential: string): boolean;
	/** Finds the actor that a credential belongs to. Returns null if the credential is unknown, expired or revoked. */
	findActor(deps: Deps, credential: string): Promise<Actor | null>;
	/**
	 * Returns the agent behind a holder of signed URLs, such as a grant, by the holder's id. Returns null once the holder has ended. Its URLs
	 * then stop working.
	 */
	findHolder(deps: Deps, id: string): Promise<string | null>;
}

/** The parts of a sweep, keyed by name. A sweep runs every minute, and a part that fails does not stop the others. */
export type SweepParts = Readonly<Record<string, (deps: Deps) => Promise<void>>>;

/** The parts that extensions add to sweeps. */
export type AddedSweeps = Readonly<Partial<Record<SweepName, SweepParts>>>;

/** What the cron trigger does by itself every minute, without a queue. All duties share 30 s of CPU time. Never throws. */
export type CronDuty = (deps: Deps) => Promise<void>;

/** Something that stores data of agents or tasks, in Task objects, in the directory, or in both. */
export interface Holding extends TaskHolding<TaskStore>, DirectoryHolding<Deps> {}
/** An inspection of submitted files. It has one part in the Task object and one in the Worker. */
export interface Inspection<Wanted extends object = object, Found extends object = object>
	extends InspectionRules<Wanted, Found>,
		Inspector<Wanted, Found> {
	readonly name: string;
}
