// Measures how a request changes the directory and the objects of tasks. Requests of one kind change the same numbers.
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";

/** The number of new rows of each table, and the growth of the sum of all its numbers, in hundredths. Omits tables that did not change. */
export type Changes = Readonly<Record<string, { readonly rows: number; readonly sum: number }>>;

/** @param taskIds Returns the tasks whose objects may change. It is called before and after the run. */
export async function countChanges<T>(
	run: () => Promise<T>,
	taskIds: () => readonly string[] = () => [],
): Promise<{ readonly changes: Changes; readonly result: T }> {
	const tables = await numbersOfTables();
	const countAll = async () => new Map([...(await count(tables)), ...(await countInTasks(taskIds()))]);
	const before = await countAll();
	const result = await run();
	const after = await countAll();
	// A deleted task has no tables.
	const grown = [...new Set([...before.keys(), ...after.keys()])].map((name) => {
		const [earlier, later] = [before.get(name) ?? NOTHING, after.get(name) ?? NOTHING];
		return [name, { rows: later.rows - earlier.rows, sum: later.sum - earlier.sum }] as const;
	});
	return { changes: Object.fromEntries(grown.filter(([, { rows, sum }]) => rows !== 0 || sum !== 0)), result };
}

interface Numbers {
	readonly rows: number;
	readonly sum: number;
}

const NOTHING: Numbers = { rows: 0, sum: 0 };

const COLUMNS = `select t.name, c.name as column, c.type from sqlite_schema t, pragma_table_info(t.name) c
	where t.type = 'table' and t.name not like 'sqlite_%' and t.name not like '_cf_%' and t.name not like '\\_\\_%' escape '\\'`;

const NAMES = "select name from sqlite_schema where type = 'table' and name not like 'sqlite_%' and name not like '_cf_%'";

let tablesOfTasks: readonly Table[] | null = null;

/** Returns the numbers of the tables of all objects, added up by table. */
async function countInTasks(taskIds: readonly string[]): Promise<Map<string, Numbers>> {
	const totals = new Map<string, Numbers>();
	for (const taskId of taskIds) {
		await runInDurableObject(env.TASK.getByName(taskId), (_, { storage: { sql } }) => {
			const names = new Set(
				sql
					.exec<{ name: string }>(NAMES)
					.toArray()
					.map(({ name }) => name),
			);
			if (names.size === 0) return;
			// All tasks have the same tables, and asking each for its columns takes as long as its counts.
			tablesOfTasks ??= toTables(sql.exec<Column>(COLUMNS).toArray());
			for (const table of tablesOfTasks.filter(({ name }) => names.has(name))) {
				const { rows, sum } = sql.exec<{ rows: number; sum: number }>(countOf(table)).one();
				const name = `task's ${table.name}`;
				const known = totals.get(name);
				totals.set(name, { rows: (known?.rows ?? 0) + rows, sum: (known?.sum ?? 0) + sum });
			}
		});
	}
	return totals;
}

interface Table {
	readonly name: string;
	readonly numbers: readonly string[];
}

interface Column extends Record<string, SqlStorageValue> {
	readonly name: string;
	readonly column: string;
	readonly type: string;
}

/**
 * Tables that are left out: the bookkeeping of commits and of open streams, and the count of 5xx responses, which a new isolate writes with
 * its first one.
 */
const LEFT_OUT = /^(d1_|commit_marks|relays|server_errors|__)/;
/**
 * Columns that are left out: they continue the numbers of earlier requests, follow from random ids, or are times that are recorded only
 * sometimes.
 */
const UNSTEADY = /^(sessions\.\w+_at|\w+\.last_used_at|deals\.pay_remainder)$/;

function toTables(columns: readonly Column[]): readonly Table[] {
	const byTable = Map.groupBy(
		columns.filter(({ name }) => !LEFT_OUT.test(name)),
		({ name }) => name,
	);
	return [...byTable].map(([name, own]) => {
		const numbers = own.filter(({ column, type }) => /^(integer|real)$/i.test(type) && !UNSTEADY.test(`${name}.${column}`));
		return { name, numbers: numbers.map(({ column }) => column) };
	});
}

let known: readonly Table[] | null = null;

async function numbersOfTables(): Promise<readonly Table[]> {
	known ??= toTables((await env.DB.prepare(COLUMNS).all<Column>()).results);
	return known;
}

function countOf({ name, numbers }: Table): string {
	// Hundredths lose their highest digits, because the sum of all times is too large for an exact number.
	const sums = numbers.map((column) => `total(cast(round("${column}" * 100) as integer) % 1000000000)`);
	return `select count(*) as rows, ${["0", ...sums].join(" + ")} as sum from "${name}"`;
}

async function count(tables: readonly Table[]): Promise<Map<string, Numbers>> {
	const results = await env.DB.batch<Numbers>(tables.map((table) => env.DB.prepare(countOf(table))));
	return new Map(results.map(({ results: [row] }, index) => [tables[index]?.name ?? "", row ?? { rows: 0, sum: 0 }]));
}
