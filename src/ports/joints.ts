// Extensions join the core at typed lists, in src/compose/joints/ and src/fields/. docs/architecture/extensions.md explains each.
import type { Actor } from "../domain/actor.ts";
import type { Deps, Inspector, RecordedEvent } from "./deps.ts";
import type { DirectoryHolding, TaskHolding } from "./holdings.ts";
import type { SweepName } from "./queues.ts";
import type { InspectionRules, TaskDuty, TaskStore } from "./task.ts";

/** A listener gets the events of one Task object after their change, perhaps again after a crash. */
export interface TaskListener {
	/** The outbox stores the listener's place in an event with many receivers under this name. */
	readonly name: string;
	/** Returns what an `EventListener` returns. */
	readonly listen: (task: TaskStore, deps: Deps, event: RecordedEvent) => Promise<string | null>;
}

/** Such a duty also has work outside the object. */
export interface WorkingDuty extends TaskDuty {
	/** Does the work before `run`, outside of its transaction, so verbs run at the same time. If it fails, `run` waits for the next alarm. */
	work?(task: TaskStore, deps: Deps): Promise<void>;
}

/** Requests may carry a bearer credential of this kind instead of a key. */
export interface BearerKind {
	/** Returns true for a credential of this form. Only then the holder is looked for. */
	isPossible(credential: string): boolean;
	/** Finds the actor. Returns null for a credential that is unknown, expired or revoked. */
	findActor(deps: Deps, credential: string): Promise<Actor | null>;
	/** Returns the agent of what such a credential belongs to, such as a grant, by its id, while it is in use. Signed URLs end with it. */
	findHolder(deps: Deps, id: string): Promise<string | null>;
}

/** A sweep runs these every minute, each by itself. */
export type SweepParts = Readonly<Record<string, (deps: Deps) => Promise<void>>>;

/** Extensions add these parts to sweeps. */
export type AddedSweeps = Readonly<Partial<Record<SweepName, SweepParts>>>;

/** The cron's own invocation does this every minute. It has 30 s of CPU for everything, and depends on no queue. It never throws. */
export type CronDuty = (deps: Deps) => Promise<void>;

/** A holding stores something of an agent or of a task. */
export interface Holding extends TaskHolding<TaskStore>, DirectoryHolding<Deps> {}
/** An inspection has a part in the Task object and a part in the Worker. */
export interface Inspection<Wanted extends object = object, Found extends object = object>
	extends InspectionRules<Wanted, Found>,
		Inspector<Wanted, Found> {
	readonly name: string;
}
