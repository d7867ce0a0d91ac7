// Wraps the real D1 so that a test can count each call, or make it fail or die.
import { env } from "cloudflare:workers";

/** Runs instead of each call to D1, with the texts of its statements. `run` makes the call and returns a list for a batch. */
export type Interceptor = <T extends D1Result | D1Result[]>(run: () => Promise<T>, statements: readonly string[]) => Promise<T>;

/** Returns the part of D1 that the client uses. */
export function interceptD1(intercept: Interceptor, database = env.DB): D1Database {
	const withSession: D1Database["withSession"] = (start) => {
		const session = database.withSession(start);
		const texts = new WeakMap<D1PreparedStatement, string>();
		const watch = (text: string, statement: D1PreparedStatement): D1PreparedStatement => {
			texts.set(statement, text);
			const [all, bind] = [statement.all.bind(statement), statement.bind.bind(statement)];
			return Object.assign(statement, {
				all: () => intercept(() => all(), [text]),
				bind: (...values: unknown[]) => watch(text, bind(...values)),
			});
		};
		const batch: D1DatabaseSession["batch"] = (statements) =>
			intercept(
				() => session.batch(statements),
				statements.map((statement) => texts.get(statement) ?? ""),
			);
		return Object.assign(Object.create(session), {
			batch,
			prepare: (text: string) => watch(text, session.prepare(text)),
			getBookmark: () => session.getBookmark(),
		});
	};
	return Object.assign(Object.create(database), { withSession });
}

/** Returns a database, and the size in bytes of the largest value that its statements were given. */
export function measureValues(database: D1Database) {
	let largest = 0;
	const withSession: D1Database["withSession"] = (start) => {
		const session = database.withSession(start);
		const prepare = (text: string) => {
			const statement = session.prepare(text);
			const bind = statement.bind.bind(statement);
			return Object.assign(statement, {
				bind(...values: unknown[]) {
					for (const value of values) largest = Math.max(largest, new TextEncoder().encode(String(value)).length);
					return bind(...values);
				},
			});
		};
		const batch: D1DatabaseSession["batch"] = (statements) => session.batch(statements);
		return Object.assign(Object.create(session), { prepare, batch, getBookmark: () => session.getBookmark() });
	};
	return { database: Object.assign(Object.create(database), { withSession }), largest: () => largest };
}
