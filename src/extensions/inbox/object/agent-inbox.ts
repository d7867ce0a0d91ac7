// An agent's inbox is stored in the Durable Object of its workspace.
import { MAX_UNREAD, MERGED_INBOX_EVENTS } from "../../../domain/inbox-events.ts";
import { DAY_MS, systemClock } from "../../../platform/clock.ts";
import { createIds } from "../../../platform/ids.ts";
import type { AddNotice, InboxEntry, InboxQuery, ReadMark } from "../../../ports/inbox.ts";
import { REPLAY_LIMIT, type Subscription, type TopicEntry } from "../../../ports/topics.ts";

/** An agent that has neither read its inbox nor registered within this time gets no more entries. */
export const READER_PERIOD_MS = 30 * DAY_MS;
export const KEPT_MS = 90 * DAY_MS;
/** The number of entries kept per kind of event, so that a flood of one kind does not push out others. */
export const KEPT_PER_EVENT = 200;

export interface InboxStorage {
	readonly sql: Pick<SqlStorage, "exec">;
	transactionSync<T>(change: () => T): T;
}

interface EntryRow extends Record<string, SqlStorageValue> {
	readonly seq: number;
	readonly id: string;
	readonly event: InboxEntry["event"];
	readonly text: string;
	readonly path: string;
	readonly taskId: string | null;
	readonly submissionId: string | null;
	readonly dealId: string | null;
	readonly createdAt: number;
	readonly isRead: number;
}

interface MergedRow extends Record<string, SqlStorageValue> {
	readonly seq: number;
	readonly id: string;
	readonly count: number;
	readonly createdAt: number;
	readonly firstSeq: number;
}

const COLUMNS = `seq, id, event, text, path, task_id as taskId, submission_id as submissionId, deal_id as dealId, created_at as createdAt,
	read_at is not null as isRead`;

/** The tables are created when they are first needed, because most agents never read their inbox. */
const TABLES = `
	create table if not exists inbox_entries (
		seq integer primary key autoincrement,
		id text not null unique,
		event text not null,
		event_id text not null,
		text text not null,
		path text not null,
		task_id text,
		submission_id text,
		deal_id text,
		-- The number of events that the entry is about.
		count integer not null default 1,
		-- The entry's first seq. Each added event gives it a new seq, but clients may still continue from the first.
		first_seq integer,
		created_at integer not null,
		added_at integer not null,
		read_at integer,
		unique (event_id, event)
	) strict;
	create index if not exists inbox_entries_event on inbox_entries (event, seq);
	create index if not exists inbox_entries_unread on inbox_entries (seq) where read_at is null;
	create table if not exists inbox_reader (id integer primary key check (id = 1), last_read_at integer not null, marked_at integer) strict;
	create table if not exists inbox_relays (name text primary key not null, membership text not null, delivered integer not null) strict, without rowid`;

const ids = createIds();

/** Each method is one transaction, so that entries which arrive at the same time are counted and limited exactly. */
export class AgentInbox {
	readonly #storage: InboxStorage;
	readonly #sql: InboxStorage["sql"];
	#hasTables: boolean;

	constructor(storage: InboxStorage) {
		this.#storage = storage;
		this.#sql = storage.sql;
		this.#hasTables = this.#rows("select 1 as found from sqlite_master where name = 'inbox_entries'").length > 0;
	}

	/** Adds an entry, or adds to an unread one. Returns false if nothing changed, for example because no one reads this inbox. */
	add(notice: AddNotice): boolean {
		const now = systemClock.now();
		const { event, eventId, text, path, taskId, submissionId, dealId, happenedAt, registeredAt } = notice;
		const isMerged = MERGED_INBOX_EVENTS.includes(event);
		return this.#storage.transactionSync(() => {
			if (Math.max(registeredAt, this.#lastReadAt() ?? 0) < now - READER_PERIOD_MS) return false;
			this.makeTables();
			if (this.#hasAdded(event, eventId)) return false;
			if (event === "rank.new_leader" && this.#isLeaderRead(taskId, happenedAt)) return false;
			const unread = isMerged ? this.#findUnread(event, taskId) : null;
			if (unread !== null) return this.#addTo(unread, notice);
			this.#rows(
				`insert into inbox_entries (id, event, event_id, text, path, task_id, submission_id, deal_id, created_at, added_at)
				values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
				...[ids.next(), event, eventId, text, path, taskId, submissionId, dealId, happenedAt, now],
			);
			this.#rows(
				`delete from inbox_entries where event = ?1 and seq <= (
					select seq from inbox_entries where event = ?1 order by seq desc limit 1 offset ?2)`,
				...[event, KEPT_PER_EVENT],
			);
			return true;
		});
	}

	#hasAdded(event: InboxEntry["event"], eventId: string): boolean {
		return this.#rows("select 1 as found from inbox_entries where event_id = ? and event = ?", eventId, event).length > 0;
	}

	/**
	 * Returns true if the owner has read an entry about the task's leader after the event.
	 * Within the same millisecond, the order is unknown: an extra entry is better than a missing one.
	 */
	#isLeaderRead(taskId: string | null, happenedAt: number): boolean {
		const rows = this.#rows(
			`select 1 as found from inbox_entries indexed by inbox_entries_event
			where event = 'rank.new_leader' and task_id = ? and read_at > ? limit 1`,
			...[taskId, happenedAt],
		);
		return rows.length > 0;
	}

	#findUnread(event: InboxEntry["event"], taskId: string | null): MergedRow | null {
		const [row] = this.#rows<MergedRow>(
			`select seq, id, count, created_at as createdAt, coalesce(first_seq, seq) as firstSeq
			from inbox_entries indexed by inbox_entries_event where event = ? and task_id = ? and read_at is null limit 1`,
			...[event, taskId],
		);
		return row ?? null;
	}

	/** Adds an event to an unread entry, which keeps its id and moves to the top. Ignores an older event, and returns false. */
	#addTo({ seq, id, count, createdAt, firstSeq }: MergedRow, notice: AddNotice): boolean {
		const { event, text, afterCount, path, taskId, happenedAt } = notice;
		if (happenedAt < createdAt) return false;
		const sentence = afterCount === null ? text : `${count + 1} ${afterCount}`;
		this.#rows("delete from inbox_entries where seq = ?", seq);
		this.#rows(
			`insert into inbox_entries (id, event, event_id, text, path, task_id, count, first_seq, created_at, added_at)
			values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
			...[id, event, notice.eventId, sentence, path, taskId, count + 1, firstSeq, happenedAt, systemClock.now()],
		);
		return true;
	}

	read({ before, limit, isUnreadOnly }: InboxQuery) {
		this.#noteReader();
		const unread = isUnreadOnly ? "and read_at is null" : "";
		const rows = this.#rows<EntryRow>(
			`select ${COLUMNS} from inbox_entries where seq < ? and added_at >= ? ${unread} order by seq desc limit ?`,
			...[before ?? Number.MAX_SAFE_INTEGER, this.#keptSince(), limit],
		);
		return { entries: rows.map(toEntry), unread: this.#countUnread(), markedAt: this.#markedAt() };
	}

	mark(mark: ReadMark): number {
		return this.#storage.transactionSync(() => {
			this.#noteReader();
			const [condition, value] =
				"upTo" in mark
					? ["seq <= (select seq from inbox_entries where id = ?)", mark.upTo]
					: ["id in (select value from json_each(?))", JSON.stringify(mark.ids)];
			this.#rows(
				`update inbox_entries set read_at = ?2 where read_at is null and ${condition.replace("?", "?1")}`,
				value,
				systemClock.now(),
			);
			this.#rows("update inbox_reader set marked_at = ?", systemClock.now());
			return this.#countUnread();
		});
	}

	readAfter(afterId: string | null) {
		this.#noteReader();
		const [last] = this.#rows<{ seq: number; id: string }>("select seq, id from inbox_entries order by seq desc limit 1");
		const place = afterId === "0" ? 0 : this.#seqOf(afterId ?? "");
		const state = { head: this.#head(), headId: last?.id ?? "0", unread: this.#countUnread() };
		return { ...state, entries: place === null ? null : this.#entriesAfter(place) };
	}

	#seqOf(id: string): number | null {
		return this.#rows<{ seq: number }>("select coalesce(first_seq, seq) as seq from inbox_entries where id = ?", id)[0]?.seq ?? null;
	}

	#entriesAfter(seq: number): InboxEntry[] {
		const rows = this.#rows<EntryRow>(
			`select * from (select ${COLUMNS} from inbox_entries where seq > ? and added_at >= ? order by seq desc limit ?) order by seq`,
			...[seq, this.#keptSince(), REPLAY_LIMIT],
		);
		return rows.map(toEntry);
	}

	/** The number of the newest entry that was ever added. */
	#head(): number {
		return this.#rows<{ seq: number }>("select seq from sqlite_sequence where name = 'inbox_entries'")[0]?.seq ?? 0;
	}

	watch({ relay, membership }: Subscription): number {
		this.makeTables();
		const head = this.#head();
		this.#rows(
			`insert into inbox_relays (name, membership, delivered) values (?1, ?2, ?3)
			on conflict (name) do update set membership = ?2 where membership <> ?2`,
			...[relay, membership, head],
		);
		return head;
	}

	/** Removes a relay, unless it has joined again. */
	unwatch(relay: string, membership: string): void {
		this.#rows("delete from inbox_relays where name = ? and membership = ?", relay, membership);
	}

	/** Lists the relays that have not received all entries yet, each with the missing entries. Missing entries may be deleted by now. */
	waitingRelays(): { name: string; membership: string; delivered: number; entries: TopicEntry[] }[] {
		if (!this.#hasTables) return [];
		const relays = this.#rows<{ name: string; membership: string; delivered: number }>(
			"select name, membership, delivered from inbox_relays where delivered < ?",
			this.#head(),
		);
		return relays.flatMap((relay) => {
			const entries = this.#entriesAfter(relay.delivered).map((entry) => ({ seq: entry.seq, data: JSON.stringify(entry) }));
			return entries.length === 0 ? [] : [{ ...relay, entries }];
		});
	}

	confirm(relay: string, delivered: number): void {
		this.#rows("update inbox_relays set delivered = max(delivered, ?) where name = ?", delivered, relay);
	}

	/** Deletes entries that are older than 90 days. */
	prune(): void {
		if (this.#hasTables) this.#rows("delete from inbox_entries where added_at < ?", this.#keptSince());
	}

	/** Returns when the oldest entry expires, in milliseconds since the epoch. Returns null without entries. */
	nextDue(): number | null {
		if (!this.#hasTables) return null;
		const [oldest] = this.#rows<{ at: number }>("select added_at as at from inbox_entries order by seq limit 1");
		return oldest === undefined ? null : oldest.at + KEPT_MS + 1;
	}

	/** Lists all entries for an export, oldest first. */
	exportAll(): InboxEntry[] {
		return this.#hasTables ? this.#rows<EntryRow>(`select ${COLUMNS} from inbox_entries order by seq`).map(toEntry) : [];
	}

	makeTables(): void {
		if (this.#hasTables) return;
		this.#sql.exec(TABLES);
		this.#hasTables = true;
	}

	#lastReadAt(): number | null {
		if (!this.#hasTables) return null;
		return this.#rows<{ at: number }>("select last_read_at as at from inbox_reader")[0]?.at ?? null;
	}

	/** Records that the agent is reading its inbox. Writes at most once an hour. */
	#noteReader(): void {
		this.makeTables();
		const [now, before] = [systemClock.now(), this.#lastReadAt()];
		if (before === null || before < now - DAY_MS / 24) {
			this.#rows("insert into inbox_reader (id, last_read_at) values (1, ?1) on conflict (id) do update set last_read_at = ?1", now);
		}
	}

	#markedAt(): number | null {
		return this.#rows<{ at: number | null }>("select marked_at as at from inbox_reader")[0]?.at ?? null;
	}

	/** The count is capped, because each poll of the inbox reads every counted row. */
	#countUnread(): number {
		const text =
			"select count(*) as unread from (select 1 from inbox_entries where read_at is null and added_at >= ? order by seq desc limit ?)";
		return this.#rows<{ unread: number }>(text, this.#keptSince(), MAX_UNREAD)[0]?.unread ?? 0;
	}

	#keptSince(): number {
		return systemClock.now() - KEPT_MS;
	}

	#rows<Row extends Record<string, SqlStorageValue>>(text: string, ...values: (string | number | null)[]): Row[] {
		return [...this.#sql.exec<Row>(text, ...values)];
	}
}

function toEntry({ isRead, ...entry }: EntryRow): InboxEntry {
	return { ...entry, isRead: isRead === 1 };
}
