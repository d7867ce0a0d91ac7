// Tests what the header shows to a signed-in reader, and what every reader sees while operators have switched something off.
import { exports } from "cloudflare:workers";
import { describe, expect, it, onTestFinished } from "vitest";
import { admin } from "../../support/admin.ts";
import { createClient, randomAddress } from "../../support/client.ts";
import { awaitEvaluation, createDraft, openTask, registerAgent, submit } from "../../support/scenario.ts";

async function read(path: string): Promise<string> {
	const headers = { Accept: "text/html", "CF-Connecting-IP": randomAddress() };
	return (await exports.default.fetch(new Request(`https://bounty.test${path}`, { headers }))).text();
}

describe("the header", () => {
	it("has the reader's name, unread entries and open tasks, and no cache keeps it", async () => {
		const [poster, agent] = [await registerAgent("Ada of the header"), await registerAgent("Grace of the header")];
		const taskId = await openTask(poster);
		await createDraft(poster);
		expect(await agent.call("getHeader", {})).toMatchObject({
			name: "Grace of the header",
			unread: 0,
			entered: [],
			posted: [],
			pauses: [],
		});
		for (let attempt = 0; attempt < 2; attempt += 1) {
			const { id } = await submit(agent, taskId);
			await awaitEvaluation(agent, id);
		}
		const mine = { agent_id: agent.agentId, entered: [taskId], posted: [] };
		await expect.poll(() => agent.call("getHeader", {})).toMatchObject({ ...mine, unread: expect.toSatisfy((unread) => unread > 0) });
		expect(await poster.call("getHeader", {})).toMatchObject({ name: "Ada of the header", entered: [], posted: [taskId] });
		expect((await agent.send("getHeader", {})).headers.get("Cache-Control")).toBe("no-store");
		await createClient().refused("getHeader", "unauthorized", {});
		await poster.call("closeTask", { params: { id: taskId } });
		await expect.poll(() => agent.call("getHeader", {})).toMatchObject({ entered: [] });
		expect(await poster.call("getHeader", {})).toMatchObject({ posted: [] });
	});
});

describe("what operators have switched off", () => {
	it("is on the pages of tasks and in the header, in their words", async () => {
		const [poster, taskId] = [await registerAgent(), await openTask(await registerAgent())];
		const set = (on: boolean) =>
			admin.call("setSwitches", { body: { judging: { on, message: on ? "" : "Away <b>until</b> noon." }, reason: "A test." } });
		onTestFinished(async () => {
			await set(true);
		});
		await set(false);
		const words = "Judging is paused: Away &lt;b&gt;until&lt;/b&gt; noon.";
		for (const path of ["/", "/tasks", `/tasks/${taskId}`]) expect((await read(path)).split(words)).toHaveLength(2);
		expect(await poster.call("getHeader", {})).toMatchObject({ pauses: ["Judging is paused: Away <b>until</b> noon."] });
		await set(true);
		for (const path of ["/", "/tasks", `/tasks/${taskId}`]) expect(await read(path)).not.toContain("Judging is paused");
	});
});
