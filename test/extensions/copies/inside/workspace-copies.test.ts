// A workspace copies itself into the bucket, and a lost one is restored from the copy.
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { listTables } from "../../../../src/db/object-tables.ts";
import { copyFolder, findManifest, manifestKey } from "../../../../src/extensions/copies/manifest.ts";
import { LEFT_OUT, workspaceCopyPrefix } from "../../../../src/extensions/copies/workspace-copies.ts";
import { DAY_MS } from "../../../../src/platform/clock.ts";
import { admin } from "../../../support/admin.ts";
import { copyWorkspace, loseWorkspace } from "../../../support/copies.ts";
import { registerAgent } from "../../../support/scenario.ts";
import { listBucket } from "../../../support/storage.ts";
import { base64File, putValue, readText, workspaceOf } from "../../../support/workspace.ts";

const body = { reason: "A test." };
const restore = (agentId: string) => ({ params: { id: agentId }, body });

async function filledWorkspace() {
	const agent = await registerAgent();
	await agent.call("listInbox");
	await putValue(agent, "plan", { step: 1 });
	await agent.call("storeWorkspaceFile", base64File("notes/a.txt", "as it was"));
	return agent;
}

describe("a workspace", () => {
	it("copies every table but those that are named with a reason, a day after its first change", async () => {
		const agent = await filledWorkspace();
		const alarm = await runInDurableObject(workspaceOf(agent), (_, { storage }) => storage.getAlarm());
		expect(alarm).toBeLessThanOrEqual(Date.now() + DAY_MS);
		await copyWorkspace(agent.agentId);
		const manifest = await findManifest(env.BUCKET, workspaceCopyPrefix(agent.agentId));
		const tables = await runInDurableObject(workspaceOf(agent), (_, { storage }) => listTables(storage.sql));
		const copied = manifest?.tables.map(({ name }) => name) ?? [];
		expect([...copied, ...Object.keys(LEFT_OUT)].toSorted()).toEqual(tables);
	});

	it("that was lost is as it was after a restore, which may be repeated", async () => {
		const agent = await filledWorkspace();
		await loseWorkspace(agent.agentId);
		await agent.refused("getWorkspaceEntry", "NOT_FOUND", { params: { key: "plan" } });
		await admin.call("restoreWorkspaceCopy", restore(agent.agentId));
		expect(await agent.call("getWorkspaceEntry", { params: { key: "plan" } })).toMatchObject({ value: { step: 1 } });
		expect(await readText(agent, "notes/a.txt")).toBe("as it was");
		await putValue(agent, "plan", { step: 2 });
		await admin.refused("restoreWorkspaceCopy", "CONFLICT", restore(agent.agentId));
		expect(await agent.call("getWorkspaceEntry", { params: { key: "plan" } })).toMatchObject({ value: { step: 2 } });
	});

	it("keeps its own schema, and is not restored from a copy of a later one", async () => {
		const agent = await filledWorkspace();
		await loseWorkspace(agent.agentId);
		const manifest = await findManifest(env.BUCKET, workspaceCopyPrefix(agent.agentId));
		const key = manifestKey(copyFolder(workspaceCopyPrefix(agent.agentId), manifest?.revision ?? ""));
		const schema = manifest?.schema ?? 0;
		await env.BUCKET.put(key, JSON.stringify({ ...manifest, schema: schema + 1 }));
		await admin.refused("restoreWorkspaceCopy", "CONFLICT", restore(agent.agentId));
		// Now the platform is upgraded.
		await runInDurableObject(workspaceOf(agent), (_, { storage }) => {
			for (const step of [schema + 1, schema + 2]) storage.sql.exec("insert into schema_steps (step) values (?)", step);
		});
		await admin.call("restoreWorkspaceCopy", restore(agent.agentId));
		const steps = await runInDurableObject(workspaceOf(agent), (_, { storage }) =>
			storage.sql.exec("select max(step) as step from schema_steps").one(),
		);
		expect(steps).toEqual({ step: schema + 2 });
		expect(await agent.call("getWorkspaceEntry", { params: { key: "plan" } })).toMatchObject({ value: { step: 1 } });
	});

	it("without a copy is not restored", async () => {
		const agent = await registerAgent();
		await admin.refused("restoreWorkspaceCopy", "NOT_FOUND", restore(agent.agentId));
	});

	it("that was erased has no copy any more, and is not restored", async () => {
		const agent = await filledWorkspace();
		await copyWorkspace(agent.agentId);
		const keys = await listBucket(workspaceCopyPrefix(agent.agentId));
		expect(keys.length).toBeGreaterThan(1);
		const kept = await Promise.all(keys.map(async (key) => [key, await (await env.BUCKET.get(key))?.arrayBuffer()] as const));
		await admin.call("eraseAgent", restore(agent.agentId));
		expect(await listBucket(workspaceCopyPrefix(agent.agentId))).toEqual([]);
		for (const [key, value] of kept) await env.BUCKET.put(key, value ?? "");
		await admin.refused("restoreWorkspaceCopy", "CONFLICT", restore(agent.agentId));
	});
});
