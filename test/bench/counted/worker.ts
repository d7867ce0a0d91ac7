// Provides the platform, and counts what it asks of its databases. Requests, open streams and Durable Objects share an isolate here.
import * as z from "zod";
import platform, { Bounties as PlatformBounties } from "../../../src/index.ts";

export * from "../../../src/index.ts";

/** Counts D1 calls, the rows that they wrote, and the SQL statements of the log of bounties. */
const use = { d1Calls: 0, d1RowsWritten: 0, bountyStatements: 0 };
const watched = new WeakSet<object>();

/** Calls `onCall` for each call of a method, with its result. Every caller uses the prototype, so it is replaced there. */
function watchCalls(prototype: object, method: string, onCall: (returned: unknown) => void): void {
	if (watched.has(prototype)) return;
	watched.add(prototype);
	const original: unknown = Reflect.get(prototype, method);
	if (typeof original !== "function") throw new Error(`There is no method ${method}.`);
	Reflect.set(prototype, method, function watchedCall(this: unknown, ...args: unknown[]): unknown {
		const returned: unknown = Reflect.apply(original, this, args);
		onCall(returned);
		return returned;
	});
}

const d1Result = z.object({ meta: z.object({ rows_written: z.number() }) });
const d1Results = z.union([z.array(d1Result), d1Result.transform((result) => [result])]);

async function countD1Call(returned: unknown): Promise<void> {
	use.d1Calls += 1;
	const results = await Promise.resolve(returned).catch(() => []);
	for (const { meta } of d1Results.parse(results)) use.d1RowsWritten += meta.rows_written;
}

export class Bounties extends PlatformBounties {
	constructor(ctx: DurableObjectState, env: Env) {
		watchCalls(Object.getPrototypeOf(ctx.storage.sql), "exec", () => {
			use.bountyStatements += 1;
		});
		super(ctx, env);
	}
}

/** Serves the platform, and its counts at /bench/use. */
export default {
	...platform,
	fetch(request, env, ctx) {
		watchCalls(Object.getPrototypeOf(env.DB.withSession()), "batch", countD1Call);
		watchCalls(Object.getPrototypeOf(env.DB.prepare("select 1")), "all", countD1Call);
		return request.url.endsWith("/bench/use") ? Response.json(use) : platform.fetch(request, env, ctx);
	},
} satisfies ExportedHandler<Env>;
