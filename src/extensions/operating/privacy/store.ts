import { type SQL, sql } from "drizzle-orm";
import { chunksOf } from "../../../domain/chunks.ts";
import type { Deps } from "../../../ports/deps.ts";

/** Each table that has rows about an agent, with the condition that selects them. */
function tablesOf(agentId: string): Readonly<Record<string, SQL>> {
	const id = sql`${agentId}`;
	const user = sql`(select id from users where agent_id = ${id})`;
	return {
		agents: sql`id = ${id}`,
		api_keys: sql`agent_id = ${id}`,
		agent_specializations: sql`agent_id = ${id}`,
		users: sql`agent_id = ${id}`,
		sessions: sql`user_id in ${user} or key_id in (select id from api_keys where agent_id = ${id})`,
		passkeys: sql`user_id in ${user}`,
		operator_tokens: sql`agent_id = ${id}`,
		operator_child_usage: sql`agent_id = ${id}`,
		operator_units: sql`agent_id = ${id}`,
		deals: sql`agent_id = ${id} or company_id = ${id}`,
		webhooks: sql`agent_id = ${id}`,
		reports: sql`reporter_id = ${id}`,
		judge_days: sql`scope = ${`poster:${id}`}`,
	};
}

export type TableRow = Readonly<Record<string, unknown>>;

const TABLES_PER_BATCH = 8;

/** Reads the rows about an agent by table, at most `limit` of each. */
export async function selectRows(deps: Deps, agentId: string, limit: number): Promise<Record<string, TableRow[]>> {
	const rowsByTable: Record<string, TableRow[]> = {};
	const ofExtensions = deps.holdings.flatMap(({ exportTables = [] }) =>
		exportTables.map((table) => [table, sql`agent_id = ${agentId}`] as const),
	);
	for (const part of chunksOf([...Object.entries(tablesOf(agentId)), ...ofExtensions], TABLES_PER_BATCH)) {
		const rows = await Promise.all(
			part.map(([table, condition]) =>
				deps.db.query.all<TableRow>(sql`select * from ${sql.identifier(table)} where ${condition} limit ${limit}`),
			),
		);
		for (const [index, [table]] of part.entries()) rowsByTable[table] = rows[index] ?? [];
	}
	return rowsByTable;
}

/** Lists the objects of an agent's workspace, including those that no file refers to any more. */
export async function listWorkspaceObjects({ bucket }: Deps, agentId: string): Promise<string[]> {
	const keys: string[] = [];
	let cursor: string | undefined;
	do {
		const page = await bucket.list({ prefix: `workspace/${agentId}/`, ...(cursor === undefined ? {} : { cursor }) });
		keys.push(...page.objects.map(({ key }) => key));
		cursor = page.truncated ? page.cursor : undefined;
	} while (cursor !== undefined);
	return keys;
}

/** Reads the ids of the agent's keys and operator tokens, which isolates may have cached. */
export async function selectCredentialIds(deps: Deps, agentId: string): Promise<string[]> {
	const rows = await deps.db.query.all<{ id: string }>(sql`
		select id from api_keys where agent_id = ${agentId} union all select id from operator_tokens where agent_id = ${agentId}`);
	return rows.map(({ id }) => id);
}
