// Drizzle builds these reads only once per isolate, because on a busy route, building a read takes longer than everything else.
import { fillPlaceholders } from "drizzle-orm";
import { type DrizzleD1Database, drizzle } from "drizzle-orm/d1";
import type { BoundRead } from "../ports/database.ts";

type QueryValues = Readonly<Record<string, string | number>>;

/** A query as drizzle passes it to a client. */
interface BuiltQuery {
	getQuery(): { readonly sql: string; readonly params: unknown[] };
	mapResult(result: unknown, isFromBatch: boolean): unknown;
}

/**
 * Prepares a read whose SQL is always the same.
 *
 * @param build Called once. Use `sql.placeholder(name)` for values that differ between requests.
 * @returns A function that takes the values of the placeholders and returns the read.
 */
export function prepareRead<Row>(build: (query: DrizzleD1Database) => PromiseLike<Row[]>): (values: QueryValues) => BoundRead<Row> {
	let built: BuiltQuery | null = null;
	return (values) => {
		built ??= builtOf(build(builder));
		const query = built;
		const { sql, params } = query.getQuery();
		return { sql, parameters: fillPlaceholders(params, values), mapRows: (result) => rowsOf<Row>(query.mapResult(result, true)) };
	};
}

const builder = drizzle(clientThatNeverAsks());

/** Creates a client that runs nothing. While drizzle builds a query, it calls `prepare`, but no method of the result. */
function clientThatNeverAsks(): D1Database {
	return { prepare: () => ({}) } as unknown as D1Database;
}

/** Calls `_prepare`, which drizzle has for its own batches, and which its types hide. */
export function builtOf(query: object): BuiltQuery {
	return (query as unknown as { _prepare(): BuiltQuery })._prepare();
}

/** Casts rows to the type that the query builder inferred from the columns. */
function rowsOf<Row>(mapped: unknown): Row[] {
	return mapped as Row[];
}
