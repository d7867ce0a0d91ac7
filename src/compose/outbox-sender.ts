// Sends what the changes of a Task object have put into its outbox: cards to the directory, and then events to the listeners.
import { eq } from "drizzle-orm";
import { writeCards } from "../core/competition/directory/cards.ts";
import { readCards } from "../core/competition/directory/read-cards.ts";
import { findTaskId } from "../db/task/database.ts";
import { outbox, type TaskOutboxEvent } from "../db/task/schema/task.ts";
import { parseEvent } from "../domain/events.ts";
import { SECOND_MS } from "../platform/clock.ts";
import { describeError } from "../platform/log.ts";
import type { Deps } from "../ports/deps.ts";
import type { TaskListener } from "../ports/joints.ts";
import type { TaskDatabase, TaskStore } from "../ports/task.ts";
import { deleteSent, isDue, knownTo, owedQuery, uncardedQuery, unsentQuery, WITHOUT_CARDS } from "./task-outbox.ts";

/** The maximum time that a response waits for the directory to have the change, so that the caller's next list shows it. */
const CARD_PATIENCE_MS = SECOND_MS;
/** The maximum number of outbox rows that one call to the directory covers. */
const CARDS_AT_ONCE = 100;
const EVENTS_AT_ONCE = 20;

export interface Receivers {
	/**
	 * The listeners of one object's outbox. For an event with many receivers, the outbox stores each listener's progress under the listener's
	 * name.
	 */
	readonly listeners: readonly TaskListener[];
	/** Deletes what a deleted task stored outside its object. May be called again after a failure. */
	readonly deleteStored: (deps: Deps, taskId: string) => Promise<void>;
}

/** What the sender needs from the object whose outbox it sends. */
interface SendingObject {
	readonly db: TaskDatabase;
	getDeps(): Deps;
	openTask(taskId: string): TaskStore;
	/** Deletes the whole object. Called once the task is deleted, its card is gone, and its events are sent. */
	deleteObject(): Promise<void>;
}

export class OutboxSender {
	readonly #object: SendingObject;
	readonly #db: TaskDatabase;
	readonly #receivers: Receivers;
	/** The id of the last outbox row whose cards are in the directory. Empty before the first. */
	#cardsWritten = "";
	#writingCards: Promise<void> | null = null;
	#sendingEvents: Promise<void> | null = null;
	#mustResend = false;

	constructor(object: SendingObject, receivers: Receivers) {
		this.#object = object;
		this.#db = object.db;
		this.#receivers = receivers;
	}

	get #deps(): Deps {
		return this.#object.getDeps();
	}

	/** True if the last attempt to send cards or events has failed. */
	get mustResend(): boolean {
		return this.#mustResend;
	}

	/** Returns when the oldest unsent change was made, in milliseconds since the epoch. Returns null if everything is sent. */
	findOwedSince(): number | null {
		return owedQuery(this.#db).get(knownTo(this.#receivers.listeners))?.createdAt ?? null;
	}

	/** Waits until the cards of a change are written, but no longer than {@link CARD_PATIENCE_MS}. */
	async waitForCards(owed: string): Promise<void> {
		const stopWaiting = Promise.withResolvers<void>();
		const cancel = this.#deps.clock.after(CARD_PATIENCE_MS, stopWaiting.resolve);
		while (this.#cardsWritten < owed && this.#writingCards !== null && !this.#mustResend) {
			const isOver = await Promise.race([this.#writingCards.then(() => false), stopWaiting.promise.then(() => true)]);
			if (isOver) break;
		}
		cancel();
	}

	/**
	 * Writes the cards and sends the events that are waiting. If several calls run in parallel, one does the work and the others wait for it.
	 */
	async send(): Promise<void> {
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
				const rows = uncardedQuery(this.#db).all({ ...page, ...knownTo(this.#receivers.listeners) });
				const last = rows.at(-1);
				if (last === undefined) break;
				await writeCards(this.#deps, readCards(this.#db, last.taskId, rows));
				this.#cardsWritten = last.id;
			}
			this.#mustResend = false;
		} catch (error) {
			this.#mustResend = true;
			this.#deps.log.error("cards_not_written", describeError(error));
		}
	}

	async #sendEvents(): Promise<void> {
		const failed = new Set<string>();
		for (;;) {
			const page = { upTo: this.#cardsWritten, limit: EVENTS_AT_ONCE + failed.size };
			const waiting = unsentQuery(this.#db).all({ ...page, ...knownTo(this.#receivers.listeners) });
			const rows = waiting.filter(({ id }) => !failed.has(id));
			if (rows.length === 0) break;
			const ends = await Promise.all(rows.map((row) => this.#sendRow(row)));
			const sent = rows.filter((_, index) => ends[index] === "sent").map(({ id }) => id);
			for (const [index, row] of rows.entries()) if (ends[index] === "failed") failed.add(row.id);
			if (sent.length > 0) deleteSent(this.#db).run({ ids: JSON.stringify(sent) });
		}
		if (failed.size > 0) this.#mustResend = true;
		// Rows whose cards could not be written are still owed.
		else if (findTaskId(this.#db) === null && this.findOwedSince() === null) {
			this.#cardsWritten = "";
			await this.#object.deleteObject();
		}
	}

	/**
	 * Sends the waiting events of a row whose cards are written. After each page of an event with many receivers, stores the position at
	 * which to continue.
	 *
	 * @returns "sent" if the row can be deleted, "rests" if this version does not know any of the remaining events, and otherwise "failed".
	 */
	async #sendRow({ id, taskId, events, createdAt, taskTime }: typeof outbox.$inferSelect): Promise<"sent" | "rests" | "failed"> {
		for (let waiting = events; ; ) {
			const sent = await Promise.all(waiting.map((event) => this.#sendEvent(event, { taskId, createdAt, taskTime })));
			const left = sent.filter((event) => event !== null);
			const isResting = !left.some((event) => isDue(event, this.#receivers.listeners));
			// If the task was deleted, events that this version does not know are dropped, because the task's object is deleted too.
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

	/**
	 * If the task is deleted, deletes everything that it stored outside its object. Returns false if that failed. The outbox row must then
	 * stay.
	 */
	async #deleteStored(taskId: string): Promise<boolean> {
		if (findTaskId(this.#db) !== null) return true;
		try {
			await this.#receivers.deleteStored(this.#deps, taskId);
			return true;
		} catch (error) {
			this.#deps.log.error("stored_not_deleted", { task_id: taskId, ...describeError(error) });
			return false;
		}
	}

	/**
	 * Sends an event to its listeners, which may be called again. Returns null once all have finished. Otherwise returns the event with the
	 * positions of those that have not.
	 */
	async #sendEvent(
		waiting: TaskOutboxEvent,
		{ taskId, ...times }: { readonly taskId: string; readonly createdAt: number; readonly taskTime: number },
	): Promise<TaskOutboxEvent | null> {
		const { id, type, payload, places } = waiting;
		const { listeners } = this.#receivers;
		if (!isDue(waiting, listeners)) return waiting;
		try {
			const recorded = { id, ...times, event: parseEvent(type, payload) };
			const task = this.#object.openTask(taskId);
			const due = listeners.filter(({ name }) => places === undefined || Object.hasOwn(places, name));
			const reached = await Promise.all(
				due.map(async ({ name, listen }) => {
					const place = await listen(task, this.#deps, { ...recorded, fanOutAfter: places?.[name] ?? null });
					return place === null ? [] : [[name, place] as const];
				}),
			);
			const unknown = Object.entries(places ?? {}).filter(([name]) => !listeners.some((listener) => listener.name === name));
			const left = Object.fromEntries([...unknown, ...reached.flat()]);
			return Object.keys(left).length === 0 ? null : { ...waiting, places: left };
		} catch (error) {
			this.#deps.log.error("dispatch_failed", { event_id: id, type, ...describeError(error) });
			return waiting;
		}
	}
}
