// What a request changes in the database, as numbers that are the same for each request of its kind.
import { env } from "cloudflare:workers";

/** How many rows each table has more, and by how much the sum of all its numbers has grown. Tables without a change are left out. */
export type Changes = Readonly<Record<string, { readonly rows: number; readonly sum: number }>>;

export async function countChanges<T>(run: () => Promise<T>): Promise<{ readonly changes: Changes; readonly result: T }> {
	const tables = await numbersOfTables();
	const before = await count(tables);
	const result = await run();
	const after = await count(tables);
	const grown = tables.map(({ name }, index) => {
		const [earlier, later] = [before[index], after[index]];
		return [name, { rows: (later?.rows ?? 0) - (earlier?.rows ?? 0), sum: (later?.sum ?? 0) - (earlier?.sum ?? 0) }] as const;
	});
	return { changes: Object.fromEntries(grown.filter(([, { rows, sum }]) => rows !== 0 || sum !== 0)), result };
}

interface Table {
	readonly name: string;
	readonly numbers: readonly string[];
}

/** Bookkeeping of commits. */
const LEFT_OUT = /^(d1_|commit_marks)/;
/** Numbers that go on from those of earlier requests, and times that are noted now and then. */
const UNSTEADY = /^(sessions\.\w+_at|\w+\.last_used_at)$/;

let known: readonly Table[] | null = null;

async function numbersOfTables(): Promise<readonly Table[]> {
	if (known !== null) return known;
	const { results } = await env.DB.prepare(
		`select t.name, c.name as column, c.type from sqlite_schema t, pragma_table_info(t.name) c
		where t.type = 'table' and t.name not like 'sqlite_%' and t.name not like '_cf_%'`,
	).all<{ name: string; column: string; type: string }>();
	const columns = Map.groupBy(
		results.filter(({ name }) => !LEFT_OUT.test(name)),
		({ name }) => name,
	);
	known = [...columns].map(([name, own]) => {
		const numbers = own.filter(({ column, type }) => /^(integer|real)$/i.test(type) && !UNSTEADY.test(`${name}.${column}`));
		return { name, numbers: numbers.map(({ column }) => column) };
	});
	return known;
}

async function count(tables: readonly Table[]): Promise<readonly { readonly rows: number; readonly sum: number }[]> {
	const statements = tables.map(({ name, numbers }) => {
		const sums = numbers.map((column) => `total("${column}")`);
		return env.DB.prepare(`select count(*) as rows, ${["0", ...sums].join(" + ")} as sum from "${name}"`);
	});
	const results = await env.DB.batch<{ rows: number; sum: number }>(statements);
	return results.map(({ results: [row] }) => row ?? { rows: 0, sum: 0 });
}
