import { DurableObject } from "cloudflare:workers";
import { type Bounty, BountyLog } from "../core/events/streams/bounty-log.ts";
import { keepAlarm } from "../platform/alarms.ts";
import { systemClock } from "../platform/clock.ts";
import type { Subscription, TopicEntry } from "../ports/topics.ts";
import { tellRelays } from "./tell-relays.ts";

/** The time after which an alarm informs the remaining relays, if the object dies before it has informed all of them. */
const RESUME_MS = 2_000;

/**
 * There is only one such object. It stores the log of published tasks, which the stream of new bounties shows, and from which clients
 * resume.
 */
export class Bounties extends DurableObject<Env> {
	readonly #log = new BountyLog(this.ctx.storage.sql);

	/** Adds a published task. A repeated call changes nothing. */
	async add(bounty: Bounty): Promise<void> {
		this.#log.add(bounty);
		await this.#tellAll();
	}

	/** Changes what the log has for a published task, for clients that resume at an earlier position. Does not inform relays. */
	change(bounty: Bounty): void {
		this.#log.change(bounty);
	}

	/** Returns the bounties whose numbers are larger than `after`, and the latest number. If `after` is null, returns no bounties. */
	read(after: number | null): { head: number; entries: TopicEntry[] } {
		return { head: this.#log.head(), entries: after === null ? [] : this.#log.entriesAfter(after) };
	}

	subscribe(subscription: Subscription): number {
		return this.#log.join(subscription);
	}

	override async alarm(): Promise<void> {
		await keepAlarm(this.ctx.storage, "bounties_alarm_failed", () => this.#tellAll());
	}

	async #tellAll(): Promise<void> {
		const relays = this.#log.waitingRelays();
		if (relays.length === 0) return;
		await this.ctx.storage.setAlarm(systemClock.now() + RESUME_MS);
		await tellRelays(this.env, relays, this.#log);
		if (this.#log.waitingRelays().length === 0) await this.ctx.storage.deleteAlarm();
	}
}
