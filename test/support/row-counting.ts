// Provides a database that records its calls and the rows that each statement writes, as D1 bills them: with one more for each entry of an
// index.
import { openDatabase } from "../../src/db/client.ts";
import type { Database } from "../../src/ports/database.ts";
import { interceptD1 } from "./intercepted-d1.ts";

export interface RowCounter {
	open(): Database;
	/** Returns the counts since the last call, with a line for each call and each statement that wrote. */
	take(): { readonly calls: number; readonly total: number; readonly lines: readonly string[] };
}

export function countRows(): RowCounter {
	let calls = 0;
	let total = 0;
	let lines: string[] = [];
	const database = interceptD1(async (run, texts) => {
		calls += 1;
		lines.push(`call ${texts.map(describe).join(", ")}`);
		const returned = await run();
		const results = Array.isArray(returned) ? returned : [returned];
		for (const [index, { meta }] of results.entries()) {
			if (meta.rows_written === 0) continue;
			total += meta.rows_written;
			lines.push(`${String(meta.rows_written).padStart(3)}  ${describe(texts[index] ?? "")}`);
		}
		return returned;
	});
	return {
		open: () => openDatabase(database, "first-primary"),
		take() {
			const taken = { calls, total, lines };
			[calls, total, lines] = [0, 0, []];
			return taken;
		},
	};
}

function describe(text: string): string {
	const match = /\b(insert(?: or \w+)? into|update|delete from|from)\s+["`]?(\w+)/i.exec(text);
	return `${match?.[1] ?? "?"} ${match?.[2] ?? text.slice(0, 40)}`;
}
