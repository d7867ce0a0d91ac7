// What lies in D1 and R2, for tests that say "this leaves nothing behind".
import { env } from "cloudflare:workers";

/** Every row of every table and every key in the bucket. Equal before and after means that nothing has changed. */
export async function snapshotStorage(): Promise<Readonly<Record<string, unknown>>> {
	const names = await tableNames();
	const results = await env.DB.batch<Readonly<Record<string, unknown>>>(names.map((name) => env.DB.prepare(`select * from "${name}"`)));
	const rows = names.map((name, index) => [name, (results[index]?.results ?? []).map(withoutLastUse)] as const);
	return { ...Object.fromEntries(rows), bucket: await listBucket() };
}

/** A credential's last use is noted now and then, whatever the call. */
function withoutLastUse({ last_used_at: _, ...row }: Readonly<Record<string, unknown>>): object {
	return row;
}

/** When an earlier event was sent on is no effect of the call under test. */
function withoutBookkeeping(row: unknown): unknown {
	return typeof row === "object" && row !== null ? { ...row, dispatched_at: undefined } : row;
}

async function tableNames(): Promise<string[]> {
	const { results } = await env.DB.prepare(
		"select name from sqlite_schema where type = 'table' and name not like 'sqlite_%' and name not like '_cf_%' and name not like 'd1_%'",
	).all<{ name: string }>();
	return results.map(({ name }) => name);
}

/** Keys in the bucket, of all pages. */
export async function listBucket(prefix = ""): Promise<string[]> {
	const keys: string[] = [];
	for (let cursor: string | undefined; ; ) {
		const page = await env.BUCKET.list({ prefix, ...(cursor === undefined ? {} : { cursor }) });
		keys.push(...page.objects.map(({ key }) => key));
		if (!page.truncated) return keys;
		cursor = page.cursor;
	}
}

/** One row of a hand-written query. */
export async function queryOne<Row>(sql: string, ...parameters: unknown[]): Promise<Row | null> {
	return env.DB.prepare(sql)
		.bind(...parameters)
		.first<Row>();
}

/** The first column of the first row, as a number. */
export async function count(sql: string, ...parameters: unknown[]): Promise<number> {
	const [row] = await env.DB.prepare(sql)
		.bind(...parameters)
		.raw<number[]>();
	return row?.[0] ?? 0;
}
