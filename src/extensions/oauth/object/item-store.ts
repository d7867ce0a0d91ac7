// The object of a holder replaces the Workers KV that the library expects, because reads from an object see every earlier write.
import type { KeyPage, KeyValueStore, PutOptions } from "../library.ts";
import { REFRESH_TOKEN_TTL_SECONDS } from "../rules.ts";

const SECOND_MS = 1_000;
/** The prefix of grants whose end has not been reported to the directory yet. */
const ENDED = "ended:";
/** The prefix of refresh tokens that are no longer valid: their successor has been used, or they were replaced before they were used. */
const SPENT = "spent:";
/** Rows without an expiry live as long as a refresh token. */
const DEFAULT_TTL_MS = REFRESH_TOKEN_TTL_SECONDS * SECOND_MS;

interface StoredGrant {
	readonly refreshTokenId?: string | undefined;
	readonly previousRefreshTokenId?: string | undefined;
}

/** A key-value store in the object's SQLite. */
export class ItemStore {
	readonly #sql: SqlStorage;
	/** Returns milliseconds since the epoch. */
	readonly now: () => number;

	constructor(sql: SqlStorage, now: () => number) {
		this.#sql = sql;
		this.now = now;
	}

	/** The table is created on the first write, because a made-up code also leads to an object. */
	#hasTable = false;

	#isEmpty(): boolean {
		this.#hasTable ||= this.#sql.exec("select 1 from sqlite_master where name = 'items'").toArray().length > 0;
		return !this.#hasTable;
	}

	read<Value>(key: string): Value | null {
		if (this.#isEmpty()) return null;
		const [row] = this.#sql.exec<{ value: string }>("select value from items where key = ? and expires_at > ?", key, this.now()).toArray();
		return row === undefined ? null : parseOwn<Value>(row.value);
	}

	/** @param expiresAt Milliseconds since the epoch. By default, the item lives as long as a refresh token. */
	write(
		key: string,
		value: unknown,
		{ expiresAt = this.now() + DEFAULT_TTL_MS, metadata = null }: { readonly expiresAt?: number; readonly metadata?: unknown } = {},
	): void {
		if (this.#isEmpty()) {
			this.#sql.exec("create table items (key text primary key, value text not null, metadata text, expires_at integer not null)");
		}
		this.#sql.exec(
			"insert or replace into items (key, value, metadata, expires_at) values (?, ?, ?, ?)",
			...[key, JSON.stringify(value), metadata === null ? null : JSON.stringify(metadata), expiresAt],
		);
	}

	remove(key: string): void {
		if (this.#isEmpty()) return;
		this.#sql.exec("delete from items where key = ?", key);
	}

	list(prefix: string): { name: string; metadata?: unknown }[] {
		if (this.#isEmpty()) return [];
		const rows = this.#sql.exec<{ key: string; metadata: string | null }>(
			"select key, metadata from items where substr(key, 1, ?) = ? and expires_at > ? order by key",
			...[prefix.length, prefix, this.now()],
		);
		return rows.toArray().map(({ key, metadata }) => (metadata === null ? { name: key } : { name: key, metadata: JSON.parse(metadata) }));
	}

	/** Deletes what has expired. Returns when the next row expires, or null if none is left. */
	forget(): number | null {
		if (this.#isEmpty()) return null;
		this.#sql.exec("delete from items where expires_at <= ?", this.now());
		return this.#sql.exec<{ next: number | null }>("select min(expires_at) as next from items").one().next;
	}

	/** Records that a grant has ended, until the directory knows. */
	noteEnd(key: string): void {
		this.write(ENDED + key, true);
	}

	listEnds(): string[] {
		return this.list(ENDED).map(({ name }) => name.slice(ENDED.length));
	}

	forgetEnd(key: string): void {
		this.remove(ENDED + key);
	}

	/**
	 * Returns true if a refresh token is no longer valid. If it is presented, it was stolen: either by this caller, or by the caller with the
	 * newer token.
	 */
	isSpent(tokenHash: string): boolean {
		return this.read(SPENT + tokenHash) !== null;
	}

	noteSpent(tokenHash: string): void {
		this.write(SPENT + tokenHash, true);
	}
}

/** Parses a stored value and casts it to its type. This is safe, because this class has written it. */
function parseOwn<Value>(text: string): Value {
	return JSON.parse(text) as Value;
}

/** An access token that the library has issued. The directory needs it, because requests look it up there. */
export interface IssuedToken {
	/** The SHA-256 in hex. */
	readonly hash: string;
	readonly words: readonly string[];
}

/** Gives the library access to an object's items, and records what the directory must know. */
export class LibraryStore implements KeyValueStore {
	readonly #items: ItemStore;
	readonly #client: { readonly clientId: string } | null;
	readonly issued: IssuedToken[] = [];
	/** The SHA-256 of access tokens that the library has revoked. */
	readonly revoked: string[] = [];

	constructor(items: ItemStore, client: { readonly clientId: string } | null) {
		this.#items = items;
		this.#client = client;
	}

	async get(key: string): Promise<unknown> {
		if (key.startsWith("client:")) return this.#client !== null && key === `client:${this.#client.clientId}` ? this.#client : null;
		return this.#items.read(key);
	}

	async put(key: string, value: string, { expiration, expirationTtl, metadata = null }: PutOptions = {}): Promise<void> {
		const parsed = JSON.parse(value);
		if (key.startsWith("token:")) this.issued.push({ hash: key.slice(key.lastIndexOf(":") + 1), words: parsed.scope });
		if (key.startsWith("grant:")) this.#noteSpent(key, parsed);
		const expiresAt = expirationTtl === undefined ? undefined : this.#items.now() + expirationTtl * SECOND_MS;
		const end = expiration === undefined ? expiresAt : expiration * SECOND_MS;
		this.#items.write(key, parsed, end === undefined ? { metadata } : { expiresAt: end, metadata });
	}

	/**
	 * Records refresh tokens that are no longer valid. The library accepts the previous token until the current one is used. If the previous
	 * token is used again, after a lost response or by a thief, the library drops the current one.
	 */
	#noteSpent(key: string, next: StoredGrant): void {
		const storedGrant = this.#items.read<StoredGrant>(key);
		const validTokenIds = [next.refreshTokenId, next.previousRefreshTokenId];
		for (const before of [storedGrant?.refreshTokenId, storedGrant?.previousRefreshTokenId]) {
			if (before !== undefined && !validTokenIds.includes(before)) this.#items.noteSpent(before);
		}
	}

	async delete(key: string): Promise<void> {
		this.#items.remove(key);
		if (key.startsWith("token:")) this.revoked.push(key.slice(key.lastIndexOf(":") + 1));
		if (key.startsWith("grant:")) this.#items.noteEnd(key.slice("grant:".length));
	}

	async list({ prefix }: { readonly prefix: string }): Promise<KeyPage> {
		return { keys: this.#items.list(prefix), list_complete: true };
	}
}
