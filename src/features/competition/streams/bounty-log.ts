// The log of published tasks inside the object `Bounties`, and its relays. SQL of the object's own storage.
import { REPLAY_LIMIT, type Subscription, type TopicEntry } from "../../../ports/topics.ts";

export interface Bounty {
	readonly taskId: string;
	/** The task as JSON; null when it is hidden. */
	readonly data: string | null;
}

interface Relay {
	readonly name: string;
	readonly membership: string;
	/** The last entry that the relay has confirmed. */
	readonly delivered: number;
}

/** A type for `exec`, which takes no interfaces. */
type RowOf<T> = { readonly [Name in keyof T]: T[Name] };

export class BountyLog {
	readonly #sql: SqlStorage;

	constructor(sql: SqlStorage) {
		this.#sql = sql;
		sql.exec(`
			create table if not exists bounties (seq integer primary key autoincrement, task_id text not null unique, data text);
			create table if not exists relays (name text primary key, membership text not null, delivered integer not null) without rowid`);
	}

	/** The number of the last bounty; 0 before the first. */
	head(): number {
		return this.#sql.exec<{ head: number }>("select coalesce(max(seq), 0) as head from bounties").one().head;
	}

	/** Adds a task, once, and forgets all but the last ones. */
	add({ taskId, data }: Bounty): void {
		this.#sql.exec("insert into bounties (task_id, data) values (?, ?) on conflict do nothing", taskId, data);
		this.#sql.exec("delete from bounties where seq <= (select max(seq) from bounties) - ?", REPLAY_LIMIT);
	}

	/** Takes a task out of what is replayed, because it was taken down. Its number stays. */
	hide(taskId: string): void {
		this.#sql.exec("update bounties set data = null where task_id = ?", taskId);
	}

	/** The bounties after a number, oldest first. */
	entriesAfter(seq: number): TopicEntry[] {
		const rows = this.#sql.exec<{ seq: number; data: string | null }>("select seq, data from bounties where seq > ? order by seq", seq);
		return [...rows].map((row) => ({ ...row, version: null }));
	}

	/** Adds a relay, which gets what comes from now on. Returns the number of the last bounty. */
	join({ relay, membership }: Subscription): number {
		const head = this.head();
		this.#sql.exec(
			"insert into relays (name, membership, delivered) values (?1, ?2, ?3) on conflict do update set membership = ?2",
			relay,
			membership,
			head,
		);
		return head;
	}

	leave(name: string, memberships: readonly string[]): void {
		for (const membership of memberships) this.#sql.exec("delete from relays where name = ? and membership = ?", name, membership);
	}

	relays(): Relay[] {
		return [...this.#sql.exec<RowOf<Relay>>("select name, membership, delivered from relays")];
	}

	confirm(name: string, delivered: number): void {
		this.#sql.exec("update relays set delivered = max(delivered, ?) where name = ?", delivered, name);
	}
}
