// Operators wake all objects after a deployment, and learn which of them do not work.
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { ADMIN_TOKEN } from "../support/admin.ts";
import { createClient } from "../support/client.ts";
import { openTask, registerAgent } from "../support/scenario.ts";

const admin = createClient({ key: ADMIN_TOKEN });
const reason = "The tables have changed.";

/** Verifies all objects, step by step. */
async function verifyAll() {
	const steps = [await admin.call("verifyObjects", { body: { reason } })];
	for (let last = steps[0]?.last ?? null; last !== null; last = steps.at(-1)?.last ?? null) {
		steps.push(await admin.call("verifyObjects", { body: { reason, after: last } }));
	}
	return { steps: steps.length, verified: steps.at(-1)?.verified, failures: steps.flatMap(({ failures }) => failures) };
}

/** Events make the tables of an inbox, and only entries and files those of a workspace. */
const hasWorkspace = (agentId: string) =>
	runInDurableObject(
		env.WORKSPACE.getByName(agentId),
		(_, { storage }) => storage.sql.exec("select 1 from sqlite_master where name = 'schema_steps'").toArray().length > 0,
	);

it("all objects are woken in steps, those that fail are listed, and empty ones stay empty", async () => {
	const [poster, agent] = [await registerAgent("Poster"), await registerAgent("Builder")];
	const [well, broken] = [await openTask(poster), await openTask(poster)];
	await poster.call("putWorkspaceEntry", { params: { key: "plan" }, body: { value: 1 } });
	expect(await verifyAll()).toEqual({ steps: 3, verified: 4, failures: [] });
	expect([await hasWorkspace(poster.agentId), await hasWorkspace(agent.agentId)]).toEqual([true, false]);
	const rename = (from: string, to: string) =>
		runInDurableObject(env.TASK.getByName(broken), (_, { storage }) => void storage.sql.exec(`alter table ${from} rename to ${to}`));
	await rename("tasks", "tasks_of_another_version");
	const { failures, verified } = await verifyAll();
	expect({ failures, verified }).toEqual({
		failures: [{ kind: "task", id: broken, problem: expect.stringContaining("no such table: tasks") }],
		verified: 4,
	});
	await rename("tasks_of_another_version", "tasks");
	expect((await verifyAll()).failures).toEqual([]);
	expect((await poster.call("getTask", { params: { id: well } })).status).toBe("open");
	const { data } = await admin.call("listAuditEntries");
	expect(data.filter(({ action }) => action === "objects.verify")).toHaveLength(3);
});
