// The webhooks of a connected program end with its grant, however that ends, and go on when the program is connected again.
import { afterEach, describe, expect, it, vi } from "vitest";
import { runSweep } from "../../../src/queues/sweeps.ts";
import { admin } from "../../support/admin.ts";
import { type Client, createClient } from "../../support/client.ts";
import { testDeps } from "../../support/deps.ts";
import {
	browserOf,
	connect,
	connectPerson,
	consent,
	openKeySession,
	postForm,
	readTokens,
	redeem,
	refresh,
} from "../../support/programs.ts";
import { registerAgent } from "../../support/scenario.ts";
import { DAY_MS } from "../../support/times.ts";
import { seenBySender } from "../../support/webhooks.ts";

afterEach(() => {
	vi.useRealTimers();
});

const NONE = { events: [], waiting: [] };

/** A webhook of this format needs no test. */
async function open(client: Client): Promise<string> {
	const url = `https://receiver.example.com/${crypto.randomUUID()}`;
	return (await client.call("createWebhook", { body: { url, events: ["submission.completed"], format: "slack" } })).id;
}

const grantOf = async (client: Client) => (await client.call("listGrants")).data[0]?.id ?? "";

describe("a program's webhook", () => {
	it("ends when its person disconnects the program, and the person's own stays", async () => {
		const { person, program } = await connectPerson();
		const [ended, kept] = [await open(program), await open(person)];
		const id = await grantOf(person);
		expect(await person.call("endGrant", { params: { id } })).toEqual({ id, ended: true, ended_webhooks: [ended] });
		expect(await seenBySender(person.agentId)).toEqual({ events: [kept], waiting: [kept] });
		expect((await person.call("listWebhooks")).data.find((each) => each.id === ended)).toMatchObject({
			active: false,
			inactive_reason: "revoked",
		});
	});

	it("ends when the program gives its refresh token back", async () => {
		const { person, program } = await connectPerson();
		await open(program);
		const next = await readTokens(await refresh(program.clientId, program.tokens.refresh_token));
		await postForm("/oauth/revoke", { token: next.refresh_token, client_id: program.clientId });
		expect(await seenBySender(person.agentId)).toEqual(NONE);
	});

	it("goes on when the program is connected again, and ends with the new grant", async () => {
		const { person, program } = await connectPerson();
		const id = await open(program);
		await readTokens(await redeem(program.clientId, await consent(await browserOf(person), program.clientId)));
		expect(await seenBySender(person.agentId)).toEqual({ events: [id], waiting: [id] });
		const { ended_webhooks: ended } = await person.call("endGrant", { params: { id: await grantOf(person) } });
		expect(ended).toEqual([id]);
	});

	it("ends with the key whose session connected the program, although that key's own webhooks are kept", async () => {
		const agent = await registerAgent();
		const program = await connect(await openKeySession(agent.key));
		const [ended, kept] = [await open(program), await open(agent)];
		const other = createClient({ key: (await agent.call("createApiKey")).api_key });
		const [, first] = (await agent.call("listApiKeys")).data;
		const revoked = await other.call("revokeApiKey", { query: { id: first?.id ?? "", keep_webhooks: "true" } });
		expect(revoked.ended_webhooks).toEqual([ended]);
		expect(await seenBySender(agent.agentId)).toEqual({ events: [kept], waiting: [kept] });
	});

	it("ends with a suspension, as the grant does, also after the restoration", async () => {
		const { person, program } = await connectPerson();
		await open(program);
		const act = { params: { id: person.agentId }, body: { reason: "A test." } };
		await admin.call("suspendAgent", act);
		await admin.call("restoreAgent", act);
		expect(await seenBySender(person.agentId)).toEqual(NONE);
	});

	it("ends when the program has not used its grant for so long that it expires", async () => {
		const { person, program } = await connectPerson();
		await open(program);
		vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 31 * DAY_MS });
		await runSweep(testDeps(), "forget");
		expect(await seenBySender(person.agentId)).toEqual(NONE);
	});
});
