// A database that notes how many rows each statement writes: D1 bills them, with one more for each entry of an index.
import { env } from "cloudflare:workers";
import { openDatabase } from "../../src/db/client.ts";
import type { Database } from "../../src/ports/database.ts";

export interface WrittenRows {
	/** Such as `insert submissions`. Rows that triggers write count for the statement that fires them. */
	readonly statement: string;
	readonly rows: number;
}

export interface RowCounter {
	readonly written: WrittenRows[];
	open(): Database;
	/** The sum since the last call, with a line for each statement that wrote. */
	take(): { readonly total: number; readonly lines: readonly string[] };
}

export function countRows(): RowCounter {
	const written: WrittenRows[] = [];
	const note = (text: string, { meta }: D1Result) => {
		if (meta.rows_written > 0) written.push({ statement: describe(text), rows: meta.rows_written });
	};
	const texts = new WeakMap<D1PreparedStatement, string>();
	const watch = (text: string, statement: D1PreparedStatement): D1PreparedStatement => {
		texts.set(statement, text);
		const [all, bind] = [statement.all.bind(statement), statement.bind.bind(statement)];
		return Object.assign(statement, {
			async all() {
				const result = await all();
				note(text, result);
				return result;
			},
			bind: (...values: unknown[]) => watch(text, bind(...values)),
		});
	};
	const withSession: D1Database["withSession"] = (start) => {
		const session = env.DB.withSession(start);
		const batch = async (statements: D1PreparedStatement[]) => {
			const results = await session.batch(statements);
			results.forEach((result, index) => {
				const statement = statements[index];
				note((statement && texts.get(statement)) ?? "", result);
			});
			return results;
		};
		return Object.assign(Object.create(session), {
			batch,
			prepare: (text: string) => watch(text, session.prepare(text)),
			getBookmark: () => session.getBookmark(),
		});
	};
	const database: D1Database = Object.assign(Object.create(env.DB), { withSession });
	return {
		written,
		open: () => openDatabase(database, "first-primary"),
		take() {
			const taken = written.splice(0);
			const lines = taken.map(({ statement, rows }) => `${String(rows).padStart(3)}  ${statement}`);
			return { total: taken.reduce((sum, { rows }) => sum + rows, 0), lines };
		},
	};
}

function describe(text: string): string {
	const match = /\b(insert(?: or \w+)? into|update|delete from)\s+["`]?(\w+)/i.exec(text);
	return `${match?.[1] ?? "?"} ${match?.[2] ?? text.slice(0, 40)}`;
}
