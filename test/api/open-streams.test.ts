// The number of a caller's open streams and of its large bodies under way is limited.
import { describe, expect, it } from "vitest";
import { createClient } from "../support/client.ts";
import { openTask, registerAgent } from "../support/scenario.ts";

const MB = 1_048_576;
const JSON_TYPE = { "Content-Type": "application/json" };

/** Opens streams one after the other, because opening many at once keeps the machine busy. */
async function openMany(times: number, open: (index: number) => Promise<Response>): Promise<Response[]> {
	const opened: Response[] = [];
	for (let index = 0; index < times; index += 1) opened.push(await open(index));
	return opened;
}

/** The number of streams that one key, and one network, may have open at once is limited. */
const MAX_OPEN = { key: 20, network: 60 };
const closeAll = (streams: readonly Response[]) => Promise.all(streams.map(({ body }) => body?.cancel()));

describe("open streams", () => {
	it("are at most 20 for one key, and closing one makes room", async () => {
		const agent = await registerAgent("Watcher");
		const streams = await openMany(MAX_OPEN.key, () => agent.send("streamBounties"));
		expect(new Set(streams.map(({ status }) => status))).toEqual(new Set([200]));
		const { headers, message } = await agent.refused("streamBounties", "RATE_LIMITED");
		expect(headers.get("Retry-After")).toBe("30");
		expect(headers.get("RateLimit")).toBe('"streams";r=0;t=30');
		expect(message).toContain("20 streams");
		// A key in another spelling, or with other cookies, is the same key.
		const spelt = { headers: { Authorization: `bearer   ${agent.key} `, Cookie: `any=${crypto.randomUUID()}` } };
		await createClient().refused("streamBounties", "RATE_LIMITED", spelt);
		const other = await registerAgent("Other watcher");
		const elsewhere = await other.send("streamBounties");
		expect(elsewhere.status).toBe(200);
		await streams[0]?.body?.cancel();
		const again = await agent.send("streamBounties");
		expect(again.status).toBe(200);
		await closeAll([...streams.slice(1), again, elsewhere]);
	});

	it("are at most 60 for one network, also without a key", async () => {
		const poster = await registerAgent("Poster");
		const taskId = await openTask(poster);
		const at = { params: { id: taskId } };
		const open = (index: number) => createClient({ address: `203.0.113.${index}` }).send("streamPublicTask", at);
		const streams = await openMany(MAX_OPEN.network, open);
		expect(new Set(streams.map(({ status }) => status))).toEqual(new Set([200]));
		await createClient({ address: "203.0.113.250" }).refused("streamPublicTask", "RATE_LIMITED", at);
		const elsewhere = await createClient({ address: "203.0.114.1" }).send("streamPublicTask", at);
		expect(elsewhere.status).toBe(200);
		await closeAll([...streams, elsewhere]);
	});

	it("are at most 300 for all strangers who share a network, and the error says so", async () => {
		const poster = await registerAgent("Poster");
		const at = { params: { id: await openTask(poster) } };
		const open = (index: number) => createClient({ address: `160.79.${104 + (index % 8)}.${index % 250}` }).send("streamPublicTask", at);
		const streams = await openMany(5 * MAX_OPEN.network, open);
		expect(new Set(streams.map(({ status }) => status))).toEqual(new Set([200]));
		const { headers, message } = await createClient({ address: "160.79.104.251" }).refused("streamPublicTask", "RATE_LIMITED", at);
		expect(message).toContain("300 streams");
		expect(headers.get("RateLimit-Policy")).toContain('"streams";q=300');
		await closeAll(streams);
	});

	it("do not count if they end by themselves, are refused, or are requested with HEAD", async () => {
		const [poster, agent] = await Promise.all([registerAgent("Poster"), registerAgent("Watcher")]);
		const taskId = await openTask(poster);
		await poster.call("closeTask", { params: { id: taskId } });
		const unknown = { params: { id: "01900000-0000-7000-8000-000000000000" } };
		for (let index = 0; index <= MAX_OPEN.key; index += 1) {
			const ended = await agent.send("streamTask", { params: { id: taskId } });
			expect(ended.status).toBe(200);
			expect(await ended.text()).toContain("event: terminal");
			await agent.refused("streamTask", "NOT_FOUND", unknown);
		}
		const [stream] = await openMany(1, () => agent.send("streamBounties"));
		expect(stream?.status).toBe(200);
		await stream?.body?.cancel();
	});
});

describe("large bodies", () => {
	it("do not count after their response, also if it is a refusal", async () => {
		const [poster, agent] = await Promise.all([registerAgent("Poster"), registerAgent("Agent")]);
		const params = { id: await openTask(poster) };
		const rawBody = (text: string) => ({ params, rawBody: new TextEncoder().encode(text.padEnd(2 * MB)), headers: JSON_TYPE });
		// Two may be under way, so a third would be refused.
		for (let sent = 0; sent < 3; sent += 1) {
			await agent.refused("quickSubmit", "INVALID_BODY", rawBody('{"files":'));
			await agent.refused("quickSubmit", "INVALID_BODY", rawBody('{"files": {}}'));
			const { files_uploaded } = await agent.call("quickSubmit", rawBody('{"files": {"work.txt": "A parser."}}'));
			expect(files_uploaded).toBe(1);
		}
	});
});
