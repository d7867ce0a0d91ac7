import { and, asc, eq, type SQL, sql } from "drizzle-orm";
import { fleetOf } from "../../db/parties.ts";
import { tasks } from "../../db/schema/tasks.ts";
import { listedTaskColumns } from "../../db/task-reads.ts";
import type { Deps } from "../../ports/deps.ts";
import { type IndexedTask, MAX_SPEC_CHARACTERS } from "../search-index/rules.ts";

const isPublished = sql`${tasks.status} <> 'draft'`;

/** Those of the tasks that everyone may see. */
export async function selectFoundTasks(deps: Deps, ids: readonly string[]) {
	return deps.db.query
		.select(listedTaskColumns)
		.from(tasks)
		.where(and(sql`${tasks.id} in (select value from json_each(${JSON.stringify(ids)}))`, isPublished, eq(tasks.hidden, false)));
}

/** One character more than the index takes, so that it knows a spec to be longer. */
const beginOf = (spec: SQL.Aliased | typeof tasks.inputSpec | typeof tasks.outputSpec) =>
	sql<string | null>`substr(${spec}, 1, ${MAX_SPEC_CHARACTERS + 1})`;

const indexedColumns = {
	id: tasks.id,
	revision: tasks.revision,
	status: tasks.status,
	hidden: tasks.hidden,
	title: tasks.title,
	description: tasks.description,
	category: tasks.category,
	inputSpec: beginOf(tasks.inputSpec).as("input_begin"),
	outputSpec: beginOf(tasks.outputSpec).as("output_begin"),
};

/** Null for a draft or an unknown task. */
export async function findPublished(deps: Deps, taskId: string): Promise<IndexedTask | null> {
	const [task] = await deps.db.query
		.select(indexedColumns)
		.from(tasks)
		.where(and(eq(tasks.id, taskId), isPublished));
	return task ?? null;
}

/** The published tasks of an agent, and of the agents that its operator tokens made, after one of them. */
export async function selectPublishedBy(deps: Deps, agentId: string, { after, limit }: { after: string; limit: number }) {
	const isOwn = sql`${tasks.companyId} in ${fleetOf(agentId)} and ${tasks.id} > ${after}`;
	return deps.db.query.select(indexedColumns).from(tasks).where(and(isOwn, isPublished)).orderBy(asc(tasks.id)).limit(limit);
}

/** The tasks that the index has, in the order of their publication. */
export async function selectSearchable(
	deps: Deps,
	{ after, limit }: { readonly after: { readonly publishedAt: number; readonly id: string }; readonly limit: number },
) {
	// Seeded tasks have no time.
	const publishedAt = sql<number>`coalesce(${tasks.publishedAt}, 0)`;
	return deps.db.query
		.select({ ...indexedColumns, publishedAt: publishedAt.as("published") })
		.from(tasks)
		.where(and(isPublished, eq(tasks.hidden, false), sql`(${publishedAt}, ${tasks.id}) > (${after.publishedAt}, ${after.id})`))
		.orderBy(publishedAt, asc(tasks.id))
		.limit(limit);
}
