// The SQL of the object `Bounties`: the log of published tasks, and the relays that receive them.
import { REPLAY_LIMIT, type Subscription, type TopicEntry } from "../../../ports/topics.ts";

export interface Bounty {
	readonly taskId: string;
	/** The task as JSON. Null while the task is hidden. */
	readonly data: string | null;
}

/** The log keeps this number of task ids, so that a late duplicate of an event does not add a task twice. */
const KNOWN_LIMIT = 10_000;

export class BountyLog {
	readonly #sql: SqlStorage;

	constructor(sql: SqlStorage) {
		this.#sql = sql;
		sql.exec(`
			create table if not exists bounties (seq integer primary key, task_id text not null unique, data text);
			create table if not exists relays (name text primary key, membership text not null, delivered integer not null) without rowid`);
	}

	/** Returns the number of the last bounty, or 0 before the first. */
	head(): number {
		return this.#sql.exec<{ head: number }>("select coalesce(max(seq), 0) as head from bounties").one().head;
	}

	/**
	 * Adds a task unless it is already in the log. Deletes the data of entries that are too old to be replayed, and the entries beyond
	 * {@link KNOWN_LIMIT}.
	 */
	add({ taskId, data }: Bounty): void {
		const [row] = this.#sql.exec("select 1 from bounties where task_id = ?", taskId);
		if (row !== undefined) return;
		const seq = this.head() + 1;
		this.#sql.exec("insert into bounties (seq, task_id, data) values (?, ?, ?)", seq, taskId, data);
		this.#sql.exec("update bounties set data = null where seq = ?", seq - REPLAY_LIMIT);
		this.#sql.exec("delete from bounties where seq <= ?", seq - KNOWN_LIMIT);
	}

	/** Changes the data that is replayed for a task. The task keeps its number. */
	change({ taskId, data }: Bounty): void {
		this.#sql.exec("update bounties set data = ? where task_id = ? and seq > ?", data, taskId, this.head() - REPLAY_LIMIT);
	}

	/** Returns the bounties after the given number, oldest first, but at most the last 256. */
	entriesAfter(seq: number): TopicEntry[] {
		const first = Math.max(seq, this.head() - REPLAY_LIMIT);
		const rows = this.#sql.exec<{ seq: number; data: string | null }>("select seq, data from bounties where seq > ? order by seq", first);
		return [...rows];
	}

	/**
	 * Adds a relay, which then gets every new bounty. Writes nothing if the relay is already known with this membership. Returns the number
	 * of the last bounty.
	 */
	join({ relay, membership }: Subscription): number {
		const head = this.head();
		this.#sql.exec(
			`insert into relays (name, membership, delivered) values (?1, ?2, ?3)
			on conflict do update set membership = ?2 where membership <> ?2`,
			...[relay, membership, head],
		);
		return head;
	}

	/** Removes a relay, unless it has joined again with another membership. */
	unwatch(name: string, membership: string): void {
		this.#sql.exec("delete from relays where name = ? and membership = ?", name, membership);
	}

	/**
	 * Lists the relays that have not confirmed all bounties, each with the bounties that it lacks. `delivered` is the number of the last
	 * bounty that a relay has confirmed.
	 */
	waitingRelays(): { name: string; membership: string; delivered: number; entries: TopicEntry[] }[] {
		const relays = this.#sql.exec<{ name: string; membership: string; delivered: number }>(
			"select name, membership, delivered from relays where delivered < ?",
			this.head(),
		);
		return relays.toArray().map((relay) => ({ ...relay, entries: this.entriesAfter(relay.delivered) }));
	}

	confirm(name: string, delivered: number): void {
		this.#sql.exec("update relays set delivered = max(delivered, ?) where name = ?", delivered, name);
	}
}
