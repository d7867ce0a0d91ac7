// Tests a production deployment that a caller reaches under a forged host name: no response may contain that host.

import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { parseConfig } from "../../src/config/env.ts";
import { createApp, operations } from "../support/app.ts";
import { goodZipWith } from "../support/archives.ts";
import { type Client, createClient } from "../support/client.ts";
import { testDeps } from "../support/deps.ts";
import { createExternalTask, receiver } from "../support/external-judging.ts";
import { manualClock } from "../support/manual-clock.ts";
import { GOOD_FILES } from "../support/scenario.ts";
import { putTo, register } from "../support/uploads.ts";

const OWN = "https://api.example";
const FORGED = "https://evil.example";
const of = (id: string) => ({ params: { id } });

const { JUDGE: _, ...shared } = env as unknown as Record<string, unknown>;
const production = parseConfig({ ...shared, ENVIRONMENT: "production", PUBLIC_URL: OWN, SECRETS_KEY: btoa("x".repeat(32)) });

/** Returns a production deployment with a fixed clock. */
function createProduction() {
	// This key sealed the callback tokens of the tasks that these tests publish.
	const config = { ...production, keys: testDeps().config.keys };
	const clock = manualClock();
	const change = () => ({ config, judge: null, clock });
	/** Returns a caller that sends another host, as a forged Host header makes the runtime see it. */
	const enter = (key: string | null, origin = FORGED): Client =>
		createClient({
			key,
			fetch: async (request) => {
				const deps = testDeps(change());
				const url = new URL(request.url);
				const response = await createApp(() => deps).fetch(new Request(`${origin}${url.pathname}${url.search}`, request));
				await deps.settled();
				return response;
			},
		});
	return { change, enter };
}

describe("a forged host", () => {
	it("changes neither the callback nor the artifact's URL of an external judge", async () => {
		const { change, enter } = createProduction();
		const external = await createExternalTask();
		await external.world.ring(external.taskId);
		const agent = enter(external.agent.key);
		const { id, poll_url } = await agent.call("quickSubmit", { ...of(external.taskId), body: { files: GOOD_FILES } });
		expect(poll_url).toBe(`${OWN}/api/submissions/${id}/status`);
		const { received, fetch } = receiver();
		await external.world.deliver("bounty-platform-evaluation", [{ taskId: external.taskId }], { ...change(), fetch });
		const sent = JSON.parse(received[0]?.body ?? "{}");
		expect(sent).toMatchObject({
			callback_url: `${OWN}/api/v1/submissions/${id}/external-score`,
			artifact_url: expect.stringContaining(`${OWN}/api/v1/submissions/${id}/artifact?`),
		});
		expect(received[0]?.body).not.toContain("evil.example");
	});

	it("changes no upload URL, no download URL and no link in a response", async () => {
		const { enter } = createProduction();
		const external = await createExternalTask();
		const agent = enter(external.agent.key);
		const registered = await register(agent, external.taskId);
		expect(new URL(registered.upload_url).origin).toBe(OWN);
		await putTo(enter(null), registered.upload_url, goodZipWith());
		const { output_url } = await agent.call("completeSubmission", of(registered.id));
		expect(new URL(output_url).origin).toBe(OWN);
		const { next_steps } = await enter(null).call("registerAnonymous");
		expect(next_steps.join()).toContain(`${OWN}/api/v1/tasks`);
		expect(JSON.stringify([registered, next_steps])).not.toContain("evil.example");
	});

	it("changes no redirect after signing in", async () => {
		const github = { clientId: "a", clientSecret: "b", url: "https://github.test", apiUrl: "https://api.github.test" };
		const config = { ...production, signIn: { github, oidc: null } };
		const app = createApp(() => testDeps({ config }));
		const client = createClient({
			fetch: (request) => app.fetch(new Request(request.url.replace("https://bounty.test", FORGED), request)),
		});
		const { status, headers } = await client.send("startSignIn", { params: { provider: "github" }, query: { return_to: "/console" } });
		expect(status).toBe(302);
		const { searchParams } = new URL(headers.get("Location") ?? "");
		expect(searchParams.get("redirect_uri")).toBe(`${OWN}/api/auth/callback/github`);
	});
});

describe("plain http in production", () => {
	const app = createApp(() => testDeps({ config: production, judge: null }));
	const ask = (method: string, path: string) => app.fetch(new Request(`http://evil.example${path}`, { method }));

	it("is redirected for reads, to the deployment's own origin", async () => {
		for (const method of ["GET", "HEAD"]) {
			for (const path of ["/api/v1/tasks?limit=1", "/", "//evil.example/x"]) {
				const response = await ask(method, path);
				expect({ status: response.status, to: response.headers.get("Location") }).toEqual({ status: 308, to: OWN + path });
			}
		}
	});

	it("is refused for writes, which change nothing", async () => {
		for (const method of ["POST", "PUT", "PATCH", "DELETE"]) {
			const response = await ask(method, operations.registerAnonymous.path);
			expect(response.status).toBe(400);
			expect(await response.json()).toMatchObject({
				error: { code: "BAD_REQUEST", message: expect.stringContaining(`Send this request to ${OWN}`) },
			});
		}
	});

	it("is served in development, where the request's origin is used", async () => {
		const local = createApp(() => testDeps());
		const response = await local.fetch(new Request(`http://127.0.0.1:8787${operations.registerAnonymous.path}`, { method: "POST" }));
		expect(response.status).toBe(201);
		expect(await response.text()).toContain("http://127.0.0.1:8787/api/v1/tasks");
	});
});
