// The real D1 with something in front of each of its calls: a count, an error, a death.
import { env } from "cloudflare:workers";

/** Called instead of each call to D1, with the texts of its statements. `run` makes the call; of a batch it returns a list. */
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
