// A database that notes how many rows each statement writes: D1 bills them, with one more for each entry of an index.
import { openDatabase } from "../../src/db/client.ts";
import type { Database } from "../../src/ports/database.ts";
import { interceptD1 } from "./intercepted-d1.ts";

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
	const database = interceptD1(async (run, texts) => {
		const returned = await run();
		const results = Array.isArray(returned) ? returned : [returned];
		for (const [index, result] of results.entries()) note(texts[index] ?? "", result);
		return returned;
	});
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
