import type { SQL } from "drizzle-orm";
import { type DrizzleD1Database, drizzle } from "drizzle-orm/d1";
import { SQLiteAsyncDialect } from "drizzle-orm/sqlite-core";
import type { Load } from "../platform/load.ts";
import type { Database, DatabaseUse, ReadsOf, RowsOf, Statement } from "../ports/database.ts";
import { isReadOnly, readTransience, retryTransient } from "./transient.ts";

/**
 * Opens D1 for a single request or message.
 *
 * @param start `first-unconstrained` reads from the nearest replica, and `first-primary` from the primary database. With a bookmark, rows
 * are at least as new as the bookmark.
 * @param shedding Null for callers whose reads are as urgent as writes.
 */
export function openDatabase(d1: D1Database, start: D1SessionBookmark | D1SessionConstraint, shedding: Shedding | null = null): Database {
	let session = d1.withSession(start);
	const use: DatabaseUse = { calls: 0, rowsRead: 0, rowsWritten: 0, sizeBytes: 0, hasAskedReplica: false };
	const run = <T>(call: () => Promise<T>, repetition: Repetition) =>
		runWhileNotOverloaded(shedding, () => retryTransient(call, repetition), repetition);
	const clientOf = (areWritesIdempotent: boolean): MeteredClient => ({
		prepare: (sql) => new MeteredStatement({ prepare: () => session.prepare(sql), sql, areWritesIdempotent, use, run }),
		async batch(statements) {
			use.calls += 1;
			const repetition = {
				isIdempotent: areWritesIdempotent || statements.every((statement) => statement.isIdempotent),
				isReadOnly: statements.every(({ sql }) => isReadOnly(sql)),
			};
			const results = await run(() => session.batch<ResultRow>(statements.map((statement) => statement.native())), repetition);
			results.forEach((result, index) => {
				countUse(use, result.meta);
				assertDistinctColumns(statements[index]?.sql ?? "", result.results[0]);
			});
			return results;
		},
	});
	const metered = clientOf(false);
	let query: DrizzleD1Database | null = null;
	let idempotent: DrizzleD1Database | null = null;
	return {
		// The client is created when it is first used, because many requests run only prepared reads.
		get query() {
			query ??= drizzle(asD1Database(metered));
			return query;
		},
		get idempotent() {
			idempotent ??= drizzle(asD1Database(clientOf(true)));
			return idempotent;
		},
		read: (...reads) => runReads(metered, reads),
		statement: (text) => asStatement(text, metered),
		use,
		committedEvents: [],
		bookmark: () => session.getBookmark(),
		at: (bookmark) => openDatabase(d1, bookmark, shedding),
		fork: () => openDatabase(d1, "first-primary", shedding),
		refresh: () => {
			session = d1.withSession("first-primary");
		},
	};
}

type ResultRow = Record<string, unknown>;

interface Repetition {
	readonly isIdempotent: boolean;
	readonly isReadOnly: boolean;
}

/** While the database is overloaded, a request with `isReader` sends it no reads, so that writes get through. */
export interface Shedding {
	readonly load: Load;
	/** The name under which {@link Load} knows the database. */
	readonly name: string;
	readonly isReader: boolean;
}

/** Fails a read at once if the database was overloaded a moment ago, to keep its capacity for writes. */
async function runWhileNotOverloaded<T>(shedding: Shedding | null, run: () => Promise<T>, { isReadOnly }: Repetition): Promise<T> {
	if (shedding?.isReader === true && isReadOnly && shedding.load.isOverloaded(shedding.name)) {
		throw new Error("D1 DB is overloaded, so reads are not sent to it.");
	}
	try {
		return await run();
	} catch (error) {
		if (readTransience(error) === "overloaded") shedding?.load.noteOverload(shedding.name);
		throw error;
	}
}

interface MeteredClient {
	prepare(sql: string): MeteredStatement;
	batch(statements: MeteredStatement[]): Promise<D1Result<ResultRow>[]>;
}

/** Casts a client that has only `prepare` and `batch` to the full interface. Drizzle calls only these two methods. */
function asD1Database(client: MeteredClient): D1Database {
	return client as unknown as D1Database;
}

async function runReads<Rows extends readonly unknown[]>(client: MeteredClient, reads: ReadsOf<Rows>): Promise<RowsOf<Rows>> {
	const results = await client.batch(reads.map(({ sql, parameters }) => client.prepare(sql).bind(...parameters)));
	// The compiler cannot know that D1 returns one result per read, in the order of the reads.
	return results.map((result, index) => reads[index]?.mapRows(result) ?? []) as RowsOf<Rows>;
}

const dialect = new SQLiteAsyncDialect();

/** Turns SQL into a statement for `batch`, because drizzle's own `run(sql)` loses its parameters in a batch. */
function asStatement(text: SQL, client: MeteredClient): Statement {
	const query = dialect.sqlToQuery(text);
	const prepared = { stmt: client.prepare(query.sql), getQuery: () => query, mapResult: (result: unknown) => result };
	return { _prepare: () => prepared } as unknown as Statement;
}

function countUse(use: DatabaseUse, meta: D1Meta): void {
	use.rowsRead += meta.rows_read;
	use.rowsWritten += meta.rows_written;
	use.sizeBytes = meta.size_after;
	use.hasAskedReplica ||= meta.served_by_primary === false;
}

interface Preparation {
	readonly prepare: () => D1PreparedStatement;
	readonly sql: string;
	/** True if the caller promises that a write that runs twice has the same effect as one that runs once. */
	readonly areWritesIdempotent: boolean;
	readonly use: DatabaseUse;
	run<T>(call: () => Promise<T>, repetition: Repetition): Promise<T>;
}

/** A prepared statement that counts what it costs. It has only the methods that drizzle calls. */
class MeteredStatement {
	readonly #preparation: Preparation;
	readonly #parameters: readonly unknown[];

	constructor(preparation: Preparation, parameters: readonly unknown[] = []) {
		this.#preparation = preparation;
		this.#parameters = parameters;
	}

	get sql(): string {
		return this.#preparation.sql;
	}

	get isIdempotent(): boolean {
		const { areWritesIdempotent, sql } = this.#preparation;
		return areWritesIdempotent || isReadOnly(sql);
	}

	bind(...parameters: unknown[]): MeteredStatement {
		return new MeteredStatement(this.#preparation, parameters);
	}

	native(): D1PreparedStatement {
		return this.#preparation.prepare().bind(...this.#parameters);
	}

	async all(): Promise<D1Result<ResultRow>> {
		const { use, run } = this.#preparation;
		use.calls += 1;
		const repetition = { isIdempotent: this.isIdempotent, isReadOnly: isReadOnly(this.sql) };
		const result = await run(() => this.native().all<ResultRow>(), repetition);
		countUse(use, result.meta);
		assertDistinctColumns(this.sql, result.results[0]);
		return result;
	}

	run(): Promise<D1Result<ResultRow>> {
		return this.all();
	}

	/** Returns rows as arrays. They are built from objects, because D1's own `raw` does not report what the query cost. */
	async raw(): Promise<unknown[][]> {
		const { results } = await this.all();
		return results.map((row) => Object.values(row));
	}
}

/**
 * Throws if two columns of a result have the same name, because D1 would merge them and silently shift all columns after them. Joins must
 * give such columns aliases.
 */
function assertDistinctColumns(sql: string, row: ResultRow | undefined): void {
	if (row === undefined) return;
	const selected = countSelectedColumns(sql);
	if (selected !== null && selected !== Object.keys(row).length) {
		throw new Error(`Duplicate column names in one result. Give each an alias: ${sql}`);
	}
}

const countedColumns = new Map<string, number | null>();

function countSelectedColumns(sql: string): number | null {
	const cachedCount = countedColumns.get(sql);
	if (cachedCount !== undefined) return cachedCount;
	const count = parseSelectedColumns(sql);
	countedColumns.set(sql, count);
	return count;
}

/** Counts the columns of a plain `select a, b from …`, as drizzle writes it. Returns null for all other statements. */
function parseSelectedColumns(sql: string): number | null {
	if (!/^select (?!\*)/i.test(sql)) return null;
	let depth = 0;
	let columns = 1;
	for (let index = 7; index < sql.length; index += 1) {
		const character = sql[index];
		if (character === "(") depth += 1;
		else if (character === ")") depth -= 1;
		else if (depth === 0 && character === ",") columns += 1;
		else if (depth === 0 && sql.startsWith(" from ", index)) return columns;
	}
	return null;
}
