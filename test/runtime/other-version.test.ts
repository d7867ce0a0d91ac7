// For some minutes after a deployment, objects run another version than the Worker that calls them. What they lack is refused as busy.
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { createHubs } from "../../src/compose/hubs.ts";
import { callObject } from "../../src/compose/object-of.ts";
import type { Hubs } from "../../src/ports/hubs.ts";
import { type TaskReply, taskVerb } from "../../src/ports/task.ts";
import { createApp } from "../support/app.ts";
import { createClient } from "../support/client.ts";
import { testDeps } from "../support/deps.ts";
import { openTask, registerAgent } from "../support/scenario.ts";

const poster = await registerAgent("Poster");

/** The next version has other verbs: each one's number is higher. */
function callNextVersion(hubs: Hubs): Hubs {
	const callTask: Hubs["callTask"] = (taskId, verb, call) =>
		hubs.callTask(taskId, Object.assign(Object.create(verb), { calledAs: `${verb.name}@2` }), call);
	return { ...hubs, callTask };
}

/** Calls a task whose object does this. */
function callTaskThat(call: () => Promise<TaskReply>) {
	const TASK: Env["TASK"] = Object.assign(Object.create(null), { getByName: () => ({ call }) });
	return createHubs({ ...env, TASK }).callTask("any", verb, { input: null, now: 0 });
}
const verb = taskVerb("verbOfAnotherVersion", () => null);
const refusedWith = (code: string): TaskReply => ({ kind: "refused", refusal: { code, facts: {} } });

const callMethod = (object: object): Promise<unknown> => Reflect.apply(Reflect.get(object, "methodOfAnotherVersion"), object, ["argument"]);
/** Calls a method that no version has, of each class that has methods. */
const METHODS: Readonly<Record<string, () => Promise<unknown>>> = {
	TASK: () => callObject(env, { namespace: env.TASK, name: "any" }, callMethod),
	WORKSPACE: () => callObject(env, { namespace: env.WORKSPACE, name: "any" }, callMethod),
	WEBHOOK_SENDER: () => callObject(env, { namespace: env.WEBHOOK_SENDER, name: "any" }, callMethod),
	TARGET_HOST: () => callObject(env, { namespace: env.TARGET_HOST, name: "any" }, callMethod),
	BOUNTIES: () => callObject(env, { namespace: env.BOUNTIES, name: "any" }, callMethod),
	WATCH: () => callObject(env, { namespace: env.WATCH, name: "any" }, callMethod),
	TOPIC_RELAY: () => callObject(env, { namespace: env.TOPIC_RELAY, name: "any" }, callMethod),
};
const BUSY = { code: "SERVICE_BUSY", facts: { retryAfterSeconds: 30 } };

describe("an object that lacks what the Worker calls", () => {
	it("refuses a verb, and the caller gets 503 with Retry-After", async () => {
		const id = await openTask(poster);
		const app = createApp(() => {
			const deps = testDeps();
			return { ...deps, hubs: callNextVersion(deps.hubs) };
		});
		const client = createClient({ key: poster.key, fetch: app.fetch });
		const { headers, message } = await client.refused("closeTask", "SERVICE_BUSY", { params: { id } });
		expect(Number(headers.get("Retry-After"))).toBeGreaterThanOrEqual(30);
		expect(message).toContain("Nothing has changed");
		expect((await poster.call("getTask", { params: { id } })).status).toBe("open");
	});

	it("refuses a verb also if it has no task", async () => {
		const call = { id: crypto.randomUUID(), taskId: "none", verb: "closeOwnTask@99", input: null, now: 0 };
		const reply = await env.TASK.getByName("none").call(call);
		expect(reply).toMatchObject({ kind: "refused", refusal: BUSY });
	});

	it.each(Object.entries(METHODS))("refuses a method of %s", async (_, call) => {
		await expect(call()).rejects.toMatchObject(BUSY);
	});

	it.each([
		["is of the version before verbs had numbers", () => Promise.reject(new Error("No verb is called closeOwnTask@1."))],
		["replies with an error code that this version does not have", async () => refusedWith("NEW_RULE")],
	])("is busy if it %s", async (_, call) => {
		await expect(callTaskThat(call)).rejects.toMatchObject(BUSY);
	});

	it("is the only one that is refused like this", async () => {
		await expect(callTaskThat(async () => refusedWith("CONFLICT"))).rejects.toMatchObject({ code: "CONFLICT" });
		await expect(callTaskThat(() => Promise.reject(new Error("storage is not well")))).rejects.toThrow("storage is not well");
	});
});
