// A submission reserves units beyond its task. After a crash at any step no unit is lost, and unused reservations expire.
import { expect, it } from "vitest";
import { settleUnits } from "../../src/core/competition/submissions/reservations.ts";
import { getSubmissionRow, giveSlotBack } from "../../src/core/competition/submissions/store.ts";
import type { Deps } from "../../src/ports/deps.ts";
import type { Hubs } from "../../src/ports/hubs.ts";
import { createApp } from "../support/app.ts";
import { type Client, createClient } from "../support/client.ts";
import { testDeps } from "../support/deps.ts";
import { createFleet, type Fleet } from "../support/identities.ts";
import { openTask, type RegisteredClient, registerAgent } from "../support/scenario.ts";
import { count, queryOne } from "../support/storage.ts";
import { inTask } from "../support/task-object.ts";
import { HOUR_MS } from "../support/times.ts";

const poster = await registerAgent("Poster");
const input = (taskId: string, key?: string) => ({
	params: { id: taskId },
	body: { files: { "SUBMISSION.md": "# What I Built\nA parser\n" } },
	headers: key === undefined ? {} : { "Idempotency-Key": key },
});

/** Returns the same caller of a Worker with changed dependencies. */
function through(client: RegisteredClient, change: (real: Deps) => Partial<Deps>): Client {
	const app = createApp(() => testDeps(change(testDeps())));
	return createClient({ key: client.key, fetch: (request) => app.fetch(request) });
}

/** Returns hubs whose call of one verb is replaced. */
function withCall({ hubs }: Deps, verbName: string, replace: (call: () => Promise<never>) => Promise<never>): { hubs: Hubs } {
	const callTask: Hubs["callTask"] = (taskId, verb, call) => {
		const real = () => hubs.callTask(taskId, verb, call) as Promise<never>;
		return verb.name === verbName ? replace(real) : real();
	};
	return { hubs: { ...hubs, callTask } };
}

const crash = (): never => {
	throw new Error("The Worker died here.");
};

/** Returns the units used of the fleet's month and of its child's share, and the rows that name their submissions. */
async function unitsOf({ tokenId }: Fleet, child: RegisteredClient) {
	return {
		month: await count("select used from operator_usage where operator_token_id = ?", tokenId),
		share: await count("select used from operator_child_usage where agent_id = ?", child.agentId),
		rows: await count("select count(*) from operator_units where operator_token_id = ?", tokenId),
	};
}

const units = (number: number) => ({ month: number, share: number, rows: number });

/** Runs the sweep as it is after an hour, twice in parallel. */
async function settleLater(change: Partial<Deps> = {}): Promise<void> {
	const real = testDeps();
	const deps = () => testDeps({ ...change, clock: { ...real.clock, now: () => Date.now() + 1.1 * HOUR_MS } });
	await Promise.all([settleUnits(deps()), settleUnits(deps())]);
}

async function openFleet(quotas: Parameters<typeof createFleet>[0] = {}) {
	const [fleet, taskId] = [await createFleet(quotas), await openTask(poster)];
	return { fleet, taskId, child: await fleet.mint() };
}

it("uses one unit for each submission of a child, and keeps it", async () => {
	const { fleet, taskId, child } = await openFleet();
	await child.call("quickSubmit", input(taskId));
	await child.call("createSubmission", { params: { id: taskId } });
	await fleet.operator.call("quickSubmit", input(taskId));
	expect(await unitsOf(fleet, child)).toEqual(units(2));
	await settleLater();
	expect(await unitsOf(fleet, child)).toEqual(units(2));
	expect((await fleet.operator.call("listOperatorTokens")).tokens[0]?.used_quota_submissions).toBe(2);
});

it("takes no unit when the task refuses the submission", async () => {
	const { fleet, taskId, child } = await openFleet();
	await poster.call("closeTask", { params: { id: taskId } });
	await child.refused("quickSubmit", "TASK_NOT_OPEN", input(taskId));
	await expect.poll(() => unitsOf(fleet, child)).toEqual(units(0));
});

it("returns the unit of a repeated request, and repeats the response if the month is used up", async () => {
	const { fleet, taskId, child } = await openFleet({ monthly_quota_submissions: 2 });
	const { id } = await child.call("quickSubmit", input(taskId, "again"));
	expect(await child.call("quickSubmit", input(taskId, "again"))).toMatchObject({ id });
	await expect.poll(() => unitsOf(fleet, child)).toEqual(units(1));
	await child.call("quickSubmit", input(taskId));
	expect(await child.call("quickSubmit", input(taskId, "again"))).toMatchObject({ id });
	await child.refused("quickSubmit", "OPERATOR_QUOTA_EXHAUSTED", input(taskId));
	expect(await unitsOf(fleet, child)).toEqual(units(2));
});

it("reports a refusal by the task before a month that is used up", async () => {
	const { taskId, child } = await openFleet({ monthly_quota_submissions: 1 });
	await child.call("quickSubmit", input(taskId));
	await poster.call("closeTask", { params: { id: taskId } });
	await child.refused("quickSubmit", "TASK_NOT_OPEN", input(taskId));
	await child.refused("createSubmission", "TASK_NOT_OPEN", { params: { id: taskId } });
});

it("returns a unit after an hour if the Worker died before it called the task", async () => {
	const { fleet, taskId, child } = await openFleet();
	expect((await through(child, (real) => withCall(real, "submitFiles", crash)).send("quickSubmit", input(taskId))).status).toBe(500);
	expect(await unitsOf(fleet, child)).toEqual(units(1));
	await settleLater();
	expect(await unitsOf(fleet, child)).toEqual(units(0));
});

it("settles the units of other tasks while one task cannot be reached", async () => {
	const { fleet, taskId, child } = await openFleet();
	const [away, lost] = [await openFleet(), (real: Deps) => withCall(real, "submitFiles", crash)];
	await through(away.child, lost).send("quickSubmit", input(away.taskId));
	await through(child, lost).send("quickSubmit", input(taskId));
	const real = testDeps();
	const callTask: Hubs["callTask"] = (id, verb, call) =>
		id === away.taskId ? Promise.reject(new Error("Away.")) : real.hubs.callTask(id, verb, call);
	await settleLater({ hubs: { ...real.hubs, callTask }, log: { info: () => {}, error: () => {} } });
	expect(await unitsOf(fleet, child)).toEqual(units(0));
	expect(await unitsOf(away.fleet, away.child)).toEqual(units(1));
	await settleLater();
	expect(await unitsOf(away.fleet, away.child)).toEqual(units(0));
});

it("keeps the unit if the Worker died after the task accepted the submission, also without its card", async () => {
	const { fleet, taskId, child } = await openFleet();
	const dying = (real: Deps) => withCall(real, "submitFiles", (call) => call().then(crash));
	expect((await through(child, dying).send("quickSubmit", input(taskId))).status).toBe(500);
	expect((await through(child, dying).send("quickSubmit", input(taskId))).status).toBe(500);
	await count(
		"delete from submission_cards where id = (select max(id) from submission_cards where task_id = unhex(replace(?, '-', ''))) returning 1",
		taskId,
	);
	await settleLater();
	expect(await unitsOf(fleet, child)).toEqual(units(2));
	expect(await count("select count(*) from operator_units where is_confirmed = 0")).toBe(0);
});

it("returns the unit once with the slot, even if the card is written often", async () => {
	const { fleet, taskId, child } = await openFleet();
	const { id } = await child.call("quickSubmit", input(taskId));
	await child.call("quickSubmit", input(taskId));
	for (let time = 1; time <= 2; time += 1) {
		await inTask(taskId, (task) => {
			giveSlotBack(task, getSubmissionRow(task, id));
			task.markSubmission(id);
		});
	}
	expect(await unitsOf(fleet, child)).toEqual(units(1));
	expect(await queryOne("select id from operator_units where id = ?", id)).toBeNull();
});

it("counts the bytes of an anonymous network before the task is called, and gives nothing back", async () => {
	const open = await openTask(poster);
	const closed = await openTask(poster);
	await poster.call("closeTask", { params: { id: closed } });
	const agent = await registerAgent();
	const config = (real: Deps) => ({ config: { ...real.config, networkCaps: { agents: null, bytes: 1_000_000, publishes: null } } });
	const app = createApp(() => testDeps(config(testDeps())));
	const client = createClient({ key: agent.key, address: "198.18.7.7", fetch: (request) => app.fetch(request) });
	const used = () => count("select coalesce(sum(used), 0) from network_usage where kind = 'bytes' and cap = 1000000");
	await client.call("quickSubmit", input(open, "again"));
	const once = await used();
	expect(once).toBeGreaterThan(0);
	await client.refused("quickSubmit", "TASK_NOT_OPEN", input(closed));
	expect(await used()).toBe(2 * once);
	await client.call("quickSubmit", input(open, "again"));
	expect(await used()).toBe(3 * once);
});
