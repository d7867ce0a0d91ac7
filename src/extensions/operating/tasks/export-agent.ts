// Exports what the object of a task has stored about an agent, row by row.
import { type SQL, sql } from "drizzle-orm";
import { type TaskStore, taskVerb } from "../../../ports/task.ts";
import { heldAgent } from "./held-agent.ts";
import { isShown, type StoredRow } from "./inspect-task.ts";

/** Lists each table that can have rows about an agent, with the condition that selects them. Two holdings can share a table. */
function conditionsOf(task: TaskStore, agentId: string): (readonly [string, SQL])[] {
	const agent = heldAgent(task, agentId);
	return task.parts.holdings.flatMap((holding) => Object.entries(holding.export?.(agent) ?? {}));
}

export interface ExportPlace {
	/** Tables are numbered from 0. */
	readonly table: number;
	/** The number of rows of that table that were exported. */
	readonly offset: number;
}

/** A column that is not exported. A supplier's message is only for operators, because it can name their account. */
const FOR_OPERATORS = "supplier_words";

const PAGE_ROWS = 200;
/** The object sends at most 32 MB per response, and a row of a report has up to 400,000 characters. */
const PAGE_CHARACTERS = 4_000_000;

/**
 * Reads rows about an agent from one table, without hashes, sealed secrets and what only operators may read.
 * `next` is the position of the next rows; null after the last table.
 */
export const readRowsOf = taskVerb("readRowsOf", (task, { agentId, table, offset }: ExportPlace & { readonly agentId: string }) => {
	const conditions = conditionsOf(task, agentId);
	const [name, condition] = conditions[table] ?? ["tasks", sql`false`];
	const page = task.db.all<StoredRow>(
		sql`select * from ${sql.identifier(name)} where ${condition} order by 1, 2 limit ${PAGE_ROWS} offset ${offset}`,
	);
	const rows: StoredRow[] = [];
	let characters = 0;
	for (const row of page) {
		if (characters > PAGE_CHARACTERS) break;
		rows.push(Object.fromEntries(Object.entries(row).filter(([column]) => isShown(column) && column !== FOR_OPERATORS)));
		characters += Object.values(row).reduce<number>((sum, value) => sum + (typeof value === "string" ? value.length : 0), 0);
	}
	const hasMore = rows.length < page.length || page.length === PAGE_ROWS;
	const after: ExportPlace = hasMore ? { table, offset: offset + rows.length } : { table: table + 1, offset: 0 };
	return { name, rows, next: after.table < conditions.length ? after : null };
});
