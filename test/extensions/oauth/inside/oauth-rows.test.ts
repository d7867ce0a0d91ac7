import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { forgetKnownAgent } from "../../../../src/core/identity/api-keys/service.ts";
import { runSweep } from "../../../../src/queues/sweeps.ts";
import { createApp } from "../../../support/app.ts";
import { createClient } from "../../../support/client.ts";
import { testDeps } from "../../../support/deps.ts";
import {
	authorizationOf,
	browserOf,
	connect,
	connectPerson,
	consent,
	decide,
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

describe("a client", () => {
	it("is known for thirty days after its last grant has ended, however old it is", async () => {
		const { person, program } = await connectPerson();
		const [grant] = (await person.call("listGrants")).data;
		const isKnown = async () => {
			await runSweep(testDeps(), "forget");
			return (await postForm("/oauth/device_authorization", { client_id: program.clientId })).status === 200;
		};
		const start = Date.now();
		vi.useFakeTimers({ toFake: ["Date"], now: start + 20 * DAY_MS });
		await refresh(program.clientId, program.tokens.refresh_token);
		vi.setSystemTime(start + 29 * DAY_MS);
		await person.call("endGrant", { params: { id: grant?.id ?? "" } });
		vi.setSystemTime(start + 58 * DAY_MS);
		expect(await isKnown()).toBe(true);
		vi.setSystemTime(start + 60 * DAY_MS);
		expect(await isKnown()).toBe(false);
	});
});

describe("the grants of an agent", () => {
	/** Adds as many grants as leave room for one. */
	async function fill(agentId: string) {
		await env.DB.prepare(
			`with recursive n (i) as (select 1 union all select i + 1 from n where i < 99)
			insert into grants (id, key, agent_id, client_id, client_name, scope, created_at) select 'g' || i || ?1, 'k' || i || ?1, ?1, 'c', 'c', 'read', ?2 from n`,
		)
			.bind(agentId, Date.now())
			.run();
	}

	it("are at most a hundred, and one more is 409 also in parallel and for a device", async () => {
		const agent = await registerAgent();
		const by = await openKeySession(agent.key);
		await fill(agent.agentId);
		const programs = await Promise.all([1, 2, 3, 4].map(() => registerProgram()));
		const decided = await Promise.all(programs.map(async ({ clientId }) => decide(by, await authorizationOf(clientId))));
		expect(decided.map(({ status }) => status).toSorted()).toEqual([302, 409, 409, 409]);
		expect(await expectRefused(decided.find(({ status }) => status === 409) ?? new Response(), "invalid_request", 409)).toContain("100");
		const connected = programs[decided.findIndex(({ status }) => status === 302)];
		// The same program only replaces its grant.
		expect((await decide(by, await authorizationOf(connected?.clientId ?? ""))).status).toBe(302);
		const begun = await (await postForm("/oauth/device_authorization", { client_id: "bounty-cli" })).json();
		const { user_code } = z.object({ user_code: z.string() }).parse(begun);
		const form = { user_code, csrf_token: by.csrfToken, decision: "allow" };
		await expectRefused(await postForm("/device", form, { Cookie: by.cookie }), "invalid_request", 409);
	});

	it("have one for all devices with the same program", async () => {
		const agent = await registerAgent();
		const by = await openKeySession(agent.key);
		for (let device = 0; device < 3; device += 1) {
			const begun = await (await postForm("/oauth/device_authorization", { client_id: "bounty-cli" })).json();
			const { user_code, device_code } = z.object({ user_code: z.string(), device_code: z.string() }).parse(begun);
			expect((await postForm("/device", { user_code, csrf_token: by.csrfToken, decision: "allow" }, { Cookie: by.cookie })).status).toBe(
				200,
			);
			const grant_type = "urn:ietf:params:oauth:grant-type:device_code";
			expect((await postForm("/oauth/token", { grant_type, device_code, client_id: "bounty-cli" })).status).toBe(200);
		}
		expect((await agent.call("listGrants")).data).toHaveLength(1);
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
