// Operators see whether the judge's models work: /ready says it, and they test a model whenever they want.
import { beforeEach, describe, expect, it } from "vitest";
import { admin } from "../support/admin.ts";
import { configWith, testDeps } from "../support/deps.ts";
import { forgetJudge, readDeploymentSpend, readProbes } from "../support/directory.ts";
import { honest, type JudgeStep, scriptJudge } from "../support/judge-script.ts";
import { judgedPlatform } from "../support/judged-platform.ts";
import { judgeOf } from "../support/judging.ts";
import { able, unable } from "../support/probed-models.ts";
import { openTask, registerAgent, submit } from "../support/scenario.ts";
import { completion, failure, forgetLearned, type Play, readCall } from "../support/scripted-model.ts";
import { HOUR_MS, MINUTE_MS } from "../support/times.ts";
import { createWorld } from "../support/world.ts";

/** Publishing asks no model about checks that are there. */
const CRITERIA = [
	{ name: "Parser", weight: 60, checks: ["It splits lines", "It splits cells"] },
	{ name: "Tests", weight: 40, checks: ["A test has quotes", "A test has line breaks"] },
];

beforeEach(forgetJudge);

describe("the judge in /ready", () => {
	let hours = 0;
	const WORDS = "No credit on the account acct-77.";
	const suppliers = [{ name: "default", open_since: null }];

	async function begin(steps: readonly JudgeStep[]) {
		const platform = judgedPlatform(judgeOf(await scriptJudge([{ steps }])));
		// An isolate writes the same at most once a minute, and other tests have had it write.
		hours += 1;
		platform.clock.advance(hours * HOUR_MS);
		const poster = platform.as(await registerAgent("Poster"));
		const agent = platform.as(await registerAgent("Builder"));
		const taskId = await openTask(poster, { criteria: CRITERIA });
		const { id } = await submit(agent, taskId);
		const ready = async (caller: { readonly key: string | null }) => (await platform.enter(caller).call("getReadiness")).judge;
		return { platform, taskId, id, look: () => platform.look({ id, taskId }), ready };
	}

	it("is `none` without one, and `offline` if it asks no model", async () => {
		const nothing = { last_success_at: null, last_fault: null, suppliers: [] };
		expect((await judgedPlatform(null).anybody.call("getReadiness")).judge).toEqual({ state: "none", ...nothing });
		expect((await createWorld().enter({ key: null }).call("getReadiness")).judge).toEqual({ state: "offline", ...nothing });
	});

	it("is `untested` before an evaluation has asked a model, and `ok` after one was judged", async () => {
		const { look, ready, platform } = await begin([honest()]);
		expect(await ready({ key: null })).toEqual({ state: "untested", last_success_at: null, last_fault: null, suppliers });
		await look();
		const at = new Date(platform.clock.now()).toISOString();
		await expect.poll(() => ready({ key: null })).toEqual({ state: "ok", last_success_at: at, last_fault: null, suppliers });
	});

	it("is `failed` while an evaluation waits for its model, and only the admin's token shows the supplier's words", async () => {
		const refused: JudgeStep = { kind: "status", status: 402, body: { error: { message: WORDS } } };
		const { look, ready, platform } = await begin([refused, honest()]);
		const delayMs = await look();
		const fault = { at: new Date(platform.clock.now()).toISOString(), message: expect.stringContaining("credit") };
		const shown = { state: "failed", last_success_at: null, last_fault: { ...fault, supplier_words: null }, suppliers };
		await expect.poll(() => ready({ key: null })).toEqual(shown);
		expect(await ready(await registerAgent())).toEqual(shown);
		expect((await ready({ key: null })).last_fault?.message).not.toContain("acct-77");
		expect(await ready(admin)).toEqual({ ...shown, last_fault: { ...fault, supplier_words: expect.stringContaining(WORDS) } });

		platform.clock.advance(Math.max(delayMs ?? 0, MINUTE_MS));
		await look();
		const at = new Date(platform.clock.now()).toISOString();
		await expect.poll(async () => (await ready({ key: null })).state).toBe("ok");
		expect(await ready({ key: null })).toEqual({
			state: "ok",
			last_success_at: at,
			last_fault: { ...fault, supplier_words: null },
			suppliers,
		});
	});

	it("does not decide whether the service is ready", async () => {
		const { look, platform, ready } = await begin([{ kind: "status", status: 404 }]);
		await look();
		await expect.poll(async () => (await ready({ key: null })).state).toBe("failed");
		expect((await platform.anybody.call("getReadiness")).status).toBe("ready");
	});
});

describe("a test of the judge", () => {
	const MODELS = ["compatible:local/a", "compatible:local/b"] as const;

	/** Returns an operator of a deployment with two models that a function plays. */
	function operatorOf(play: Play, ceilings: Readonly<Record<string, number>> = {}) {
		forgetLearned();
		const calls: string[] = [];
		const config = configWith({
			...{ JUDGE: "openai", JUDGE_MODELS: MODELS.join(","), JUDGE_BASE_URL: "local=https://models.example/v1" },
			JUDGE_API_KEY: "local=unused",
		});
		const spend = { ...config.spend, ceilings: { ...config.spend.ceilings, ...ceilings } };
		const world = createWorld({
			config: { ...config, spend },
			fetch: async (url, init) => {
				if (!String(url).includes("models.example")) return testDeps().fetch(url, init);
				const call = readCall(init, { number: calls.length + 1, clock: world.clock });
				calls.push(String(call.body["model"]));
				const played = await play(call);
				if (played instanceof Response) return played;
				const prompt_tokens = Math.ceil((call.system.length + call.user.length) / 4);
				return completion(typeof played === "string" ? played : JSON.stringify(played), { prompt_tokens });
			},
		});
		return { operator: world.enter(admin), calls };
	}

	const because = { reason: "The server was updated." };
	const lastAct = async () => (await admin.call("listAuditEntries", { query: { limit: 1 } })).data[0];

	it("finds a model fit that answers rightly, stores its verdicts, and names the next model", async () => {
		const { operator, calls } = operatorOf(able);
		const { test, next_model, audit_id } = await operator.call("testJudge", { body: because });
		expect(test).toMatchObject({
			...{ model: MODELS[0], fit: true, fault: null, takes: { format: "json_schema", streams: true, characters: expect.any(Number) } },
			verdicts: [
				{ role: "judge", fit: true, accuracy: 1, real_quotes: 1, reason: null },
				{ role: "confirmer", fit: true, accuracy: 1, real_quotes: null, reason: null },
			],
		});
		expect(test?.calls).toBe(calls.length);
		expect(new Set(calls)).toEqual(new Set(["a"]));
		expect(next_model).toBe(MODELS[1]);
		for (const role of ["judge", "confirmer"] as const) {
			expect(await readProbes(MODELS[0], role)).toHaveLength(3);
			expect(await readProbes(MODELS[1], role)).toBeNull();
		}
		expect(await lastAct()).toMatchObject({ id: audit_id, action: "judge.test", ...because, after: { model: MODELS[0], fit: true } });
	});

	it("finds a model unfit that says yes to everything, and its verdicts count too", async () => {
		const { operator } = operatorOf(unable);
		const { test, next_model, audit_id } = await operator.call("testJudge", { body: { ...because, model: MODELS[1] } });
		expect(test).toMatchObject({ model: MODELS[1], fit: false, fault: null });
		expect(test?.verdicts).toMatchObject([
			{ role: "judge", fit: false, real_quotes: 0, reason: "0 of 36 quotes are in the files" },
			{ role: "confirmer", fit: false, accuracy: 0.5, reason: "50 % of its answers are right" },
		]);
		expect(next_model).toBeNull();
		expect(await readProbes(MODELS[1], "judge")).toMatchObject([{ claimed: 12, real: 0 }, { real: 0 }, { real: 0 }]);
		expect(await lastAct()).toMatchObject({ id: audit_id, after: { model: MODELS[1], fit: false } });
	});

	it("says what the supplier said if the server is down, and comes to no verdict", async () => {
		const { operator } = operatorOf(() => failure(503, { error: { message: "Down for repair until noon." } }));
		const { test, audit_id } = await operator.call("testJudge", { body: because });
		expect(test).toMatchObject({
			...{ model: MODELS[0], fit: false, calls: 0 },
			fault: { message: expect.any(String), supplier_words: expect.stringContaining("Down for repair until noon.") },
			takes: { characters: null },
		});
		for (const verdict of test?.verdicts ?? [])
			expect(verdict).toMatchObject({ fit: null, accuracy: null, real_quotes: null, reason: null });
		for (const role of ["judge", "confirmer"] as const) expect(await readProbes(MODELS[0], role)).toBeNull();
		expect(await lastAct()).toMatchObject({ id: audit_id, after: { fit: false } });
	});

	it("refuses a model that the deployment does not have, and asks no one", async () => {
		const { operator, calls } = operatorOf(able);
		const before = await lastAct();
		await operator.refused("testJudge", "INVALID_BODY", { body: { ...because, model: "compatible:local/c" } });
		expect(calls).toEqual([]);
		expect(await lastAct()).toEqual(before);
	});

	it("is refused while the deployment's day has no room, and asks no one", async () => {
		const { operator, calls } = operatorOf(able, { deployment_day_micro_usd: 1 });
		const before = await lastAct();
		const refusal = await operator.refused("testJudge", "CONFLICT", { body: because });
		expect(refusal.message).toContain("would exceed the deployment's spending ceiling");
		expect(calls).toEqual([]);
		expect(await readProbes(MODELS[0], "judge")).toBeNull();
		expect(await lastAct()).toEqual(before);
	});

	it("is paid for by the deployment's day, with nothing left reserved", async () => {
		const before = await readDeploymentSpend();
		await operatorOf(able).operator.call("testJudge", { body: because });
		const after = await readDeploymentSpend();
		expect(after.settled).toBeGreaterThan(before.settled);
		expect(after.reserved).toBe(before.reserved);
	});

	it("has no model to test where the judge asks none", async () => {
		const { test, next_model, audit_id } = await createWorld().enter(admin).call("testJudge", { body: because });
		expect([test, next_model]).toEqual([null, null]);
		expect(await lastAct()).toMatchObject({ id: audit_id, after: { model: null, fit: null } });
	});
});
