// The runtime of a Task object: it opens the transaction of a verb, sends cards and events after it, and sets the alarm.
import { sql } from "drizzle-orm";
import { findTaskId, hasTables, migrateTaskDatabase, openTaskDatabase } from "../db/task/database.ts";
import { countChanges, forgetReads } from "../db/task/prepared.ts";
import { tasks } from "../db/task/schema/task.ts";
import { StoredTask } from "../db/task/stored-task.ts";
import { AppError } from "../domain/errors.ts";
import { MINUTE_MS, SECOND_MS } from "../platform/clock.ts";
import { describeError } from "../platform/log.ts";
import type { Deps } from "../ports/deps.ts";
import type { Holding, WorkingDuty } from "../ports/joints.ts";
import {
	findVerb,
	type TaskCall,
	type TaskDatabase,
	type TaskJoints,
	type TaskReply,
	type TaskStore,
	type TaskVerb,
} from "../ports/task.ts";
import { advanceClock, realDueAt } from "./advance-clock.ts";
import { otherVersion } from "./other-version.ts";
import { OutboxSender, type Receivers } from "./outbox-sender.ts";
import { ReplyMemory } from "./reply-memory.ts";
import { resendPause } from "./resend-pause.ts";

/** How long the object waits before it retries a failed duty. */
const RETRY_MS = 15 * SECOND_MS;
const BEFORE_ALL_CHANGES = -1;
/** The runtime rejects alarms after the year 2189, so the object sleeps for this long at most and then sets the next one. */
const LONGEST_SLEEP_MS = 365 * 24 * 60 * MINUTE_MS;

/** A follower of one object, with its own state. It is called after every committed change, when the object wakes, and at every alarm. */
export type TaskFollower = (task: TaskStore, deps: Deps) => void;

export interface TaskParts extends Receivers {
	/** What verbs get from the files in `joints/`. */
	readonly joints: TaskJoints;
	readonly duties: readonly WorkingDuty[];
	/** Creates the followers of one object. */
	readonly createFollowers: () => readonly TaskFollower[];
	/** The same holdings as in the Worker's dependencies. */
	readonly holdings: readonly Holding[];
}

interface Change {
	readonly taskId: string;
	/** The real time, in milliseconds since the epoch. */
	readonly now: number;
	readonly callId: string | null;
	readonly requestId: string | null;
}

export class TaskRuntime {
	/** Tests replace these to control what is outside the object. */
	deps: Deps;
	readonly #storage: DurableObjectStorage;
	readonly #parts: TaskParts;
	readonly #db: TaskDatabase;
	readonly #followers: readonly TaskFollower[];
	#hasTables: boolean;
	#alarmAt: number | null = null;
	/** The number of database changes when the alarm was last checked. */
	#changesAtAlarm = BEFORE_ALL_CHANGES;
	#hasFailedDuty = false;
	readonly #replies = new ReplyMemory();
	readonly #outbox: OutboxSender;

	constructor(storage: DurableObjectStorage, deps: Deps, parts: TaskParts) {
		this.#storage = storage;
		this.deps = deps;
		this.#parts = parts;
		this.#followers = parts.createFollowers();
		this.#db = openTaskDatabase(storage);
		this.#hasTables = hasTables(this.#db);
		this.#outbox = new OutboxSender(
			{
				db: this.#db,
				getDeps: () => this.deps,
				openTask: (taskId) => this.#open(taskId, this.deps.clock.now()),
				deleteObject: () => this.#delete(),
			},
			parts,
		);
	}

	/** Migrates the tables, if the object has any, and reads the time of its alarm. The caller blocks requests until this is done. */
	async wake(): Promise<void> {
		if (!this.#hasTables) return;
		await migrateTaskDatabase(this.#db);
		this.#alarmAt = await this.#storage.getAlarm();
		this.#follow(findTaskId(this.#db));
	}

	async call({ id, taskId, verb: name, input, now, requestId = null }: TaskCall): Promise<TaskReply> {
		const verb = findVerb(name);
		if (verb === null) return refuse(otherVersion());
		const earlier = this.#replies.find(this.#hasTables ? this.#db : null, id);
		if (earlier !== null) return earlier;
		if (!this.#hasTables) {
			if (!verb.creates) return { kind: "missing" };
			await migrateTaskDatabase(this.#db);
			this.#hasTables = true;
		}
		if (!verb.creates && findTaskId(this.#db) === null) return { kind: "missing" };
		try {
			const { value, owed, advancedMs } = this.#transact({ taskId, now, callId: id, requestId }, (task) => runVerb(verb, task, input));
			const reply: TaskReply = { kind: "value", value };
			if (owed === null) return reply;
			this.#replies.remember(id, reply);
			await this.#outbox.waitForCards((advancedMs > 0 ? this.#advance({ taskId, now, requestId }, advancedMs) : null) ?? owed);
			return reply;
		} catch (error) {
			if (!(error instanceof AppError)) throw error;
			return refuse(error);
		}
	}

	/** Catches its own errors and sets the next alarm itself, because the runtime retries an alarm only six times. */
	async alarm(): Promise<void> {
		// A change during this run does not have to set the alarm, because the run sets it at the end. If the object dies, the runtime repeats
		// the run.
		this.#alarmAt = 0;
		this.#hasFailedDuty = false;
		for (const duty of this.#parts.duties) {
			// The previous duty, or a call while it was running, may have deleted the task.
			const taskId = this.#findTaskId();
			if (taskId !== null) await this.#perform(taskId, duty);
		}
		this.#follow(this.#findTaskId());
		await this.#send();
		this.#alarmAt = null;
		// What changed during this run may still have to be sent.
		const isOwing = this.#outbox.mustResend || (this.#hasTables && this.#outbox.findOwedSince() !== null);
		this.#setAlarm(this.#findTaskId(), { isOwing });
	}

	/** Returns null for an object without a task, or without tables. */
	#findTaskId(): string | null {
		return this.#hasTables ? findTaskId(this.#db) : null;
	}

	/** Calls the followers. Their errors are only logged, because the change has already been made. */
	#follow(taskId: string | null, requestId: string | null = null): void {
		if (taskId === null) return;
		const task = this.#open(taskId, this.deps.clock.now(), requestId);
		for (const follow of this.#followers) {
			try {
				follow(task, this.deps);
			} catch (error) {
				this.deps.log.error("task_follower_failed", { task_id: taskId, request_id: requestId, ...describeError(error) });
			}
		}
	}

	async #perform(taskId: string, duty: WorkingDuty): Promise<void> {
		try {
			const now = this.deps.clock.now();
			const dueAt = realDueAt(duty, this.#open(taskId, now));
			if (dueAt === null || dueAt > now) return;
			await duty.work?.(this.#open(taskId, now), this.deps);
			if (this.#findTaskId() !== null) this.#transact({ taskId, now, callId: null, requestId: null }, (task) => duty.run(task));
		} catch (error) {
			this.#hasFailedDuty = true;
			this.deps.log.error("task_duty_failed", { task_id: taskId, duty: duty.name, ...describeError(error) });
		}
	}

	/** Advances the task's clock. Returns the id of the last outbox row that this wrote, or null. */
	#advance(call: Omit<Change, "callId">, ms: number): string | null {
		const change = { ...call, callId: null };
		return advanceClock(
			{
				duties: this.#parts.duties,
				read: () => (this.#findTaskId() === null ? null : this.#open(call.taskId, call.now)),
				change: (run) => this.#transact(change, run).owed,
				move: (by) =>
					this.#db
						.update(tasks)
						.set({ clockOffsetMs: sql`${tasks.clockOffsetMs} + ${by}` })
						.run(),
			},
			ms,
		);
	}

	#open(id: string, realNow: number, requestId: string | null = null): StoredTask {
		const { config, ids } = this.deps;
		return new StoredTask({ id, db: this.#db, config, realNow, requestId, parts: this.#parts.joints, newId: () => ids.next() });
	}

	/**
	 * Runs a change in a transaction. Then starts to send what is in the outbox, calls the followers and sets the alarm, as far as needed.
	 */
	#transact<Value>(
		{ taskId, now, callId, requestId }: Change,
		change: (task: TaskStore) => Value,
	): { value: Value; owed: string | null; advancedMs: number } {
		const task = this.#open(taskId, now, requestId);
		const result = this.#commit(() => {
			const before = countChanges(this.#db);
			const value = change(task);
			if (countChanges(this.#db) !== before) for (const duty of this.#parts.duties) duty.noteChange?.(task);
			if (task.isDestroyed) this.#db.delete(tasks).run();
			return { value, owed: task.close(callId === null ? null : { id: callId, value }), advancedMs: task.advancedMs };
		});
		if (result.owed !== null) this.deps.background(this.#send());
		if ((result.owed !== null || task.areJobsChanged) && !task.isDestroyed) this.#follow(taskId, requestId);
		// A read does not affect the alarm, and checking all duties takes longer than most reads.
		const changes = countChanges(this.#db);
		if (changes === this.#changesAtAlarm && !task.areJobsChanged) return result;
		// When the object wakes, the outbox may contain events that the previous version of the platform did not know.
		const isOwing = result.owed !== null || (this.#changesAtAlarm === BEFORE_ALL_CHANGES && this.#outbox.findOwedSince() !== null);
		this.#changesAtAlarm = changes;
		// If the object crashes before the events are sent, this alarm sends them. While an object is being filled, it has tables but no task.
		this.#setAlarm(task.isDestroyed ? null : findTaskId(this.#db), { isOwing });
		return result;
	}

	#commit<Result>(change: () => Result): Result {
		try {
			return this.#storage.transactionSync(change);
		} catch (error) {
			forgetReads(this.#db);
			throw error;
		}
	}

	/**
	 * Sets the alarm for the first duty that falls due, or for sending the outbox again. Keeps an earlier alarm, because that alarm finds
	 * nothing to do and then sets the next one.
	 */
	#setAlarm(taskId: string | null, { isOwing }: { isOwing: boolean }): void {
		const now = this.deps.clock.now();
		const task = taskId === null ? null : this.#open(taskId, now);
		const due = task === null ? [] : this.#parts.duties.map((duty) => realDueAt(duty, task)).filter((at) => at !== null);
		const owedSince = isOwing ? (this.#outbox.findOwedSince() ?? now) : null;
		if (owedSince !== null) due.push(now + resendPause({ owedForMs: now - owedSince, random: this.deps.random() }));
		if (due.length === 0) return;
		// A failed duty is still due. Without a pause, the alarm would repeat it at once.
		const at = Math.max(Math.min(now + LONGEST_SLEEP_MS, ...due), this.#hasFailedDuty ? now + RETRY_MS : 0);
		if (this.#alarmAt !== null && this.#alarmAt <= at) return;
		this.#alarmAt = at;
		this.deps.background(this.#storage.setAlarm(at));
	}

	async #send(): Promise<void> {
		if (this.#hasTables) await this.#outbox.send();
	}

	async #delete(): Promise<void> {
		this.#hasTables = false;
		this.#alarmAt = null;
		forgetReads(this.#db);
		await Promise.all([this.#storage.deleteAlarm(), this.#storage.deleteAll()]);
	}
}

function refuse({ code, facts: { cause: _, ...facts } }: AppError): TaskReply {
	return { kind: "refused", refusal: { code, facts } };
}

/** Runs a verb. The input has the right type, because the caller was compiled against the verb with this name and number. */
function runVerb(verb: TaskVerb<never, unknown>, task: TaskStore, input: unknown): unknown {
	return verb.run(task, input as never);
}
