// A platform whose operator has mistyped a setting serves everything that the setting does not bound, and goes on when it is mended.
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { type Config, readConfig } from "../../src/config/env.ts";
import { resumeJudging } from "../../src/core/competition/evaluation/pause.ts";
import { createSwitchboard } from "../../src/core/identity/switches/service.ts";
import { createApp } from "../support/app.ts";
import { type Client, createClient } from "../support/client.ts";
import { testDeps } from "../support/deps.ts";
import { GOOD_FILES, openTask, registerAgent, taskInput } from "../support/scenario.ts";
import { createWorld } from "../support/world.ts";

const [poster, ada] = [await registerAgent("Careful Poster"), await registerAgent("Ada")];

function configWithTypo(variables: Readonly<Record<string, string>>): Config {
	return readConfig(Object.assign({}, env, variables));
}

/** Returns a caller of a deployment with this configuration. */
function callerAt(config: Config, key: string | null): Client {
	return createClient({
		key,
		fetch: async (request) => {
			const deps = testDeps({ config, switchboard: createSwitchboard() });
			const response = await createApp(() => deps).fetch(request);
			await deps.settled();
			return response;
		},
	});
}

describe("an invalid setting", () => {
	it("is named by /ready, without its value, and everything goes on", async () => {
		const config = configWithTypo({ ALERT_WEBHOOK: "hooks.example/secret" });
		const ready = await callerAt(config, null).call("getReadiness", {});
		expect(ready).toMatchObject({ status: "ready", settings: [{ name: "ALERT_WEBHOOK", problem: expect.any(String) }] });
		expect(JSON.stringify(ready)).not.toContain("secret");
		expect(await callerAt(config, null).call("getHealth", {})).toMatchObject({ status: "ok" });
		expect(await callerAt(config, poster.key).call("createTask", { body: taskInput() })).toMatchObject({ status: "draft" });
	});

	it("that places a deal's fee stops writes with its name, and reading goes on", async () => {
		const config = configWithTypo({ FEE_BPS: "ten" });
		const refusal = await callerAt(config, poster.key).refused("createTask", "SERVICE_PAUSED", { body: taskInput() });
		expect(refusal.message).toContain("FEE_BPS");
		expect(Number(refusal.headers.get("Retry-After"))).toBeGreaterThanOrEqual(30);
		expect(await callerAt(config, poster.key).call("whoAmI", {})).toMatchObject({ agent_id: poster.agentId });
	});

	it("MAINTENANCE with a typing error stops writes as its value `on` does, because a restore may be under way", async () => {
		for (const [MAINTENANCE, words] of [
			["yes", "MAINTENANCE"],
			["on", "restoring"],
		] as const) {
			const config = configWithTypo({ MAINTENANCE });
			const refusal = await callerAt(config, poster.key).refused("createTask", "SERVICE_PAUSED", { body: taskInput() });
			expect(refusal.message).toContain(words);
			expect(await callerAt(config, poster.key).call("whoAmI", {})).toMatchObject({ agent_id: poster.agentId });
		}
		expect(await callerAt(configWithTypo({ MAINTENANCE: "off" }), poster.key).call("createTask", { body: taskInput() })).toMatchObject({
			status: "draft",
		});
	});

	it("that guards registration stops it", async () => {
		const config = configWithTypo({ REGISTRATION_CHALLENGE: "proof" });
		await callerAt(config, null).refused("registerAnonymous", "SERVICE_PAUSED", { body: { display_name: "Late" } });
		expect(await createClient().call("registerAnonymous", { body: {} })).toMatchObject({ agent_id: expect.any(String) });
	});

	it("that bounds judging makes work wait, and it is judged once the setting is mended", async () => {
		const world = createWorld();
		const taskId = await openTask(poster);
		const { id } = await world.enter(ada).call("quickSubmit", { params: { id: taskId }, body: { files: GOOD_FILES } });
		await world.visitTask(taskId, { config: configWithTypo({ JUDGE_PRICES: "dear" }), switchboard: createSwitchboard() });
		const waiting = await ada.call("getSubmission", { params: { id } });
		expect(waiting).toMatchObject({
			status: "running",
			waiting_for: { reason: "paused", message: expect.stringContaining("JUDGE_PRICES") },
		});
		await resumeJudging(world.deps());
		await world.visitTask(taskId);
		await world.workOffTask(taskId);
		expect(await ada.call("getSubmission", { params: { id } })).toMatchObject({ status: "completed", waiting_for: null });
	});
});
