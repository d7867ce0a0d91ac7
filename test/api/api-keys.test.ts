import { afterEach, describe, expect, it, vi } from "vitest";
import { createApp } from "../support/app.ts";
import { type Client, createClient } from "../support/client.ts";
import { countingDatabase, testDeps } from "../support/deps.ts";
import { forgetRevocation, readLastUse, revokeKeysElsewhere, revokeTokenElsewhere } from "../support/directory.ts";
import { createFleet } from "../support/identities.ts";
import { registerAgent } from "../support/scenario.ts";

afterEach(() => {
	vi.useRealTimers();
});

/** Sends a request with the key, waits for its background work, and returns how many calls to D1 it made. */
async function useKey(key: string): Promise<number> {
	const db = countingDatabase();
	const deps = testDeps({ db });
	const app = createApp(() => deps);
	await createClient({ key, fetch: (request) => app.fetch(request) }).call("whoAmI");
	await deps.settled();
	return db.use.calls;
}

describe("last use", () => {
	it("is recorded with the first request and then about once an hour, after the response", async () => {
		const agent = await registerAgent();
		expect(await readLastUse(agent.agentId)).toBeNull();
		expect(await useKey(agent.key)).toBeLessThanOrEqual(2);
		const first = await readLastUse(agent.agentId);
		expect(first).not.toBeNull();
		vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 30 * 60_000 });
		await useKey(agent.key);
		expect(await readLastUse(agent.agentId)).toBe(first);
		vi.setSystemTime(Date.now() + 31 * 60_000);
		await useKey(agent.key);
		expect(await readLastUse(agent.agentId)).toBe(Date.now());
		const [key] = (await agent.call("listApiKeys")).data;
		expect(key?.last_used_at).toBe(new Date().toISOString());
	});
});

describe("revocation", () => {
	/** Revokes the agent's keys as another isolate does, so that this isolate still remembers them. */
	const revokeElsewhere = (agent: { agentId: string }) => revokeKeysElsewhere(agent.agentId);

	async function worksAfter(client: Client, ms: number): Promise<boolean> {
		vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + ms });
		const { status } = await client.send("whoAmI");
		vi.useRealTimers();
		return status === 200;
	}

	it("wins over a read of the database that began before it", async () => {
		const agent = await registerAgent();
		const [key] = (await agent.call("listApiKeys")).data;
		await agent.call("revokeApiKey", { query: { id: key?.id ?? "" } });
		// A replica does not know of the revocation yet.
		await forgetRevocation(key?.id ?? "");
		await agent.refused("whoAmI", "unauthorized");
	});

	it("made in another isolate takes effect within ten seconds", async () => {
		const agent = await registerAgent();
		await agent.call("whoAmI");
		await revokeElsewhere(agent);
		expect(await worksAfter(agent, 10_000)).toBe(false);
	});

	it("of an operator token in another isolate stops its children within ten seconds", async () => {
		const { tokenId, mint } = await createFleet();
		const child = await mint();
		await child.call("whoAmI");
		await revokeTokenElsewhere(tokenId);
		expect(await worksAfter(child, 10_000)).toBe(false);
	});

	it("also stops requests that are under way", async () => {
		const { operator, tokenId, mint } = await createFleet();
		const children = await Promise.all(Array.from({ length: 10 }, () => mint()));
		await Promise.all([
			...children.map((child) => child.send("whoAmI")),
			operator.call("revokeOperatorToken", { params: { id: tokenId } }),
			...children.map((child) => child.send("whoAmI")),
		]);
		for (const child of children) await child.refused("whoAmI", "unauthorized");
	});
});

describe("looking a key up", () => {
	it("takes one round trip to D1, and none while the isolate remembers it", async () => {
		const { mint } = await createFleet();
		const child = await mint();
		expect(await useKey(child.key)).toBe(2);
		expect(await useKey(child.key)).toBe(1);
	});
});
