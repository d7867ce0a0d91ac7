// Lets tests with replaced dependencies call the whole platform, with all of its endpoints, as a function.
import { env } from "cloudflare:workers";
import { createApp as buildApp } from "../../src/app.ts";
import { endpoints, operations } from "../../src/compose/endpoints.ts";
import type { OpenDeps } from "../../src/http/middlewares.ts";

export { buildApp, endpoints, operations };

const openers = new WeakMap<Env, OpenDeps>();

/** The apps of all tests share their routes, because building these takes longer than most requests. */
const app = buildApp((c) => {
	const open = openers.get(c.env);
	if (open === undefined) throw new Error("This request did not come from an app of a test.");
	return open(c);
});

/** Returns the platform with the test's dependencies. To choose other endpoints as well, use `buildApp`. */
export function createApp(openDeps: OpenDeps) {
	const own: Env = Object.create(env);
	openers.set(own, openDeps);
	return { fetch: async (request: Request, _env?: Env, ctx?: ExecutionContext) => app.fetch(request, own, ctx) };
}
