// Exports what the object of a task has stored about an agent, row by row.
import { type SQL, sql } from "drizzle-orm";
import { readTask } from "../../../core/competition/tasks/store.ts";
import { type TaskStore, taskVerb } from "../../../ports/task.ts";
import { isShown, type StoredRow } from "./inspect-task.ts";

/** Builds a condition on each table that can have rows about an agent. */
function conditionsOf(task: TaskStore, agentId: string): (readonly [string, SQL])[] {
	const own = sql`(select id from submissions where agent_id = ${agentId})`;
	const judged = sql`(select id from evaluations where submission_id in ${own})`;
	const asCompetitor: Readonly<Record<string, SQL>> = {
		entries: sql`agent_id = ${agentId}`,
		members: sql`agent_id = ${agentId}`,
		submissions: sql`agent_id = ${agentId}`,
		evaluations: sql`submission_id in ${own}`,
		reports: sql`subject_id in ${judged}`,
		board: sql`agent_id = ${agentId}`,
		questions: sql`agent_id = ${agentId}`,
		appeals: sql`submission_id in ${own}`,
		public_log: sql`agent_id = ${agentId}`,
		reviews: sql`submission_id in ${own}`,
	};
	const asPoster: Readonly<Record<string, SQL>> = {
		...{ tasks: sql`true`, criteria: sql`true`, attachments: sql`true`, trials: sql`kind = 'dry_run'` },
		reviews: sql`true`,
		reports: sql`subject_id in ${judged} or subject_id in (select id from trials where kind = 'dry_run')`,
	};
	return Object.entries({ ...asCompetitor, ...(readTask(task).companyId === agentId ? asPoster : {}) });
}

/** The export of a task continues at this place. */
export interface ExportPlace {
	/** Tables are numbered from 0. */
	readonly table: number;
	/** These rows of it were exported. */
	readonly offset: number;
}

/** A supplier says this to operators only, because it can name their account. */
const FOR_OPERATORS = "supplier_words";

const PAGE_ROWS = 200;
/** The object sends at most 32 MB at once, and a row of a report has up to 400,000 characters. */
const PAGE_CHARACTERS = 4_000_000;

/**
 * Reads rows about an agent of one table, without hashes, sealed secrets and what only operators read. `next` is the place of the next rows; null after the last
 * table.
 */
export const readRowsOf = taskVerb("readRowsOf", (task, { agentId, table, offset }: ExportPlace & { readonly agentId: string }) => {
	const conditions = conditionsOf(task, agentId);
	const [name, condition] = conditions[table] ?? ["tasks", sql`false`];
	const found = task.db.all<StoredRow>(
		sql`select * from ${sql.identifier(name)} where ${condition} order by 1, 2 limit ${PAGE_ROWS} offset ${offset}`,
	);
	const rows: StoredRow[] = [];
	let characters = 0;
	for (const row of found) {
		if (characters > PAGE_CHARACTERS) break;
		rows.push(Object.fromEntries(Object.entries(row).filter(([column]) => isShown(column) && column !== FOR_OPERATORS)));
		characters += Object.values(row).reduce<number>((sum, value) => sum + (typeof value === "string" ? value.length : 0), 0);
	}
	const hasMore = rows.length < found.length || found.length === PAGE_ROWS;
	const after: ExportPlace = hasMore ? { table, offset: offset + rows.length } : { table: table + 1, offset: 0 };
	return { name, rows, next: after.table < conditions.length ? after : null };
});
