// Lists the content of D1 and R2, for tests that nothing is left there.
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";

/**
 * Returns every row of every table, and every key in the bucket. Equal snapshots mean that nothing has changed. Omits the outbox, from
 * which earlier events are deleted at any time, and the topics of open streams.
 */
export async function snapshotStorage(): Promise<Readonly<Record<string, unknown>>> {
	const names = await tableNames();
	const results = await env.DB.batch<Readonly<Record<string, unknown>>>(names.map((name) => env.DB.prepare(`select * from "${name}"`)));
	const rows = names.map((name, index) => [name, (results[index]?.results ?? []).map(withoutBookkeeping)] as const);
	return { ...Object.fromEntries(rows), objects: await snapshotTasks(), bucket: await listBucket() };
}

/** Returns every row of the object of every task, without its outbox. */
async function snapshotTasks(): Promise<unknown[]> {
	const ids = await queryAll<{ id: string }>("select id from task_cards order by id");
	return Promise.all(
		ids.map(({ id }) =>
			runInDurableObject(env.TASK.getByName(id), (_, { storage: { sql } }) =>
				[
					...sql.exec<{ name: string }>(
						"select name from sqlite_master where type = 'table' and name <> 'outbox' and name not like '\\_%' escape '\\'",
					),
				].map(({ name }) => [id, name, ...sql.exec(`select * from "${name}"`)]),
			),
		),
	);
}

/** Removes the last use from a row. The platform records a credential's last use, and once a day that an agent has read its inbox. */
function withoutBookkeeping({ last_used_at: _used, ...row }: Readonly<Record<string, unknown>>): object {
	return row;
}

/** Omits the table `placement`: the first request that may write, even a refused one, records there where the deployment is. */
async function tableNames(): Promise<string[]> {
	const { results } = await env.DB.prepare(
		"select name from sqlite_schema where type = 'table' and name not in ('outbox', 'placement') and name not like 'sqlite_%' and name not like '_cf_%' and name not like 'd1_%'",
	).all<{ name: string }>();
	return results.map(({ name }) => name);
}

/** Returns the keys in the bucket, of all pages. */
export async function listBucket(prefix = ""): Promise<string[]> {
	const keys: string[] = [];
	for (let cursor: string | undefined; ; ) {
		const page = await env.BUCKET.list({ prefix, ...(cursor === undefined ? {} : { cursor }) });
		keys.push(...page.objects.map(({ key }) => key));
		if (!page.truncated) return keys;
		cursor = page.cursor;
	}
}

/** Returns the keys of artifacts in the bucket, without the index that is stored next to an artifact when it is first opened. */
export async function listArtifactKeys(prefix: string): Promise<string[]> {
	return (await listBucket(prefix)).filter((key) => !key.endsWith(".index"));
}

/** Returns all rows of a hand-written query. */
export async function queryAll<Row>(sql: string, ...parameters: unknown[]): Promise<Row[]> {
	const { results } = await env.DB.prepare(sql)
		.bind(...parameters)
		.all<Row>();
	return results;
}

/** Returns one row of a hand-written query. */
export async function queryOne<Row>(sql: string, ...parameters: unknown[]): Promise<Row | null> {
	return env.DB.prepare(sql)
		.bind(...parameters)
		.first<Row>();
}

/** Counts the recorded events of a type about a task. */
export function countEvents(type: string, taskId: string): Promise<number> {
	return count("select count(*) from _recorded_events where type = ? and payload like ?", type, `%${taskId}%`);
}

/** Returns the first column of the first row, as a number. */
export async function count(sql: string, ...parameters: unknown[]): Promise<number> {
	const [row] = await env.DB.prepare(sql)
		.bind(...parameters)
		.raw<number[]>();
	return row?.[0] ?? 0;
}
