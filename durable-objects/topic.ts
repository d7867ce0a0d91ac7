import { DurableObject } from "cloudflare:workers";
import { createDeps } from "../src/compose/create-deps.ts";
import { parseTopicName, type Topic as TopicId, topicName } from "../src/domain/topics.ts";
import { LEADERBOARD_GAP_MS } from "../src/features/competition/streams/rules.ts";
import { readEntries, startPublishing, stopPublishing } from "../src/features/streams/service.ts";
import { type Relay, TopicLog } from "../src/features/streams/topic-log.ts";
import { systemClock } from "../src/platform/clock.ts";
import { createIds } from "../src/platform/ids.ts";
import { consoleLog, describeError } from "../src/platform/log.ts";
import type { Deps } from "../src/ports/deps.ts";
import { REPLAY_LIMIT, type Subscription, type TopicEntry } from "../src/ports/topics.ts";

/** When the object dies before it has told every relay, its alarm goes on. */
const RESUME_MS = 2_000;
const ids = createIds();

/**
 * One stream's source: tells its relays what is new. It has storage and a row among the watched topics from the first relay to the last:
 * without watchers, nothing that happens reaches it. It is told that something has changed and reads what from the database, whose
 * numbers give each state its place, so events that come late, twice or in another order do no harm.
 */
export class Topic extends DurableObject<Env> {
	readonly #log: TopicLog;
	#mark = ids.next();
	#refreshing: Promise<void> = Promise.resolve();
	/** Not stored: if the object dies before it has read, the call that published fails and is repeated. */
	#isDue = false;
	#sentAt = 0;
	/** Not stored either, so a table of watched topics that was restored or lost gets the topic again. */
	#isRegistered = false;

	constructor(ctx: DurableObjectState, env: Env) {
		super(ctx, env);
		this.#log = new TopicLog(ctx.storage);
	}

	/** Another one for each publication, and after the object has lost its memory. */
	mark(): string {
		return this.#mark;
	}

	async publish(topic: TopicId): Promise<void> {
		this.#mark = ids.next();
		const state = this.#log.state();
		// The object died before it could unregister.
		if (state === null) return this.#unregister(topicName(topic));
		const now = systemClock.now();
		const dueAt = topic.kind === "leaderboard" ? Math.max(state.sentAt, this.#sentAt) + LEADERBOARD_GAP_MS : 0;
		if (dueAt > now) {
			this.#log.setRefreshDue(dueAt);
			await this.ctx.storage.setAlarm(dueAt);
			return;
		}
		this.#isDue = true;
		await this.#advance();
	}

	/** Forgets states that may quote an agent whose data was erased, and reads the state anew. */
	async erase(topic: TopicId): Promise<void> {
		this.#log.eraseEntries();
		await this.publish(topic);
	}

	/** The mark after the relay was added: what is published from now on reaches it. Writes nothing for a relay that is known. */
	async subscribe(subscription: Subscription): Promise<string> {
		if (this.#isRegistered && this.#log.state() !== null) this.#log.join(subscription);
		else await this.#register(subscription);
		return this.#mark;
	}

	async leave(relay: string, memberships: readonly string[]): Promise<void> {
		const state = this.#log.state();
		await this.#log.leave(relay, memberships);
		if (state !== null && this.#log.state() === null) await this.#unregister(state.name);
	}

	/** Adds a relay. What was committed since its watcher has read, and was not published here, is read now. */
	async #register(subscription: Subscription): Promise<void> {
		await this.#alone(async () => {
			const wasUnregistered = await startPublishing(this.#openDeps(), subscription.topic);
			this.#isDue ||= wasUnregistered || this.#log.state() === null;
			this.#isRegistered = true;
			this.#log.join(subscription);
		});
		if (this.#isDue) this.ctx.waitUntil(this.#advance());
	}

	/** Nothing is published here any more, unless a relay has joined again. */
	#unregister(name: string): Promise<void> {
		return this.#alone(async () => {
			if (this.#log.state() !== null) return;
			this.#isRegistered = false;
			await stopPublishing(this.#openDeps(), name);
		});
	}

	/** Nothing else happens in this object until the work is done. A fault is thrown afterwards, because inside it would reset the object. */
	async #alone(work: () => Promise<void>): Promise<void> {
		const faults = await this.ctx.blockConcurrencyWhile(() =>
			work().then(
				() => [],
				(fault: unknown) => [fault],
			),
		);
		for (const fault of faults) throw fault;
	}

	#openDeps(): Deps {
		return createDeps({ env: this.env, background: (work) => this.ctx.waitUntil(work), readFrom: "first-primary" });
	}

	override async alarm(): Promise<void> {
		await this.#advance();
	}

	/** Refreshes the state if it is due and waits until every relay has it. The alarm retries what fails. */
	async #advance(): Promise<void> {
		if (this.#log.state() === null) return;
		try {
			const confirmed = await Promise.all(await this.#refreshInTurn());
			if (confirmed.includes(false)) return;
		} catch (error) {
			consoleLog.error("topic_failed", describeError(error));
			if (this.#log.state() !== null) await this.ctx.storage.setAlarm(systemClock.now() + RESUME_MS);
			return;
		}
		const state = this.#log.state();
		if (state === null) return;
		if (state.refreshDue > 0) await this.ctx.storage.setAlarm(state.refreshDue);
		else await this.ctx.storage.deleteAlarm();
	}

	/** One refresh after another: each starts reading after the change that asked for it. Returns the calls to the relays. */
	#refreshInTurn(): Promise<Promise<boolean>[]> {
		const turn = this.#refreshing.then(() => this.#refresh());
		this.#refreshing = turn.then(
			() => {},
			() => {},
		);
		return turn;
	}

	/** Calls wait until what was stored before them is on the disk. So nothing is stored before the reading and the calls to the relays. */
	async #refresh(): Promise<Promise<boolean>[]> {
		const news = await this.#readNews();
		if (this.#log.state() === null) return [];
		const fresh = this.#log.selectNew(news?.entries ?? []);
		const calls = this.#log.relays().map((relay) => this.#tell(relay, fresh));
		if (news !== null) this.#log.endRefresh(news.startedAt);
		for (const entry of fresh) this.#log.append(entry, news?.keep ?? REPLAY_LIMIT);
		if (news !== null && news.entries.length >= REPLAY_LIMIT) this.#log.setRefreshDue(1);
		await this.ctx.storage.setAlarm(systemClock.now() + RESUME_MS);
		return calls;
	}

	/** What came after the last entry; null when no reading is due. */
	async #readNews() {
		const startedAt = systemClock.now();
		const state = this.#log.state();
		const isScheduled = state !== null && state.refreshDue > 0 && state.refreshDue <= startedAt;
		if (state === null || !(this.#isDue || isScheduled)) return null;
		this.#isDue = false;
		this.#sentAt = startedAt;
		try {
			return { startedAt, ...(await readEntries(this.#openDeps(), parseTopicName(state.name), state.head)) };
		} catch (error) {
			this.#log.setRefreshDue(1);
			throw error;
		}
	}

	/** Whether the relay has everything now. */
	async #tell({ name, membership, delivered }: Relay, fresh: readonly TopicEntry[]): Promise<boolean> {
		const entries = [...this.#log.entriesAfter(delivered), ...fresh];
		const last = entries.at(-1);
		if (last === undefined) return true;
		try {
			const sockets = await this.env.TOPIC_RELAY.getByName(name).deliver(entries);
			this.#log.confirm(name, last.seq);
			if (sockets === 0) await this.leave(name, [membership]);
			return true;
		} catch (error) {
			consoleLog.error("relay_failed", { relay: name, ...describeError(error) });
			return false;
		}
	}
}
