// Counts the rows that statements read and write in the storage of an object, such as a Task object.
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";

export interface ObjectUse {
	readonly read: number;
	/** Includes one for each entry of an index, as the platform bills them. */
	readonly written: number;
	/** A line for each statement that wrote. */
	readonly lines: readonly string[];
}

type Cursor = SqlStorageCursor<Record<string, SqlStorageValue>>;

interface CountedStatement {
	readonly query: string;
	readonly cursor: Cursor;
}

/** Calls {@link watchStorage} for a task's object. */
export const watchObject = (taskId: string) => watchStorage(env.TASK.getByName(taskId));

/**
 * Counts what an object reads and writes from now on, until it is evicted. Returns a function that returns the counts since its last call.
 */
export async function watchStorage(object: DurableObjectStub): Promise<() => Promise<ObjectUse>> {
	const ran: CountedStatement[] = [];
	const inside = <Value>(work: (storage: DurableObjectStorage) => Value) => runInDurableObject(object, (_, { storage }) => work(storage));
	await inside(({ sql }) => {
		const exec = sql.exec.bind(sql);
		const watched = (query: string, ...bindings: unknown[]) => {
			const cursor = exec(query, ...bindings);
			ran.push({ query, cursor });
			return cursor;
		};
		Object.defineProperty(sql, "exec", { value: watched, configurable: true });
	});
	return () => inside(() => sumUp(ran.splice(0)));
}

function sumUp(ran: readonly CountedStatement[]): ObjectUse {
	const sum = (count: (cursor: Cursor) => number) => ran.reduce((total, { cursor }) => total + count(cursor), 0);
	const lines = ran.filter(({ cursor }) => cursor.rowsWritten > 0);
	return {
		read: sum(({ rowsRead }) => rowsRead),
		written: sum(({ rowsWritten }) => rowsWritten),
		lines: lines.map(({ query, cursor }) => `${String(cursor.rowsWritten).padStart(3)}  ${query.replace(/\s+/g, " ").slice(0, 100)}`),
	};
}
