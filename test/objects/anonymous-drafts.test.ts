// An anonymous agent has at most 100 drafts, also when it creates them at once. Drafts that it forgets are deleted after 30 days, and
// nothing else is.
import { expect, it } from "vitest";
import { runSweep } from "../../src/queues/sweeps.ts";
import { linkToHuman, setTier } from "../support/directory.ts";
import { readTaskRow } from "../support/house.ts";
import { attachmentForm, createDraft, hoursFromNow, type RegisteredClient, registerAgent, taskInput } from "../support/scenario.ts";
import { count, listBucket } from "../support/storage.ts";
import { DAY_MS } from "../support/times.ts";
import { createWorld } from "../support/world.ts";

const LIMIT = 100;
const SURPLUS = 6;

const at = (id: string) => ({ params: { id } });
const rowsOf = ({ agentId }: RegisteredClient) => count("select count(*) from anonymous_drafts where agent_id = ?", agentId);
const countStatuses = (responses: readonly Response[]) =>
	Object.fromEntries([...Map.groupBy(responses, ({ status }) => status)].map(([status, { length }]) => [status, length]));

it("parallel creations and copies make no more drafts than an anonymous agent can have", async () => {
	const poster = await registerAgent("Poster");
	const { id: original } = await createDraft(poster);
	const requests = Array.from({ length: LIMIT - 1 + SURPLUS }, (_, index) =>
		index % 2 === 0 ? poster.send("createTask", { body: taskInput() }) : poster.send("cloneTask", at(original)),
	);
	const responses = await Promise.all(requests);
	expect(countStatuses(responses)).toEqual({ 201: LIMIT - 1, 409: SURPLUS });
	const drafts = await count("select count(*) from task_cards where company_id = ? and status = 'draft'", poster.agentId);
	expect(drafts).toBe(LIMIT);

	const { message } = await poster.refused("cloneTask", "CONFLICT", at(original));
	expect(message).toContain("the maximum number of drafts for an anonymous agent");
	await poster.call("publishTask", at(original));
	await createDraft(poster);
	await poster.refused("createTask", "CONFLICT", { body: taskInput() });
	const { data } = await poster.call("listTasks", { query: { owner: "me", status: "draft", limit: 1 } });
	await poster.call("deleteTask", at(data[0]?.id ?? ""));
	const last = { body: taskInput(), headers: { "Idempotency-Key": "the last one" } };
	const { id } = await poster.call("createTask", last);
	expect((await poster.call("createTask", last)).id).toBe(id);
	expect(await rowsOf(poster)).toBe(LIMIT);

	await setTier(poster.agentId, "verified");
	await createDraft(poster);
});

it("other agents have as many drafts as they like", async () => {
	const poster = await registerAgent("Verified");
	await setTier(poster.agentId, "verified");
	await createDraft(poster);
	expect(await rowsOf(poster)).toBe(0);
});

it("the sweep deletes what was not changed for 30 days", async () => {
	const world = createWorld();
	const sweep = () => runSweep(world.deps(), "forget");
	const poster = await registerAgent("Poster");
	const own = world.enter(poster);
	const draft = async () => (await createDraft(own, { deadline: hoursFromNow(24 * 100) })).id;
	const [forgotten, changed, attached, published, claimed] = [await draft(), await draft(), await draft(), await draft(), await draft()];
	await own.call("publishTask", at(published));
	await own.call("addAttachment", { ...at(forgotten), rawBody: attachmentForm() });
	const exists = async (id: string) => (await readTaskRow(id, "id").catch(() => null)) !== null;

	world.clock.advance(29 * DAY_MS);
	await sweep();
	expect(await exists(forgotten)).toBe(true);
	await own.call("updateTask", { ...at(changed), body: { title: "Changed" } });
	await own.call("addAttachment", { ...at(attached), rawBody: attachmentForm() });
	await own.call("replaceRubric", { ...at(claimed), body: { criteria: taskInput()["criteria"] } });

	world.clock.advance(DAY_MS + 1);
	await Promise.all([sweep(), sweep()]);
	await own.refused("getTask", "NOT_FOUND", at(forgotten));
	expect(await count("select count(*) from task_cards where id = ?", forgotten)).toBe(0);
	await expect.poll(() => listBucket(`tasks/${forgotten}/`)).toEqual([]);
	for (const id of [changed, attached, published, claimed]) await own.call("getTask", at(id));
	expect(await rowsOf(poster)).toBe(3);

	await linkToHuman(poster.agentId, "a-person");
	world.clock.advance(31 * DAY_MS);
	await sweep();
	for (const id of [changed, attached, published, claimed]) await own.call("getTask", at(id));
});

it("a change that arrives while the sweep runs keeps the draft", async () => {
	const world = createWorld();
	const poster = await registerAgent("Poster");
	const own = world.enter(poster);
	const { id } = await createDraft(own, { deadline: hoursFromNow(24 * 100) });
	world.clock.advance(31 * DAY_MS);
	const { hubs } = world.deps();
	const deps = world.deps({
		hubs: {
			...hubs,
			async callTask(taskId, verb, call) {
				if (verb.name === "removeUntouchedDraft") await own.call("updateTask", { ...at(id), body: { title: "Just in time" } });
				return hubs.callTask(taskId, verb, call);
			},
		},
	});
	await runSweep(deps, "forget");
	expect((await own.call("getTask", at(id))).title).toBe("Just in time");
	world.clock.advance(31 * DAY_MS);
	await runSweep(world.deps(), "forget");
	await own.refused("getTask", "NOT_FOUND", at(id));
});

it("a draft that could not be stored takes no place", async () => {
	const world = createWorld();
	const poster = await registerAgent("Poster");
	const { hubs } = world.deps();
	const broken = { hubs: { ...hubs, callTask: () => Promise.reject(new Error("The task's object does not respond.")) } };
	expect((await world.enter(poster, broken).send("createTask", { body: taskInput() })).status).toBe(500);
	await expect.poll(() => rowsOf(poster)).toBe(0);
});
