// The memory of one topic object: its last entries and its relays. SQL of the object's own SQLite, not of D1.
import type { Subscription, TopicEntry } from "../../ports/topics.ts";

export interface Relay {
	readonly name: string;
	/** Another one for each time that the relay has joined: who leaves says as which member. */
	readonly membership: string;
	/** The last entry that the relay has confirmed. */
	readonly delivered: number;
}

type TopicState = {
	readonly name: string;
	/** The number of the last entry, or where the first watcher began. */
	readonly head: number;
	/** When the last refresh began, in milliseconds since the epoch; 0 for never. */
	readonly sentAt: number;
	/** When the next refresh is due; 0 for none. */
	readonly refreshDue: number;
};

/**
 * Exists while the topic has relays: the first one makes its tables, and the last one takes all storage of the object with it.
 * Reads and writes are synchronous, so what is done between two awaits is one atomic change.
 */
export class TopicLog {
	readonly #storage: DurableObjectStorage;
	readonly #sql: SqlStorage;
	#exists: boolean;

	constructor(storage: DurableObjectStorage) {
		this.#storage = storage;
		this.#sql = storage.sql;
		this.#exists = [...this.#sql.exec("select 1 from sqlite_master where name = 'relays'")].length > 0;
	}

	/** Null while no relay watches. */
	state(): TopicState | null {
		if (!this.#exists) return null;
		return this.#sql.exec<TopicState>(`select name, head, sent_at as "sentAt", refresh_due as "refreshDue" from topic`).one();
	}

	setRefreshDue(at: number): void {
		if (this.#exists) this.#sql.exec("update topic set refresh_due = ?", at);
	}

	/** Notes a refresh that began at `now`. One that was asked for later stays due. */
	endRefresh(now: number): void {
		if (this.#exists) this.#sql.exec("update topic set refresh_due = refresh_due * (refresh_due > ?1), sent_at = ?1", now);
	}

	/** Those of some entries that are new here, for {@link append}. Content that came last is left out. */
	selectNew(entries: readonly TopicEntry[]): TopicEntry[] {
		const head = this.state()?.head ?? Number.POSITIVE_INFINITY;
		const fresh = entries.filter(({ seq }) => seq > head);
		if (fresh.length === 0) return [];
		const [last] = this.#sql.exec<{ version: string | null }>("select version from entries order by seq desc limit 1");
		return fresh.map((entry, index) => {
			const before = index === 0 ? last?.version : fresh[index - 1]?.version;
			return entry.version !== null && entry.version === before ? { ...entry, data: null } : entry;
		});
	}

	/** Appends an entry of {@link selectNew}, and forgets all but the last `keep` ones. */
	append({ seq, version, data }: TopicEntry, keep: number): void {
		this.#sql.exec("insert into entries (seq, version, data) values (?, ?, ?)", seq, version, data);
		this.#sql.exec("delete from entries where seq <= (select seq from entries order by seq desc limit 1 offset ?)", keep);
		this.#sql.exec("update topic set head = ?", seq);
	}

	/** Forgets what the entries say. Their numbers stay, so that watchers resume as usual and get the next state. */
	eraseEntries(): void {
		if (this.#exists) this.#sql.exec("update entries set data = null, version = null");
	}

	entriesAfter(seq: number): TopicEntry[] {
		if (!this.#exists) return [];
		return [
			...this.#sql.exec<{ seq: number; version: string | null; data: string | null }>(
				"select seq, version, data from entries where seq > ? order by seq",
				seq,
			),
		];
	}

	relays(): Relay[] {
		if (!this.#exists) return [];
		return [...this.#sql.exec<{ name: string; membership: string; delivered: number }>("select name, membership, delivered from relays")];
	}

	/** Adds a relay, which gets what comes from now on. Writes nothing when it is there. */
	join({ topic, relay, membership, from }: Subscription): void {
		if (!this.#exists) this.#create(topic, from);
		const [known] = this.#sql.exec("select 1 from relays where name = ? and membership = ?", relay, membership);
		if (known !== undefined) return;
		this.#sql.exec(
			"insert into relays (name, membership, delivered) select ?1, ?2, head from topic where true on conflict do update set membership = ?2",
			relay,
			membership,
		);
	}

	#create(topic: string, head: number): void {
		this.#sql.exec("create table entries (seq integer primary key, version text, data text)");
		this.#sql.exec("create table relays (name text primary key, membership text not null, delivered integer not null) without rowid");
		this.#sql.exec(
			"create table topic (name text not null, head integer not null, sent_at integer not null, refresh_due integer not null)",
		);
		this.#sql.exec("insert into topic (name, head, sent_at, refresh_due) values (?, ?, 0, 0)", topic, head);
		this.#exists = true;
	}

	/** Removes a relay that has no sockets, unless it has joined anew since. The last one to leave takes everything with it. */
	async leave(name: string, memberships: readonly string[]): Promise<void> {
		if (!this.#exists) return;
		for (const membership of memberships) this.#sql.exec("delete from relays where name = ? and membership = ?", name, membership);
		if (this.relays().length > 0) return;
		this.#exists = false;
		// Both take effect at once, so no relay can join in between.
		await Promise.all([this.#storage.deleteAlarm(), this.#storage.deleteAll()]);
	}

	confirm(name: string, delivered: number): void {
		if (this.#exists) this.#sql.exec("update relays set delivered = max(delivered, ?) where name = ?", delivered, name);
	}
}
