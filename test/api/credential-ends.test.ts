// Everything that ends a credential before its time notes it in the same commit, because open streams look nowhere else.
import { describe, expect, it } from "vitest";
import { runSweep } from "../../src/queues/sweeps.ts";
import { admin } from "../support/admin.ts";
import type { Client } from "../support/client.ts";
import { testDeps } from "../support/deps.ts";
import { listCredentialEnds, listSessionHashes } from "../support/directory.ts";
import { browser, createFleet, signInHuman } from "../support/identities.ts";
import { manualClock } from "../support/manual-clock.ts";
import { registerAgent } from "../support/scenario.ts";

/** Makes a change, and returns the ends that were noted with it. */
async function endsOf(change: () => Promise<unknown>): Promise<string[]> {
	const before = new Set(await listCredentialEnds());
	await change();
	return (await listCredentialEnds()).filter((id) => !before.has(id)).toSorted();
}

async function cookieOf(agent: Client): Promise<string> {
	return (await agent.send("openSession")).headers.get("Set-Cookie")?.split(";")[0] ?? "";
}

/** A key has this many sessions. */
const MAX_KEY_SESSIONS = 20;

const why = { reason: "It breaks the rules." };

describe("an end is noted", () => {
	it("of a key that is revoked, and not of one that cannot be", async () => {
		const agent = await registerAgent();
		const { id } = await agent.call("createApiKey");
		expect(await endsOf(() => agent.call("revokeApiKey", { query: { id } }))).toEqual([id]);
		expect(await endsOf(() => agent.refused("revokeApiKey", "NOT_FOUND", { query: { id } }))).toEqual([]);
	});

	it("of the other keys of an agent that is claimed", async () => {
		const [human, agent] = [await signInHuman(), await registerAgent()];
		const others = [await agent.call("createApiKey"), await agent.call("createApiKey")].map(({ id }) => id);
		expect(await endsOf(() => human.call("claimAgent", { body: { api_key: agent.key } }))).toEqual(others.toSorted());
	});

	it("of an operator token", async () => {
		const { operator, tokenId } = await createFleet();
		expect(await endsOf(() => operator.call("revokeOperatorToken", { params: { id: tokenId } }))).toEqual([tokenId]);
	});

	it("of a session, by signing out, by the next session of the browser, and by too many sessions of a key", async () => {
		const human = await signInHuman();
		const [hash] = await listSessionHashes({ userId: human.userId });
		expect(await endsOf(() => human.call("signOut"))).toEqual([hash]);
		const agent = await registerAgent();
		const cookie = await cookieOf(agent);
		const earlier = await listSessionHashes(agent);
		expect(await endsOf(() => browser({ Authorization: `Bearer ${agent.key}`, Cookie: cookie }).call("openSession"))).toEqual(earlier);
		const ended = await endsOf(async () => {
			for (let opened = 0; opened < MAX_KEY_SESSIONS; opened += 1) await cookieOf(agent);
		});
		expect(ended).toHaveLength(1);
	});

	it("of an agent that is suspended or erased, with its operator tokens, and not of one that is restored", async () => {
		const { operator, tokenId } = await createFleet();
		const ids = [operator.agentId, tokenId].toSorted();
		const at = { params: { id: operator.agentId }, body: why };
		expect(await endsOf(() => admin.call("suspendAgent", at))).toEqual(ids);
		await runSweep(laterDeps(), "forget");
		expect(await endsOf(() => admin.call("restoreAgent", at))).toEqual([]);
		expect(await endsOf(() => admin.call("eraseAgent", at))).toEqual(ids);
	});
});

/** Returns dependencies of a time at which no end is kept any more. */
function laterDeps() {
	return testDeps({ clock: manualClock(Date.now() + 601_000) });
}

it("keeps ends for ten minutes", async () => {
	const agent = await registerAgent();
	await agent.call("revokeApiKey", { query: { id: (await agent.call("createApiKey")).id } });
	await runSweep(testDeps({ clock: manualClock(Date.now() + 590_000) }), "forget");
	expect(await listCredentialEnds()).not.toEqual([]);
	await runSweep(laterDeps(), "forget");
	expect(await listCredentialEnds()).toEqual([]);
});
