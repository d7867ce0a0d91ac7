import type { SQL } from "drizzle-orm";
import { type DrizzleD1Database, drizzle } from "drizzle-orm/d1";
import { SQLiteAsyncDialect } from "drizzle-orm/sqlite-core";
import type { Database, DatabaseUse, ReadsOf, RowsOf, Statement } from "../ports/database.ts";
import { isReadOnly, retryTransient } from "./transient.ts";

type SessionStart = D1SessionBookmark | D1SessionConstraint;

/**
 * Opens D1 for one request or message.
 *
 * @param start `first-unconstrained` lets the nearest replica respond. `first-primary` reads the newest rows. A bookmark reads rows at
 *   least as new as the bookmark.
 */
export function openDatabase(d1: D1Database, start: SessionStart): Database {
	let session = d1.withSession(start);
	const use: DatabaseUse = { calls: 0, rowsRead: 0, rowsWritten: 0, sizeBytes: 0 };
	const clientOf = (areWritesIdempotent: boolean): MeteredClient => ({
		prepare: (sql) =>
			new MeteredStatement({ prepare: () => session.prepare(sql), sql, isIdempotent: areWritesIdempotent || isReadOnly(sql), use }),
		async batch(statements) {
			use.calls += 1;
			const isIdempotent = areWritesIdempotent || statements.every((statement) => statement.isIdempotent);
			const results = await retryTransient(() => session.batch<Row>(statements.map((statement) => statement.native())), { isIdempotent });
			results.forEach((result, index) => {
				addUse(use, result.meta);
				assertDistinctColumns(statements[index]?.sql ?? "", result.results[0]);
			});
			return results;
		},
	});
	const metered = clientOf(false);
	let query: DrizzleD1Database | null = null;
	return {
		// Drizzle is made on first use, because many requests run only prepared reads.
		get query() {
			query ??= drizzle(asD1Database(metered));
			return query;
		},
		get idempotent() {
			return drizzle(asD1Database(clientOf(true)));
		},
		read: (...reads) => runReads(metered, reads),
		statement: (text) => asStatement(text, metered),
		use,
		committedEvents: [],
		bookmark: () => session.getBookmark(),
		fork: () => openDatabase(d1, "first-primary"),
		refresh: () => {
			session = d1.withSession("first-primary");
		},
	};
}

type Row = Record<string, unknown>;

interface MeteredClient {
	prepare(sql: string): MeteredStatement;
	batch(statements: MeteredStatement[]): Promise<D1Result<Row>[]>;
}

/** Casts a client with `prepare` and `batch` to the whole interface, because drizzle calls only these two. */
function asD1Database(client: MeteredClient): D1Database {
	return client as unknown as D1Database;
}

async function runReads<Rows extends readonly unknown[]>(client: MeteredClient, reads: ReadsOf<Rows>): Promise<RowsOf<Rows>> {
	const results = await client.batch(reads.map(({ sql, parameters }) => client.prepare(sql).bind(...parameters)));
	// D1 returns one result for each read, in their order, which the compiler cannot see.
	return results.map((result, index) => reads[index]?.mapRows(result) ?? []) as RowsOf<Rows>;
}

const dialect = new SQLiteAsyncDialect();

/** Makes a statement of what `batch` asks for, because drizzle's own `run(sql)` loses its parameters in a batch. */
function asStatement(text: SQL, client: MeteredClient): Statement {
	const query = dialect.sqlToQuery(text);
	const prepared = { stmt: client.prepare(query.sql), getQuery: () => query, mapResult: (result: unknown) => result };
	return { _prepare: () => prepared } as unknown as Statement;
}

function addUse(use: DatabaseUse, meta: D1Meta): void {
	use.rowsRead += meta.rows_read;
	use.rowsWritten += meta.rows_written;
	use.sizeBytes = meta.size_after;
}

interface Preparation {
	readonly prepare: () => D1PreparedStatement;
	readonly sql: string;
	/** If true, a second run changes nothing. */
	readonly isIdempotent: boolean;
	readonly use: DatabaseUse;
}

/** Has the methods of a prepared statement that drizzle calls, and counts what they cost. */
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
		return this.#preparation.isIdempotent;
	}

	bind(...parameters: unknown[]): MeteredStatement {
		return new MeteredStatement(this.#preparation, parameters);
	}

	native(): D1PreparedStatement {
		return this.#preparation.prepare().bind(...this.#parameters);
	}

	async all(): Promise<D1Result<Row>> {
		const { use, isIdempotent } = this.#preparation;
		use.calls += 1;
		const result = await retryTransient(() => this.native().all<Row>(), { isIdempotent });
		addUse(use, result.meta);
		assertDistinctColumns(this.sql, result.results[0]);
		return result;
	}

	run(): Promise<D1Result<Row>> {
		return this.all();
	}

	/** Returns rows as arrays. It makes them from objects, because D1's own `raw` reports no cost. */
	async raw(): Promise<unknown[][]> {
		const { results } = await this.all();
		return results.map((row) => Object.values(row));
	}
}

/**
 * Throws if two result columns have one name, because they would collapse into one and silently shift all that follow. Joins must
 * alias equal names.
 */
function assertDistinctColumns(sql: string, row: Row | undefined): void {
	if (row === undefined) return;
	const selected = countSelectedColumns(sql);
	if (selected !== null && selected !== Object.keys(row).length) {
		throw new Error(`Equal column names in one result; alias them: ${sql}`);
	}
}

const countedColumns = new Map<string, number | null>();

function countSelectedColumns(sql: string): number | null {
	const known = countedColumns.get(sql);
	if (known !== undefined) return known;
	const count = parseSelectedColumns(sql);
	countedColumns.set(sql, count);
	return count;
}

/** Counts the columns of a plain `select a, b from …` as drizzle writes it. Returns null for every other statement. */
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
