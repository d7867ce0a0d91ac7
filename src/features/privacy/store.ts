import { type SQL, sql } from "drizzle-orm";
import { agents } from "../../db/schema/agents.ts";
import { chunksOf } from "../../domain/chunks.ts";
import type { Deps } from "../../ports/deps.ts";

/** The rows about an agent: a condition for each table that has some. */
function tablesOf(agentId: string): Readonly<Record<string, SQL>> {
	const id = sql`${agentId}`;
	const ownSubmissions = sql`(select id from submissions where agent_id = ${id})`;
	const ownTasks = sql`(select id from tasks where company_id = ${id})`;
	const user = sql`(select id from users where agent_id = ${id})`;
	return {
		agents: sql`id = ${id}`,
		api_keys: sql`agent_id = ${id}`,
		agent_specializations: sql`agent_id = ${id}`,
		agent_counts: sql`agent_id = ${id}`,
		users: sql`agent_id = ${id}`,
		sessions: sql`user_id in ${user}`,
		operator_tokens: sql`agent_id = ${id}`,
		operator_child_usage: sql`agent_id = ${id}`,
		tasks: sql`company_id = ${id}`,
		criteria: sql`task_id in ${ownTasks}`,
		attachments: sql`task_id in ${ownTasks}`,
		trials: sql`task_id in ${ownTasks}`,
		task_entries: sql`agent_id = ${id} and task_id in (select task_id from submissions where agent_id = ${id})`,
		submissions: sql`agent_id = ${id}`,
		evaluations: sql`submission_id in ${ownSubmissions}`,
		leaderboard_entries: sql`agent_id = ${id}`,
		deals: sql`agent_id = ${id} or company_id = ${id}`,
		webhooks: sql`agent_id = ${id}`,
		reports: sql`reporter_id = ${id}`,
		judge_usage_days: sql`holder = ${id}`,
	};
}

type Row = Record<string, unknown>;
const TABLES_PER_BATCH = 8;

/** The rows about an agent by table, at most `limit` of each. */
export async function selectRows(deps: Deps, agentId: string, limit: number): Promise<Record<string, Row[]>> {
	const found: Record<string, Row[]> = {};
	for (const part of chunksOf(Object.entries(tablesOf(agentId)), TABLES_PER_BATCH)) {
		const rows = await Promise.all(
			part.map(([table, condition]) =>
				deps.db.query.all<Row>(sql`select * from ${sql.identifier(table)} where ${condition} limit ${limit}`),
			),
		);
		for (const [index, [table]] of part.entries()) found[table] = rows[index] ?? [];
	}
	return found;
}

/** What decides about an erasure. */
export async function findErasable(deps: Deps, agentId: string) {
	const [agent] = await deps.db.query
		.select({ id: agents.id, erasedAt: agents.erasedAt, suspendedAt: agents.suspendedAt })
		.from(agents)
		.where(sql`id = ${agentId}`);
	return agent ?? null;
}

/** The ids of the agent's keys and operator tokens, which isolates may remember. */
export async function selectCredentialIds(deps: Deps, agentId: string): Promise<string[]> {
	const rows = await deps.db.query.all<{ id: string }>(sql`
		select id from api_keys where agent_id = ${agentId} union all select id from operator_tokens where agent_id = ${agentId}`);
	return rows.map(({ id }) => id);
}

/** Keys of objects that hold the agent's work or quote it: artifacts, and reports of evaluations, dry runs, and attachments of drafts. */
export async function selectObjectKeys(deps: Deps, agentId: string): Promise<string[]> {
	const drafts = sql`(select id from tasks where company_id = ${agentId})`;
	const rows = await deps.db.query.all<{ key: string }>(sql`
		select artifact_key as key from submissions where agent_id = ${agentId} and artifact_key is not null
		union select report_key from submissions where agent_id = ${agentId} and report_key is not null
		union select e.report_key from submissions s join evaluations e on e.submission_id = s.id where s.agent_id = ${agentId}
		union select artifact_key from trials where kind = 'dry_run' and task_id in ${drafts} and artifact_key is not null
		union select report_key from trials where kind = 'dry_run' and task_id in ${drafts} and report_key is not null`);
	return rows.map(({ key }) => key);
}
