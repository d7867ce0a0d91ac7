// Reads that drizzle builds only once per isolate, because building a read costs more than everything else on a hot route.
import { fillPlaceholders } from "drizzle-orm";
import { type DrizzleD1Database, drizzle } from "drizzle-orm/d1";
import type { BoundRead } from "../ports/database.ts";

type QueryValues = Readonly<Record<string, string | number>>;

/** The query that drizzle hands to a client. */
interface BuiltQuery {
	getQuery(): { readonly sql: string; readonly params: unknown[] };
	mapResult(result: unknown, isFromBatch: boolean): unknown;
}

/**
 * Prepares a read whose SQL is always the same.
 *
 * @param build Called once. Use `sql.placeholder(name)` for values that differ between requests.
 * @returns A function that gives the placeholders their values.
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

/** Calls a method of drizzle's queries that is meant for drizzle's own batches and hidden by its types. */
export function builtOf(query: object): BuiltQuery {
	return (query as unknown as { _prepare(): BuiltQuery })._prepare();
}

/** Casts rows to the type that the query builder inferred from the columns. */
function rowsOf<Row>(mapped: unknown): Row[] {
	return mapped as Row[];
}
