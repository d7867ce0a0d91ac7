// The Durable Object of a webhook stores its deliveries, attempts those that are due, and deletes old ones.
import { DurableObject } from "cloudflare:workers";
import { MAX_PAGE_BYTES } from "../../../../http/pagination.ts";
import type { Clock } from "../../../../platform/clock.ts";
import { idFloorAt } from "../../../../platform/ids.ts";
import { consoleLog, describeError } from "../../../../platform/log.ts";
import type { PageBefore } from "../../../../ports/database.ts";
import type { Deps } from "../../../../ports/deps.ts";
import type { HostVisit } from "../../../../ports/hubs.ts";
import type * as port from "../../../../ports/webhook-sender.ts";
import { type AttemptOutcome, isTestDelivery, makeAttempt, updateRecord } from "../attempt.ts";
import { findTarget } from "../audience.ts";
import * as rules from "../rules.ts";
import { noteTrouble } from "../store.ts";
import * as store from "./store.ts";

export interface DeliverySenderOptions {
	readonly db: store.DeliveryDatabase;
	/** Setting the alarm is part of the same atomic write as the statements just before it. */
	readonly alarm: Pick<DurableObjectStorage, "getAlarm" | "setAlarm">;
	readonly clock: Pick<Clock, "now">;
	/** Creates new dependencies for each attempt and alarm. */
	openDeps(): Deps;
}

const SPENT = `Not sent: until this host has returned a test's challenge, it gets at most ${rules.UNASKED_PER_DAY} deliveries a day. Make the receiver return the challenge of POST /api/v1/webhooks/{id}/test, then replay the delivery.`;

/**
 * The base class of `WebhookSender` objects.
 *
 * Only this object attempts the webhook's deliveries, so it can track running attempts in memory. If the object dies, its alarm wakes it,
 * and the deliveries whose attempts were interrupted become due again.
 */
export class DeliverySender extends DurableObject<Env> implements port.WebhookSenderPort {
	readonly #options: DeliverySenderOptions;
	readonly #db: store.DeliveryDatabase;
	/** Running attempts, by the id of their delivery. `end` never rejects. */
	readonly #attempting = new Map<string, { readonly startedAt: number; readonly end: Promise<port.AttemptEnd | null> }>();
	/** The webhook as the last call described it. Null if it must be read from D1. */
	#target: port.WebhookTarget | null = null;
	#alarmAt: number | null = null;

	constructor(ctx: DurableObjectState, env: Env, options: DeliverySenderOptions) {
		super(ctx, env);
		this.#options = options;
		this.#db = options.db;
	}

	/** Reads the time of the alarm, and sets the alarm if it is missing or too late. Must be called before any other method. */
	async wake(): Promise<void> {
		this.#alarmAt = await this.#options.alarm.getAlarm();
		this.#setAlarm();
	}

	async deliver(delivery: port.NewDelivery, target: port.WebhookTarget): Promise<void> {
		this.#add({ ...delivery, replayOf: null }, target);
	}

	async deliverNow(delivery: port.NewDelivery, target: port.WebhookTarget): Promise<port.AttemptEnd | null> {
		this.#add({ ...delivery, replayOf: null }, target);
		return (await this.#attempting.get(delivery.id)?.end) ?? null;
	}

	async replay({ id, deliveryId }: { readonly id: string; readonly deliveryId: string }, target: port.WebhookTarget) {
		const original = store.findDelivery(this.#db, deliveryId);
		if (original === null) return "missing";
		if (original.status === "pending") {
			await this.hasten(deliveryId);
			return "pending";
		}
		const { eventId, eventType, taskId, body } = original;
		this.#add({ id, eventId, eventType, taskId, body, replayOf: deliveryId }, target);
		return "queued";
	}

	async refresh(isRenewed = false): Promise<void> {
		this.#target = null;
		if (isRenewed) {
			store.updateReceiver(this.#db, { failingSince: null });
			// The alarm reports this to D1. Otherwise, the agent may be notified of the old failure before the next attempt.
			this.#setAlarm(this.#now());
		}
		await this.#cancelIfStopped(this.#options.openDeps());
	}

	async listDeliveries(query: PageBefore): Promise<port.LoggedDelivery[]> {
		const log = store.selectLog(this.#db, { ...query, maxBytes: MAX_PAGE_BYTES });
		return log.map((row) => ({ ...row, dueAt: this.#attempting.get(row.id)?.startedAt ?? row.dueAt }));
	}

	async listUnsuccessful(query: port.UnsuccessfulQuery): Promise<port.UnsuccessfulDelivery[]> {
		return store.selectUnsuccessful(this.#db, { ...query, ...this.#progress() });
	}

	async findUnsuccessful(id: string): Promise<port.UnsuccessfulDelivery | null> {
		const [delivery] = store.selectUnsuccessful(this.#db, { id, state: null, before: null, limit: 1, ...this.#progress() });
		return delivery ?? null;
	}

	async hasten(deliveryId: string) {
		if (this.#attempting.has(deliveryId)) return "running";
		if (store.findDelivery(this.#db, deliveryId)?.status !== "pending") return "ended";
		store.postponeDelivery(this.#db, deliveryId, this.#now());
		this.#attemptDue();
		return "due";
	}

	async eraseAbout(text: string): Promise<void> {
		store.eraseAbout(this.#db, text);
	}

	async erase(): Promise<void> {
		this.#target = null;
		store.eraseAll(this.#db);
	}

	override async alarm(): Promise<void> {
		this.#alarmAt = null;
		try {
			store.forgetBefore(this.#db, idFloorAt(this.#now() - rules.LOG_RETENTION_MS));
			this.#attemptDue();
			await this.#report(this.#options.openDeps());
		} catch (error) {
			consoleLog.error("delivery_alarm_failed", describeError(error));
			// Sets the alarm again instead of throwing, because the runtime retries a failed alarm only six times.
			this.#setAlarm(this.#now() + rules.ALARM_AGAIN_MS);
		}
	}

	#now(): number {
		return this.#options.clock.now();
	}

	#progress() {
		return { running: [...this.#attempting.keys()], dueBefore: this.#now() - rules.CUT_OFF_AFTER_MS };
	}

	#add(delivery: port.NewDelivery & { readonly replayOf: string | null }, target: port.WebhookTarget): void {
		this.#target = target;
		store.insertDelivery(this.#db, { ...delivery, webhookId: target.webhookId, now: this.#now() });
		this.#attemptDue();
	}

	/** Starts attempts at due deliveries, up to the limit of parallel attempts. When one ends, the next starts. */
	#attemptDue(): void {
		const isFailing = (store.findReceiver(this.#db)?.failingSince ?? null) !== null;
		const limit = (isFailing ? rules.MAX_FAILING_IN_FLIGHT : rules.MAX_HOST_IN_FLIGHT) - this.#attempting.size;
		const startedAt = this.#now();
		const due = limit <= 0 ? [] : store.selectDueDeliveries(this.#db, { now: startedAt, except: [...this.#attempting.keys()], limit });
		for (const id of due) {
			const deps = this.#options.openDeps();
			const end = this.#attempt(deps, id).finally(() => {
				this.#attempting.delete(id);
				this.#attemptDue();
			});
			this.#attempting.set(id, { startedAt, end });
			deps.background(end);
		}
		this.#setAlarm();
	}

	async #attempt(deps: Deps, id: string): Promise<port.AttemptEnd | null> {
		try {
			const target = await this.#findTarget(deps, id);
			return target === null ? null : await this.#send(deps, id, target);
		} catch (error) {
			deps.log.error("delivery_failed", { delivery_id: id, ...describeError(error) });
			store.postponeDelivery(this.#db, id, this.#now() + rules.CUT_OFF_AFTER_MS);
			return null;
		}
	}

	/**
	 * Finds where to send a pending delivery, or returns null. Cancels the delivery if the webhook is stopped, or if its agent may
	 * not read the task.
	 */
	async #findTarget(deps: Deps, id: string): Promise<port.WebhookTarget | null> {
		const delivery = store.findDelivery(this.#db, id);
		const receiver = store.findReceiver(this.#db);
		if (delivery?.status !== "pending" || receiver === null) return null;
		const isFresh = delivery.attempts === 0 && this.#now() - delivery.createdAt < rules.TARGET_FRESH_MS;
		if (isFresh && this.#target !== null) return this.#target;
		const webhook = await findTarget(deps, { webhookId: receiver.webhookId, taskId: delivery.taskId });
		if (webhook?.mayReceive) return webhook.target;
		store.cancelPending(this.#db, this.#now(), webhook === null ? undefined : id);
		return null;
	}

	async #send(deps: Deps, id: string, target: port.WebhookTarget): Promise<port.AttemptEnd | null> {
		const entry = await deps.hubs.enterHost(target.host, id, this.#visitOf(id, target));
		if (entry === "full") {
			store.postponeDelivery(this.#db, id, this.#now() + rules.throttledDelayMs(deps.random()));
			return null;
		}
		if (entry === "spent") return this.#giveUp(id);
		try {
			const delivery = store.beginAttempt(this.#db, id, this.#now() + rules.CUT_OFF_AFTER_MS);
			if (delivery === null) return null;
			const failingSince = store.findReceiver(this.#db)?.failingSince ?? null;
			const isUnasked = entry === "unasked";
			const finished = await makeAttempt(deps, { delivery, number: delivery.attempts, target, failingSince, isUnasked });
			if (finished.isVerified) await deps.hubs.noteAgreement(target.host);
			return await this.#record(deps, id, { ...finished, target });
		} finally {
			// Waits for the call, because this object's next attempt needs the place. If the call fails, a timer frees the place.
			await deps.hubs.leaveHost(target.host, id).catch((error: unknown) => deps.log.error("place_not_left", describeError(error)));
		}
	}

	/**
	 * Returns what kind of visit to the host a delivery is. A test does not need the host's agreement, because the platform asks for it
	 * with tests.
	 */
	#visitOf(id: string, { url }: port.WebhookTarget): HostVisit {
		const delivery = store.findDelivery(this.#db, id);
		if (delivery === null || isTestDelivery(delivery) || rules.isOfService(url)) return "asked";
		return delivery.attempts === 0 ? "first" : "again";
	}

	/** Ends a delivery without sending it. The receiver does not count as failing. */
	#giveUp(id: string): null {
		const now = this.#now();
		const delivery = store.beginAttempt(this.#db, id, now);
		if (delivery === null) return null;
		const attempt = { number: delivery.attempts, startedAt: now, durationMs: 0, responseCode: null, responseBody: null, error: SPENT };
		store.endAttempt(this.#db, id, { attempt, status: "failed", dueAt: null, finishedAt: now });
		return null;
	}

	/** Records the end of an attempt and its consequences, unless the delivery was stopped in the meantime. */
	async #record(
		deps: Deps,
		id: string,
		finished: AttemptOutcome & { readonly target: port.WebhookTarget },
	): Promise<port.AttemptEnd | null> {
		if (store.findDelivery(this.#db, id)?.status !== "pending") return null;
		await updateRecord(deps, finished);
		const { log, step, isTest, stop } = finished;
		const now = this.#now();
		const end =
			step.kind === "retry"
				? ({ status: "pending", dueAt: step.dueAt, finishedAt: null } as const)
				: ({ status: step.kind === "delivered" ? "delivered" : "failed", dueAt: null, finishedAt: now } as const);
		if (!store.endAttempt(this.#db, id, { attempt: log, ...end })) return null;
		const failingSince = store.findReceiver(this.#db)?.failingSince ?? null;
		if (step.kind === "delivered" && failingSince !== null) store.updateReceiver(this.#db, { failingSince: null });
		const hasFailed = (step.kind === "retry" || step.kind === "failed") && !isTest;
		if (hasFailed && failingSince === null) store.updateReceiver(this.#db, { failingSince: now });
		if (stop !== null) {
			this.#target = null;
			// The webhook stays active if its URL or format changed during the attempt.
			await this.#cancelIfStopped(deps);
		}
		return finished.isVerified ? "verified" : step.kind;
	}

	/** Cancels the pending deliveries unless the webhook is active and its agent is allowed to act. */
	async #cancelIfStopped(deps: Deps): Promise<void> {
		const receiver = store.findReceiver(this.#db);
		if (receiver === null) return;
		const webhook = await findTarget(deps, { webhookId: receiver.webhookId, taskId: null });
		if (webhook !== null) return;
		store.cancelPending(this.#db, this.#now());
		// The alarm reports the cancelled deliveries to D1.
		this.#setAlarm(this.#now());
	}

	/**
	 * Writes to D1 how many deliveries have been waiting for a while and whether some have failed, but only if that has changed. Deliveries
	 * that succeed immediately cause no write.
	 */
	async #report(deps: Deps): Promise<void> {
		const receiver = store.findReceiver(this.#db);
		if (receiver === null) return;
		const trouble = store.summarizeTrouble(this.#db, this.#now() - rules.CUT_OFF_AFTER_MS);
		const failingSince = rules.lastingFailure(receiver.failingSince, this.#now());
		const { waiting, waitingSince, hasFailed } = trouble;
		const { reportedWaiting, reportedWaitingSince, reportedFailed, reportedFailingSince } = receiver;
		const isWaitKnown = reportedWaiting === waiting && reportedWaitingSince === waitingSince;
		if (isWaitKnown && reportedFailed === hasFailed && reportedFailingSince === failingSince) return;
		await noteTrouble(deps, receiver.webhookId, { ...trouble, failingSince });
		store.updateReceiver(this.#db, {
			...{ reportedWaiting: waiting, reportedWaitingSince: waitingSince },
			...{ reportedFailed: hasFailed, reportedFailingSince: failingSince },
		});
	}

	/**
	 * Sets the alarm to the time of the next action, but not later than `latest`. Keeps an earlier alarm, because that alarm will set the
	 * next one.
	 */
	#setAlarm(latest = Number.POSITIVE_INFINITY): void {
		const at = Math.min(latest, this.#findNextTime());
		if (at === Number.POSITIVE_INFINITY || (this.#alarmAt !== null && this.#alarmAt <= at)) return;
		this.#alarmAt = at;
		void this.#options.alarm.setAlarm(at);
	}

	#findNextTime(): number {
		const now = this.#now();
		const dueAt = store.findNextAttempt(this.#db);
		// A due delivery that has not started waits for another attempt to end.
		if (dueAt !== null) return dueAt <= now ? now + rules.CUT_OFF_AFTER_MS : dueAt;
		const oldest = store.findOldest(this.#db);
		return oldest === null ? Number.POSITIVE_INFINITY : oldest + rules.LOG_RETENTION_MS + rules.FORGET_EVERY_MS;
	}
}
