// Each credential is read by its own statement, so each is tried: all of them must ask whether the agent is suspended.
import { exports } from "cloudflare:workers";
import { expect, it } from "vitest";
import { admin } from "../support/admin.ts";
import { type Client, createClient } from "../support/client.ts";
import { createFleet, openSession, signInHuman } from "../support/identities.ts";
import { registerAgent } from "../support/scenario.ts";

interface Credential {
	/** This agent is suspended. */
	readonly agentId: string;
	/** Returns the status of a request with the credential. */
	send(): Promise<number>;
}

const whoAmI = (client: Client) => async () => (await client.send("whoAmI")).status;

/** Suspending the maker of a fleet suspends its children. */
async function createChild() {
	const fleet = await createFleet();
	return { agentId: fleet.operator.agentId, token: fleet.token, child: await fleet.mint() };
}

const credentials: Readonly<Record<string, () => Promise<Credential>>> = {
	"a key": async () => {
		const agent = await registerAgent();
		return { agentId: agent.agentId, send: whoAmI(agent) };
	},
	"the session of a human": async () => {
		const human = await signInHuman();
		return { agentId: human.agentId, send: whoAmI(human) };
	},
	"a session that was opened with a key": async () => {
		const { agentId, key } = await registerAgent();
		return { agentId, send: whoAmI(await openSession(key)) };
	},
	"an operator token": async () => {
		const { agentId, token } = await createChild();
		return { agentId, send: async () => (await createClient({ key: token }).send("mintChildKey", { body: {} })).status };
	},
	"the key of a child": async () => {
		const { agentId, child } = await createChild();
		return { agentId, send: whoAmI(child) };
	},
	"the session of a child": async () => {
		const { agentId, child } = await createChild();
		return { agentId, send: whoAmI(await openSession(child.key)) };
	},
	"a key that a human claims an agent with": async () => {
		const [human, { agentId, key }] = [await signInHuman(), await registerAgent()];
		return { agentId, send: async () => (await human.send("claimAgent", { body: { api_key: key } })).status };
	},
	"a signed URL": async () => {
		const agent = await registerAgent();
		const { upload_url } = await agent.call("createWorkspaceUploadUrl", { body: { path: "notes.bin" } });
		return {
			agentId: agent.agentId,
			send: async () => (await exports.default.fetch(new Request(upload_url, { method: "PUT", body: "Notes." }))).status,
		};
	},
};

it.each(Object.entries(credentials))("%s is refused while its agent is suspended", async (name, create) => {
	const { agentId, send } = await create();
	await admin.call("suspendAgent", { params: { id: agentId }, body: { reason: "It breaks the rules." } });
	// This isolate remembers the child of a suspended agent for some seconds.
	await expect.poll(send, { timeout: 10_000, interval: 500 }).toBe(name === "a signed URL" ? 401 : 403);
	await admin.call("restoreAgent", { params: { id: agentId }, body: { reason: "It was a mistake." } });
	await expect.poll(async () => (await send()) < 300, { timeout: 10_000, interval: 500 }).toBe(true);
});
