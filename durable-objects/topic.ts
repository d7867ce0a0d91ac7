import { DurableObject } from "cloudflare:workers";
import { createDeps } from "../src/compose/create-deps.ts";
import { parseTopicName, topicName } from "../src/domain/topics.ts";
import { LEADERBOARD_GAP_MS } from "../src/features/streams/rules.ts";
import { readEntries } from "../src/features/streams/service.ts";
import { type Relay, TopicLog } from "../src/features/streams/topic-log.ts";
import { systemClock } from "../src/platform/clock.ts";
import { consoleLog, describeError } from "../src/platform/log.ts";
import type { Publication, Subscription, TopicHello } from "../src/ports/topics.ts";

const NAME = "name";
/** When the object dies before it has told every relay, its alarm goes on. */
const RESUME_MS = 2_000;

/**
 * One stream's source: keeps its last entries and tells its relays. Topics of states are told that something has changed and
 * read what: its number gives each state its place, so events that come late, twice or in another order do no harm.
 */
export class Topic extends DurableObject<Env> {
	readonly #log: TopicLog;
	#refreshing: Promise<void> = Promise.resolve();

	constructor(ctx: DurableObjectState, env: Env) {
		super(ctx, env);
		this.#log = new TopicLog(ctx.storage.sql);
	}

	async publish({ topic, eventId, data }: Publication): Promise<void> {
		const now = systemClock.now();
		this.ctx.storage.kv.put(NAME, topicName(topic));
		this.#log.setFact("changed_at", now);
		if (topic.kind === "bounties") {
			this.#log.appendEvent(eventId, data);
		} else if (this.#log.relays().length === 0) {
			// A watcher to come reads for itself.
			return;
		} else {
			const dueAt = topic.kind === "leaderboard" ? this.#log.fact("sent_at") + LEADERBOARD_GAP_MS : 0;
			this.#log.setFact("refresh_due", Math.max(1, dueAt));
			if (dueAt > now) return this.#wakeAt(dueAt);
		}
		await this.#advance();
	}

	/** Forgets states that may quote an agent whose data was erased, and reads the state anew. */
	async erase(publication: Publication): Promise<void> {
		this.#log.eraseEntries();
		await this.publish(publication);
	}

	subscribe({ relay, after }: Subscription): TopicHello & { joined: number } {
		const joined = this.#log.join(relay);
		const missed = after === null ? null : this.#log.entriesSince(after);
		return { head: this.#log.fact("head"), changedAt: this.#log.fact("changed_at"), missed, joined };
	}

	leave(relay: string, joined: number): void {
		this.#log.leave(relay, joined);
	}

	override async alarm(): Promise<void> {
		await this.#advance();
	}

	/** Refreshes the state if it is due and sends it to the relays. The alarm retries what fails. */
	async #advance(): Promise<void> {
		await this.ctx.storage.setAlarm(systemClock.now() + RESUME_MS);
		try {
			await this.#refreshInTurn();
			const confirmed = await Promise.all(this.#log.relays().map((relay) => this.#tell(relay)));
			if (confirmed.includes(false)) return;
		} catch (error) {
			consoleLog.error("topic_failed", describeError(error));
			return;
		}
		const due = this.#log.fact("refresh_due");
		if (due > 0) await this.#wakeAt(due);
		else await this.ctx.storage.deleteAlarm();
	}

	/** One refresh after another: each starts reading after the change that asked for it. */
	#refreshInTurn(): Promise<void> {
		const turn = this.#refreshing.then(() => this.#refresh());
		this.#refreshing = turn.catch(() => {});
		return turn;
	}

	async #refresh(): Promise<void> {
		const now = systemClock.now();
		const due = this.#log.fact("refresh_due");
		const name = this.ctx.storage.kv.get<string>(NAME);
		if (due === 0 || due > now || name === undefined) return;
		this.#log.setFact("refresh_due", 0);
		this.#log.setFact("sent_at", now);
		try {
			const deps = createDeps({ env: this.env, background: (work) => this.ctx.waitUntil(work), readFrom: "first-primary" });
			const { entries, keep } = await readEntries(deps, parseTopicName(name), this.#log.fact("head"));
			for (const entry of entries) {
				const isSeen = entry.version !== null && entry.version === this.#log.lastVersion();
				this.#log.append(isSeen ? { ...entry, data: null } : entry, keep);
			}
		} catch (error) {
			this.#log.setFact("refresh_due", 1);
			throw error;
		}
	}

	/** Whether the relay has everything now. */
	async #tell({ name, joined, delivered }: Relay): Promise<boolean> {
		const entries = this.#log.entriesAfter(delivered);
		const last = entries.at(-1);
		if (last === undefined) return true;
		try {
			const sockets = await this.env.TOPIC_RELAY.getByName(name).deliver(entries);
			if (sockets === 0) this.#log.leave(name, joined);
			this.#log.confirm(name, last.seq);
			return true;
		} catch (error) {
			consoleLog.error("relay_failed", { relay: name, ...describeError(error) });
			return false;
		}
	}

	async #wakeAt(time: number): Promise<void> {
		await this.ctx.storage.setAlarm(time);
	}
}
