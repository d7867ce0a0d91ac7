// The memory of one topic object: its last entries and its relays. SQL of the object's own SQLite, not of D1.
import { REMEMBERED_EVENTS, REPLAY_LIMIT, type TopicEntry } from "../../ports/topics.ts";

export interface Relay {
	readonly name: string;
	/** Counts the sockets that ever joined: who leaves says which state it saw. */
	readonly joined: number;
	/** The last entry that the relay has confirmed. */
	readonly delivered: number;
}

type Fact = "head" | "changed_at" | "sent_at" | "refresh_due";

/** Reads and writes are synchronous, so what is done between two awaits is one atomic change. */
export class TopicLog {
	readonly #sql: SqlStorage;

	constructor(sql: SqlStorage) {
		this.#sql = sql;
		sql.exec("create table if not exists entries (seq integer primary key, version text, data text)");
		sql.exec("create table if not exists told (seq integer primary key, event_id text unique)");
		sql.exec("create table if not exists relays (name text primary key, joined integer not null, delivered integer not null)");
		sql.exec("create table if not exists facts (name text primary key, value integer not null)");
	}

	fact(name: Fact): number {
		const [row] = this.#sql.exec<{ value: number }>("select value from facts where name = ?", name);
		return row?.value ?? 0;
	}

	setFact(name: Fact, value: number): void {
		this.#sql.exec("insert into facts (name, value) values (?1, ?2) on conflict do update set value = ?2", name, value);
	}

	/** Appends the next entry, unless this event has been told already. */
	appendEvent(eventId: string, data: string | null): void {
		const [known] = this.#sql.exec("select 1 from told where event_id = ?", eventId);
		if (known !== undefined) return;
		const seq = this.fact("head") + 1;
		this.#sql.exec("insert into told (seq, event_id) values (?, ?)", seq, eventId);
		this.#sql.exec("delete from told where seq <= ?", seq - REMEMBERED_EVENTS);
		this.append({ seq, version: null, data }, REPLAY_LIMIT);
	}

	/** Appends an entry that follows the ones before; one with an old number changes nothing. */
	append({ seq, version, data }: TopicEntry, keep: number): void {
		if (seq <= this.fact("head")) return;
		this.#sql.exec("insert into entries (seq, version, data) values (?, ?, ?)", seq, version, data);
		this.#sql.exec("delete from entries where seq <= (select seq from entries order by seq desc limit 1 offset ?)", keep);
		this.setFact("head", seq);
	}

	/** Forgets what the entries say. Their numbers stay, so that watchers resume as usual and get the next state. */
	eraseEntries(): void {
		this.#sql.exec("update entries set data = null, version = null");
	}

	/** The version of the last entry, or null without one. */
	lastVersion(): string | null {
		const [row] = this.#sql.exec<{ version: string | null }>("select version from entries order by seq desc limit 1");
		return row?.version ?? null;
	}

	entriesAfter(seq: number): TopicEntry[] {
		return [
			...this.#sql.exec<{ seq: number; version: string | null; data: string | null }>(
				"select seq, version, data from entries where seq > ? order by seq",
				seq,
			),
		];
	}

	/** Everything after `seq`, or null when some of it is gone. */
	entriesSince(seq: number): TopicEntry[] | null {
		const entries = this.entriesAfter(seq);
		return seq <= this.fact("head") && seq + entries.length === this.fact("head") ? entries : null;
	}

	relays(): Relay[] {
		return [...this.#sql.exec<{ name: string; joined: number; delivered: number }>("select name, joined, delivered from relays")];
	}

	/** Adds a socket's relay. One that is new gets what comes from now on. */
	join(name: string): number {
		const [row] = this.#sql.exec<{ joined: number }>(
			"insert into relays (name, joined, delivered) values (?1, 1, ?2) on conflict do update set joined = joined + 1 returning joined",
			name,
			this.fact("head"),
		);
		return row?.joined ?? 0;
	}

	/** Removes a relay that has no sockets, unless one has joined since. */
	leave(name: string, joined: number): void {
		this.#sql.exec("delete from relays where name = ? and joined = ?", name, joined);
	}

	confirm(name: string, delivered: number): void {
		this.#sql.exec("update relays set delivered = max(delivered, ?) where name = ?", delivered, name);
	}
}
