import type { Config } from "../../config/env.ts";
import type { AuditEntry } from "../../domain/audit.ts";
import type { DomainEvent } from "../../domain/events.ts";
import type { TaskDatabase, TaskJoints, TaskStore } from "../../ports/task.ts";
import { readClockOffset } from "./database.ts";
import { placeholdersFor, prepareOnce } from "./prepared.ts";
import { outbox, type TaskOutboxEvent } from "./schema/task.ts";

/** The {@link TaskStore} of one transaction. It collects what must be sent after the change, and {@link close} writes it to the outbox. */
export class StoredTask implements TaskStore {
	readonly id: string;
	readonly db: TaskDatabase;
	readonly config: Config;
	readonly now: number;
	readonly realNow: number;
	readonly requestId: string | null;
	readonly parts: TaskJoints;
	readonly newId: () => string;
	readonly #events: TaskOutboxEvent[] = [];
	readonly #submissionIds = new Set<string>();
	readonly #locatedIds: string[] = [];
	readonly #memberIds = new Set<string>();
	readonly #acts: AuditEntry[] = [];
	#advancedMs = 0;
	#isTaskChanged = false;
	#areJobsChanged = false;
	#isDestroyed = false;

	constructor({
		id,
		db,
		config,
		realNow,
		requestId = null,
		parts,
		newId,
	}: {
		readonly id: string;
		readonly db: TaskDatabase;
		readonly config: Config;
		readonly realNow: number;
		readonly requestId?: string | null;
		readonly parts: TaskJoints;
		readonly newId: () => string;
	}) {
		this.id = id;
		this.db = db;
		this.config = config;
		this.now = realNow + readClockOffset(db);
		this.realNow = realNow;
		this.requestId = requestId;
		this.parts = parts;
		this.newId = newId;
	}

	record({ type, ...payload }: DomainEvent): void {
		this.#events.push({ id: this.newId(), type, payload });
	}

	markTask(): void {
		this.#isTaskChanged = true;
	}

	markSubmission(submissionId: string): void {
		this.#submissionIds.add(submissionId);
	}

	markJobs(): void {
		this.#areJobsChanged = true;
	}

	markLocated(id: string): void {
		this.#locatedIds.push(id);
	}

	markMember(agentId: string): void {
		this.#memberIds.add(agentId);
	}

	recordAct(entry: AuditEntry): void {
		this.#acts.push(entry);
	}

	advanceClock(ms: number): void {
		this.#advancedMs += ms;
		// Makes sure that an outbox row is written, because a repeated call reads the first call's result from it.
		this.#isTaskChanged = true;
	}

	destroy(): void {
		this.#isTaskChanged = true;
		this.#isDestroyed = true;
	}

	get advancedMs(): number {
		return this.#advancedMs;
	}

	get areJobsChanged(): boolean {
		return this.#areJobsChanged;
	}

	get isDestroyed(): boolean {
		return this.#isDestroyed;
	}

	/**
	 * Writes the collected changes to the outbox. Must be the last step of the transaction.
	 *
	 * @param call The id of the call that made the change, and the value that it returns. A repeated call gets this value.
	 * @returns The id of the outbox row, or null if there is nothing to send.
	 */
	close(call: { readonly id: string; readonly value: unknown } | null = null): string | null {
		const owed = this.#events.length + this.#submissionIds.size + this.#locatedIds.length + this.#memberIds.size + this.#acts.length;
		if (owed === 0 && !this.#isTaskChanged) return null;
		const id = this.newId();
		const row: typeof outbox.$inferSelect = {
			id,
			taskId: this.id,
			events: this.#events,
			isTaskChanged: this.#isTaskChanged,
			submissionIds: [...this.#submissionIds],
			memberIds: [...this.#memberIds],
			locatedIds: this.#locatedIds,
			acts: this.#acts,
			callId: call?.id ?? null,
			returned: call?.value ?? null,
			createdAt: this.realNow,
			taskTime: this.now,
		};
		insertQuery(this.db).run(row);
		return id;
	}
}

const insertQuery = prepareOnce((db) => db.insert(outbox).values(placeholdersFor(outbox)).prepare());
