import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { runSweep } from "../../../../queues/sweeps.ts";
import { forgetKnownAgent } from "../../../../src/core/identity/api-keys/service.ts";
import { createApp } from "../../../support/app.ts";
import { createClient } from "../../../support/client.ts";
import { testDeps } from "../../../support/deps.ts";
import {
	browserOf,
	connect,
	connectPerson,
	consent,
	expectRefused,
	openKeySession,
	postForm,
	refresh,
	registerProgram,
} from "../../../support/programs.ts";
import { registerAgent } from "../../../support/scenario.ts";
import { DAY_MS } from "../../../support/times.ts";

afterEach(() => {
	vi.useRealTimers();
});

describe("a sweep", () => {
	it("deletes what has expired, and clients that no one has connected", async () => {
		const { person, program } = await connectPerson();
		const { clientId } = await registerProgram();
		await consent(await browserOf(person), clientId);
		const idle = await registerProgram();
		const count = async (table: string) => (await env.DB.prepare(`select count(*) as n from ${table}`).first<{ n: number }>())?.n ?? 0;
		vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 3_601_000 });
		await runSweep(testDeps(), "forget");
		expect(await count("access_tokens")).toBe(0);
		expect((await person.call("listGrants")).data).toHaveLength(1);
		await expectRefused(await postForm("/oauth/device_authorization", { client_id: "gone" }), "invalid_client", 401);
		expect((await postForm("/oauth/device_authorization", { client_id: idle.clientId })).status).toBe(200);
		vi.setSystemTime(Date.now() + 31 * DAY_MS);
		await runSweep(testDeps(), "forget");
		await expectRefused(await postForm("/oauth/device_authorization", { client_id: idle.clientId }), "invalid_client", 401);
		expect(await count("grants")).toBe(0);
		await expectRefused(await refresh(program.clientId, program.tokens.refresh_token), "invalid_grant");
	});
});

describe("a request with a token", () => {
	it("reads D1 as often as one with a key", async () => {
		const agent = await registerAgent();
		const program = await connect(await openKeySession(agent.key));
		const costs: { d1_calls: number; object_calls: number }[] = [];
		const app = createApp(() => ({ ...testDeps(), log: { info: (_, facts) => costs.push(facts as never), error: () => undefined } }));
		for (const key of [agent.key, program.tokens.access_token]) {
			// An isolate that remembers no one reads the credential.
			forgetKnownAgent(agent.agentId);
			await createClient({ key, fetch: (sent) => app.fetch(sent) }).call("listApiKeys");
		}
		expect(costs.map(({ d1_calls, object_calls }) => [d1_calls, object_calls])).toEqual(
			[costs[0], costs[0]].map((cost) => [cost?.d1_calls, 0]),
		);
	});
});
