// The runtime of a Task object: it opens the transaction of a verb, sends cards and events after it, and sets the alarm.
import { eq, inArray, sql } from "drizzle-orm";
import { writeCards } from "../core/competition/directory/cards.ts";
import { readCards } from "../core/competition/directory/read-cards.ts";
import { findTaskId, hasTables, migrateTaskDatabase, openTaskDatabase } from "../db/task/database.ts";
import { outbox, type TaskOutboxEvent, tasks } from "../db/task/schema/task.ts";
import { StoredTask } from "../db/task/stored-task.ts";
import { AppError } from "../domain/errors.ts";
import { parseEvent } from "../domain/events.ts";
import { MINUTE_MS, SECOND_MS } from "../platform/clock.ts";
import { describeError } from "../platform/log.ts";
import type { Deps } from "../ports/deps.ts";
import type { Holding, TaskListener, WorkingDuty } from "../ports/joints.ts";
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
import { ReplyMemory } from "./reply-memory.ts";
import { resendPause } from "./resend-pause.ts";
import { isDue, knownTo, owedQuery, uncardedQuery, unsentQuery, WITHOUT_CARDS } from "./task-outbox.ts";

/** How long a response waits for the directory, so that the caller's next list shows the change. */
const CARD_PATIENCE_MS = SECOND_MS;
/** How many outbox rows one call to the directory covers. */
const CARDS_AT_ONCE = 100;
const EVENTS_AT_ONCE = 20;
/** How long the object waits before it retries a failed duty. */
const RETRY_MS = 15 * SECOND_MS;
const BEFORE_ALL_CHANGES = -1;
/** The runtime does not accept alarms after the year 2189, so a distant deadline is reached in steps. */
const LONGEST_SLEEP_MS = 365 * 24 * 60 * MINUTE_MS;

/** A follower of one object, with its own state. Called after every committed change, when the object wakes, and at every alarm. */
export type TaskFollower = (task: TaskStore, deps: Deps) => void;

export interface TaskParts {
	/** Given to verbs. */
	readonly joints: TaskJoints;
	readonly duties: readonly WorkingDuty[];
	/** Creates the followers of one object. */
	readonly createFollowers: () => readonly TaskFollower[];
	/** The listeners of one object's outbox. The outbox stores a listener's progress in an event with many receivers under its name. */
	readonly listeners: readonly TaskListener[];
	/** The Worker has these too. */
	readonly holdings: readonly Holding[];
	/** Deletes what a deleted task stored outside its object. It may be called again. */
	readonly deleteStored: (deps: Deps, taskId: string) => Promise<void>;
}

interface Change {
	readonly taskId: string;
	/** The real time is in milliseconds since the epoch. */
	readonly now: number;
	readonly callId: string | null;
	readonly requestId: string | null;
}

export class TaskRuntime {
	/** Tests replace an object's outside world here. */
	deps: Deps;
	readonly #storage: DurableObjectStorage;
	readonly #parts: TaskParts;
	readonly #db: TaskDatabase;
	readonly #followers: readonly TaskFollower[];
	#hasTables: boolean;
	#alarmAt: number | null = null;
	/** The count of changes when the alarm was last set to fit the rows. */
	#changesAtAlarm = BEFORE_ALL_CHANGES;
	/** The last outbox row whose cards are in the directory. */
	#cardsWritten = "";
	#writingCards: Promise<void> | null = null;
	#sendingEvents: Promise<void> | null = null;
	#mustResend = false;
	#hasFailedDuty = false;
	readonly #replies = new ReplyMemory();

	constructor(storage: DurableObjectStorage, deps: Deps, parts: TaskParts) {
		this.#storage = storage;
		this.deps = deps;
		this.#parts = parts;
		this.#followers = parts.createFollowers();
		this.#db = openTaskDatabase(storage);
		this.#hasTables = hasTables(this.#db);
	}

	/** Migrates an object that has a task. The caller blocks requests until it is done. */
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
			await this.#waitForCards((advancedMs > 0 ? this.#advance({ taskId, now, requestId }, advancedMs) : null) ?? owed);
			return reply;
		} catch (error) {
			if (!(error instanceof AppError)) throw error;
			return refuse(error);
		}
	}

	/** Catches its own faults and sets the next alarm itself, because the runtime retries an alarm only six times. */
	async alarm(): Promise<void> {
		// A change in the meantime does not have to set the alarm, because this run sets it at the end. If the object dies, the runtime repeats
		// this run.
		this.#alarmAt = 0;
		this.#hasFailedDuty = false;
		for (const duty of this.#parts.duties) {
			// The previous duty, or a call during it, may have deleted the task.
			const taskId = this.#findTaskId();
			if (taskId !== null) await this.#perform(taskId, duty);
		}
		this.#follow(this.#findTaskId());
		await this.#resend();
		this.#alarmAt = null;
		// A change in the meantime may not have sent everything yet.
		const isOwing = this.#mustResend || (this.#hasTables && this.#isOwing());
		this.#setAlarm(this.#findTaskId(), { isOwing });
	}

	/** Returns null for an object without a task, or without tables. */
	#findTaskId(): string | null {
		return this.#hasTables ? findTaskId(this.#db) : null;
	}

	#isOwing(): boolean {
		return owedQuery(this.#db).get(knownTo(this.#parts.listeners)) !== undefined;
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

	/** Advances the task's clock, and returns the id of the last outbox row that this made, or null. */
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

	/** Runs a change and everything that follows from it. */
	#transact<Value>(
		{ taskId, now, callId, requestId }: Change,
		change: (task: TaskStore) => Value,
	): { value: Value; owed: string | null; advancedMs: number } {
		const task = this.#open(taskId, now, requestId);
		const result = this.#storage.transactionSync(() => {
			const before = this.#countChanges();
			const value = change(task);
			if (this.#countChanges() !== before) for (const duty of this.#parts.duties) duty.noteChange?.(task);
			if (task.isDestroyed) this.#db.delete(tasks).run();
			return { value, owed: task.close(callId === null ? null : { id: callId, value }), advancedMs: task.advancedMs };
		});
		if (result.owed !== null) this.deps.background(this.#resend());
		if ((result.owed !== null || task.areJobsChanged) && !task.isDestroyed) this.#follow(taskId, requestId);
		// Checking all duties takes longer than most reads, and a read does not affect the alarm.
		const changes = this.#countChanges();
		if (changes === this.#changesAtAlarm && !task.areJobsChanged) return result;
		// The previous version may not have known what is waiting in the outbox.
		const isOwing = result.owed !== null || (this.#changesAtAlarm === BEFORE_ALL_CHANGES && this.#isOwing());
		this.#changesAtAlarm = changes;
		// If the object crashes before the events are sent, this alarm sends them. An object that is being filled has tables but no task yet.
		this.#setAlarm(task.isDestroyed ? null : findTaskId(this.#db), { isOwing });
		return result;
	}

	/** Counts the rows that were written since the object woke up. */
	#countChanges(): number {
		return this.#storage.sql.exec<{ changes: number }>("select total_changes() as changes").one().changes;
	}

	/** Sets the alarm to the earliest duty. An earlier alarm is kept: it finds nothing to do and sets the next one. */
	#setAlarm(taskId: string | null, { isOwing }: { isOwing: boolean }): void {
		const now = this.deps.clock.now();
		const task = taskId === null ? null : this.#open(taskId, now);
		const due = task === null ? [] : this.#parts.duties.map((duty) => realDueAt(duty, task)).filter((at) => at !== null);
		const owedSince = isOwing ? (owedQuery(this.#db).get(knownTo(this.#parts.listeners))?.createdAt ?? now) : null;
		if (owedSince !== null) due.push(now + resendPause({ owedForMs: now - owedSince, random: this.deps.random() }));
		if (due.length === 0) return;
		// A failed duty is still due. Without a pause, the alarm would repeat it at once.
		const at = Math.max(Math.min(now + LONGEST_SLEEP_MS, ...due), this.#hasFailedDuty ? now + RETRY_MS : 0);
		if (this.#alarmAt !== null && this.#alarmAt <= at) return;
		this.#alarmAt = at;
		this.deps.background(this.#storage.setAlarm(at));
	}

	/** Waits until the cards of a change are written, but no longer than {@link CARD_PATIENCE_MS}. */
	async #waitForCards(owed: string): Promise<void> {
		const stopWaiting = Promise.withResolvers<void>();
		const cancel = this.deps.clock.after(CARD_PATIENCE_MS, stopWaiting.resolve);
		while (this.#cardsWritten < owed && this.#writingCards !== null && !this.#mustResend) {
			const isOver = await Promise.race([this.#writingCards.then(() => false), stopWaiting.promise.then(() => true)]);
			if (isOver) break;
		}
		cancel();
	}

	/** Writes the owed cards and sends the owed events. Of parallel calls, one does the work and the others wait for it. */
	async #resend(): Promise<void> {
		if (!this.#hasTables) return;
		this.#writingCards ??= this.#writeCards().finally(() => {
			this.#writingCards = null;
		});
		await this.#writingCards;
		this.#sendingEvents ??= this.#sendEvents().finally(() => {
			this.#sendingEvents = null;
		});
		await this.#sendingEvents;
	}

	async #writeCards(): Promise<void> {
		try {
			for (;;) {
				const page = { after: this.#cardsWritten, limit: CARDS_AT_ONCE };
				const rows = uncardedQuery(this.#db).all({ ...page, ...knownTo(this.#parts.listeners) });
				const last = rows.at(-1);
				if (last === undefined) break;
				await writeCards(this.deps, readCards(this.#db, last.taskId, rows));
				this.#cardsWritten = last.id;
			}
			this.#mustResend = false;
		} catch (error) {
			this.#mustResend = true;
			this.deps.log.error("cards_not_written", describeError(error));
		}
	}

	async #sendEvents(): Promise<void> {
		const failed = new Set<string>();
		for (;;) {
			const page = { upTo: this.#cardsWritten, limit: EVENTS_AT_ONCE + failed.size };
			const waiting = unsentQuery(this.#db).all({ ...page, ...knownTo(this.#parts.listeners) });
			const rows = waiting.filter(({ id }) => !failed.has(id));
			if (rows.length === 0) break;
			const ends = await Promise.all(rows.map((row) => this.#sendRow(row)));
			const sent = rows.filter((_, index) => ends[index] === "sent").map(({ id }) => id);
			for (const [index, row] of rows.entries()) if (ends[index] === "failed") failed.add(row.id);
			if (sent.length > 0) this.#db.delete(outbox).where(inArray(outbox.id, sent)).run();
		}
		if (failed.size > 0) this.#mustResend = true;
		else await this.#forgetIfDestroyed();
	}

	/**
	 * Sends the waiting events of a row whose cards are written. After each page of an event with many receivers, it stores the position to
	 * continue at.
	 *
	 * @returns "rests" if the row has only events left that this version does not know, and "sent" if it can be deleted.
	 */
	async #sendRow({ id, taskId, events, createdAt, taskTime }: typeof outbox.$inferSelect): Promise<"sent" | "rests" | "failed"> {
		for (let waiting = events; ; ) {
			const sent = await Promise.all(waiting.map((event) => this.#sendEvent(event, { taskId, createdAt, taskTime })));
			const left = sent.filter((event) => event !== null);
			const isResting = !left.some((event) => isDue(event, this.#parts.listeners));
			// Nothing rests in a deleted task, because its object ends.
			const isOver = left.length === 0 || (isResting && findTaskId(this.#db) === null);
			if (isOver) return (await this.#deleteStored(taskId)) ? "sent" : "failed";
			const before = waiting;
			const hasMoved = left.some((event) => !before.includes(event));
			if (isResting || hasMoved || left.length < before.length) this.#keepEvents(id, left);
			if (isResting) return "rests";
			if (!hasMoved) return "failed";
			waiting = left;
		}
	}

	#keepEvents(rowId: string, events: readonly TaskOutboxEvent[]): void {
		this.#db
			.update(outbox)
			.set({ events, ...WITHOUT_CARDS })
			.where(eq(outbox.id, rowId))
			.run();
	}

	/** Deletes everything that a deleted task stored. Returns false if that failed, so that the row of its deletion stays. */
	async #deleteStored(taskId: string): Promise<boolean> {
		if (findTaskId(this.#db) !== null) return true;
		try {
			await this.#parts.deleteStored(this.deps, taskId);
			return true;
		} catch (error) {
			this.deps.log.error("stored_not_deleted", { task_id: taskId, ...describeError(error) });
			return false;
		}
	}

	/** Returns null once every listener has finished with the event, otherwise what is still waiting. Listeners may be called again. */
	async #sendEvent(
		waiting: TaskOutboxEvent,
		{ taskId, ...times }: { readonly taskId: string; readonly createdAt: number; readonly taskTime: number },
	): Promise<TaskOutboxEvent | null> {
		const { id, type, payload, places } = waiting;
		const { listeners } = this.#parts;
		if (!isDue(waiting, listeners)) return waiting;
		try {
			const recorded = { id, ...times, event: parseEvent(type, payload) };
			const task = this.#open(taskId, this.deps.clock.now());
			const due = listeners.filter(({ name }) => places === undefined || Object.hasOwn(places, name));
			const reached = await Promise.all(
				due.map(async ({ name, listen }) => {
					const place = await listen(task, this.deps, { ...recorded, fanOutAfter: places?.[name] ?? null });
					return place === null ? [] : [[name, place] as const];
				}),
			);
			const unknown = Object.entries(places ?? {}).filter(([name]) => !listeners.some((listener) => listener.name === name));
			const left = Object.fromEntries([...unknown, ...reached.flat()]);
			return Object.keys(left).length === 0 ? null : { ...waiting, places: left };
		} catch (error) {
			this.deps.log.error("dispatch_failed", { event_id: id, type, ...describeError(error) });
			return waiting;
		}
	}

	/** Deletes the whole object of a deleted draft, once its card is gone and its events are sent. */
	async #forgetIfDestroyed(): Promise<void> {
		if (findTaskId(this.#db) !== null) return;
		this.#hasTables = false;
		this.#alarmAt = null;
		this.#cardsWritten = "";
		await Promise.all([this.#storage.deleteAlarm(), this.#storage.deleteAll()]);
	}
}

function refuse({ code, facts: { cause: _, ...facts } }: AppError): TaskReply {
	return { kind: "refused", refusal: { code, facts } };
}

/** Runs a verb. The input's type is right, because the caller was compiled against the verb with this name and number. */
function runVerb(verb: TaskVerb<never, unknown>, task: TaskStore, input: unknown): unknown {
	return verb.run(task, input as never);
}
