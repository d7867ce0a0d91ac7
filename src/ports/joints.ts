// Extensions join the core through typed lists in src/compose/joints/ and src/fields/. docs/architecture/extensions.md explains each.
import type { Actor } from "../domain/actor.ts";
import type { Deps, Inspector, RecordedEvent } from "./deps.ts";
import type { DirectoryHolding, TaskHolding } from "./holdings.ts";
import type { SweepName } from "./queues.ts";
import type { InspectionRules, TaskDuty, TaskStore } from "./task.ts";

/** Receives the events of a Task object after the change that caused them, and possibly again after a crash. */
export interface TaskListener {
	/** The name under which the outbox stores the listener's progress in an event with many receivers. */
	readonly name: string;
	/** Returns null once it has finished, or else the position at which to continue, like an `EventListener`. */
	readonly listen: (task: TaskStore, deps: Deps, event: RecordedEvent) => Promise<string | null>;
}

/** A duty that also has work outside the object. */
export interface WorkingDuty extends TaskDuty {
	/** Does work before `run` and outside its transaction, so verbs can run at the same time. If it fails, `run` waits for the next alarm. */
	work?(task: TaskStore, deps: Deps): Promise<void>;
}

/** A kind of bearer credential that requests may have instead of a key. */
export interface BearerKind {
	/** Returns true if a credential has this form. Only then does the platform look up its holder. */
	isPossible(credential: string): boolean;
	/** Finds the actor. Returns null for a credential that is unknown, expired or revoked. */
	findActor(deps: Deps, credential: string): Promise<Actor | null>;
	/**
	 * Finds the agent behind a credential's holder, such as a grant, by the holder's id.
	 * Returns null once the holder has ended, because its signed URLs end at the same time.
	 */
	findHolder(deps: Deps, id: string): Promise<string | null>;
}

/** Parts of a sweep, which runs each of them separately every minute. */
export type SweepParts = Readonly<Record<string, (deps: Deps) => Promise<void>>>;

/** The parts that extensions add to sweeps. */
export type AddedSweeps = Readonly<Partial<Record<SweepName, SweepParts>>>;

/** What the cron's own invocation does every minute. It has 30 s of CPU in total and does not depend on a queue. Never throws. */
export type CronDuty = (deps: Deps) => Promise<void>;

/** Something that stores data of an agent or a task. */
export interface Holding extends TaskHolding<TaskStore>, DirectoryHolding<Deps> {}
/** An inspection has one part in the Task object and one in the Worker. */
export interface Inspection<Wanted extends object = object, Found extends object = object>
	extends InspectionRules<Wanted, Found>,
		Inspector<Wanted, Found> {
	readonly name: string;
}
