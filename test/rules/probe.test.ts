// A model that cannot judge makes jobs wait with a sentence, and no one gets a zero for it.
import { describe, expect, it } from "vitest";
import { formatProbes } from "../../scripts/judge/probe.ts";
import { isFit, testModel } from "../../src/core/judging/engine/model-tests.ts";
import type { Prober } from "../../src/core/judging/engine/probe.ts";
import { PROBE_PAIRS } from "../../src/core/judging/engine/probe-material.ts";
import {
	COUNTED_PROBES,
	type ProbeKey,
	type ProbeRecord,
	type ProbeStore,
	type ProbeTally,
	verdictOf,
} from "../../src/core/judging/engine/probe-record.ts";
import { DAY_MS, HOUR_MS } from "../../src/platform/clock.ts";
import { able, unable } from "../support/probed-models.ts";
import {
	answer,
	delta,
	engineSettings,
	evaluationRequest,
	failure,
	interruptingServer,
	letTimePass,
	type Play,
	scriptedModel,
	slowServer,
	stream,
} from "../support/scripted-model.ts";

function prober(): Prober & { readonly paid: unknown[] } {
	const paid: unknown[] = [];
	const account = { onCall: (call: unknown) => paid.push(call), settle: async () => {} };
	return { store: createMemoryProbeStore(), begin: async () => account, paid };
}

describe("the probe", () => {
	it("lets a model judge that can, after three rounds, whose cost is not the job's", async () => {
		const probes = prober();
		const model = scriptedModel(able, {}, probes);
		expect(await model.judge()).toMatchObject({ kind: "finished", judgement: { criteria: [{ score: 100 }] } });
		expect(probes.paid).toHaveLength(3 * 12 * 2);
		expect(model.paid).toHaveLength(2);
	});

	it("makes jobs wait for a model that cannot, and says why", async () => {
		const model = scriptedModel(unable, {}, prober());
		expect(await model.judge()).toMatchObject({
			kind: "waiting",
			wait: { reason: "supplier", message: "The model compatible:local/tester cannot judge: 0 of 36 quotes are in the files." },
		});
	});

	it("asks a model that passed again after a day, one that failed after an hour, and none in between", async () => {
		const probes = prober();
		const passed = scriptedModel(able, {}, probes);
		await passed.judge();
		const asked = probes.paid.length;
		await passed.once(evaluationRequest());
		expect(probes.paid).toHaveLength(asked);
		passed.clock.advance(DAY_MS);
		await passed.once(evaluationRequest());
		expect(probes.paid).toHaveLength(asked + 24);

		const others = prober();
		const failed = scriptedModel(unable, { isConfirming: false }, others);
		await failed.judge();
		failed.clock.advance(HOUR_MS - 1_000);
		await failed.once(evaluationRequest());
		expect(others.paid).toHaveLength(36);
		failed.clock.advance(1_000);
		await failed.once(evaluationRequest());
		expect(others.paid).toHaveLength(48);
	});

	it("says nothing about a model whose calls fail, and probes it when they do not", async () => {
		let isDown = true;
		const model = scriptedModel((call) => (isDown ? failure(503) : able(call)), {}, prober());
		expect(await model.judge()).toMatchObject({ kind: "waiting", wait: { message: expect.stringContaining("could not be probed") } });
		isDown = false;
		expect((await model.judge()).kind).toBe("finished");
	});

	it.each<[string, Play, string, string]>([
		["a wrong key", () => failure(401), "supplier", "The operator must correct JUDGE_API_KEY"],
		["a wrong name", () => failure(404), "supplier", "The operator must correct JUDGE_MODELS or JUDGE_BASE_URL"],
		["a rate limit", () => failure(429), "rate_limit", "is at its rate limit"],
		["no server", () => Promise.reject(new Error("connect ECONNREFUSED 127.0.0.1:1")), "supplier", "cannot be reached"],
		["a lost connection", () => Promise.reject(new Error("Network connection lost.")), "supplier", "broke before it answered"],
	])("says what is wrong when its first call finds %s, which the breaker counts unless it is a limit", async (_, play, reason, message) => {
		const outcome = await scriptedModel(play, {}, prober()).judge();
		expect(outcome).toMatchObject({ kind: "waiting", wait: { reason, message: expect.stringContaining(message) } });
		expect(outcome.kind === "waiting" && outcome.wait.breaker).toBe(reason === "supplier" ? "fault" : undefined);
	});

	it("goes on where an attempt ended, so that a slow server gets its verdict and no call is made twice", async () => {
		const probes = prober();
		const model = scriptedModel(slowServer(65_000, able), { callsAtOnce: 1 }, probes);
		const outcome = await model.judge(evaluationRequest(), 12);
		expect(outcome).toMatchObject({ kind: "finished", judgement: { criteria: [{ score: 100 }] } });
		expect(probes.paid).toHaveLength(72);
		expect(model.paid).toHaveLength(2);
	});

	it("lets another model of the list judge instead", async () => {
		const mixed: Play = (call) => (call.body["model"] === "small" ? unable(call) : able(call));
		const model = scriptedModel(mixed, { models: ["compatible:local/small", "compatible:local/large"] }, prober());
		expect(await model.judge()).toMatchObject({ kind: "finished", judgement: { models: ["compatible:local/large"] } });
	});

	it("needs a confirmer that tells right lines from others", async () => {
		const nodding: Play = (call) => (call.isConfirmation ? answer(call) : able(call));
		const outcome = await scriptedModel(nodding, {}, prober()).judge();
		expect(outcome).toMatchObject({
			kind: "waiting",
			wait: { message: expect.stringContaining("cannot confirm quotes: 50 % of its answers are right") },
		});
	});

	it("runs once, although many jobs find it due", async () => {
		const probes = prober();
		const model = scriptedModel(able, {}, probes);
		const outcomes = await Promise.all(Array.from({ length: 8 }, () => model.once(evaluationRequest())));
		expect(outcomes.filter(({ kind }) => kind === "finished")).toHaveLength(1);
		expect(probes.paid).toHaveLength(72);
	});
});

describe("the verdict", () => {
	const tally = (change: Partial<ProbeTally> = {}): ProbeTally => ({
		...{ claimed: 6, real: 6, unread: 0, honest: { asked: 6, right: 6 }, dishonest: { asked: 6, right: 6 } },
		...change,
	});
	it("needs three probes, and is over the last five", () => {
		expect(verdictOf("judge", { tallies: [tally(), tally()] })).toBeNull();
		const bad = tally({ claimed: 12, real: 0, dishonest: { asked: 6, right: 0 } });
		expect(verdictOf("judge", { tallies: [bad, bad, tally(), tally(), tally(), tally(), tally()] })?.isFit).toBe(true);
		expect(verdictOf("judge", { tallies: [tally(), tally(), tally(), tally(), bad] })?.isFit).toBe(false);
	});

	it("says so if most replies could not be read, which is another fault than bad quotes", () => {
		const unread = tally({ claimed: 1, real: 0, unread: 11, honest: { asked: 6, right: 1 }, dishonest: { asked: 6, right: 0 } });
		expect(verdictOf("judge", { tallies: [unread, unread, unread] })?.reason).toBe("33 of 36 replies could not be read");
		expect(verdictOf("confirmer", { tallies: [unread, unread, unread] })?.reason).toBe("33 of 36 replies could not be read");
	});

	it("takes a model that never says yes for one without a real quote", () => {
		const silent = tally({ claimed: 0, real: 0, honest: { asked: 6, right: 0 } });
		expect(verdictOf("judge", { tallies: [silent, silent, silent] })).toMatchObject({
			isFit: false,
			reason: "0 of 0 quotes are in the files",
		});
	});
});

describe("npm run judge -- --probe", () => {
	const report = (play: Play) => {
		const { deps, clock } = scriptedModel(play);
		return letTimePass(clock, testModel(deps, engineSettings(), "compatible:local/tester"));
	};

	it("says of a model that can judge what its server accepts", async () => {
		const refusing: Play = (call) =>
			JSON.stringify(call.body["response_format"])?.includes("json_schema")
				? failure(500, { error: { message: "response_format: Input should be 'text' or 'json_object'" } })
				: able(call);
		const found = await report(refusing);
		expect(isFit(found)).toBe(true);
		expect(formatProbes([found])).toContain("accepts: json_object, max_completion_tokens and max_tokens, streams");
	});

	it("says which form a server takes, although its model answers only prose", async () => {
		const rambling: Play = (call) =>
			JSON.stringify(call.body["response_format"])?.includes("json_schema")
				? failure(500, { error: { message: "response_format: Input should be 'text' or 'json_object'" } })
				: "The function looks correct to me.";
		const found = await report(rambling);
		expect(isFit(found)).toBe(false);
		expect(found.form.format).toBe("json_object");
		expect(formatProbes([found])).not.toContain("every form of request");
		expect(formatProbes([found])).toContain("judge: 0 % of answers right (36 of 36 replies could not be read)");
	});

	it("has time for a slow server", async () => {
		const { deps, clock } = scriptedModel(slowServer(65_000, able));
		const found = await letTimePass(clock, testModel(deps, engineSettings({ callsAtOnce: 1 }), "compatible:local/tester"));
		expect(found.fault).toBeNull();
		expect(isFit(found)).toBe(true);
	});

	it.each([1, 4])(
		"comes to its end at a server that breaks a reply off when another request comes, with %s at once",
		async (callsAtOnce) => {
			const { deps, clock } = scriptedModel(interruptingServer(able));
			const found = await letTimePass(clock, testModel(deps, engineSettings({ callsAtOnce }), "compatible:local/tester"));
			expect(found.fault).toBeNull();
			expect(isFit(found)).toBe(true);
		},
	);

	it("says of a stream without an end what has happened, and which option of the server to look at", async () => {
		const found = formatProbes([await report(() => stream([delta("{")]))]);
		expect(found).toContain("The stream ended without a finish reason");
		expect(found).toContain("--interrupt_requests false");
	});

	it("says of one that cannot that it is not fit, and why calls failed", async () => {
		const unfit = await report(unable);
		expect(isFit(unfit)).toBe(false);
		expect(formatProbes([unfit])).toContain("judge: 50 % of answers right, 0 % of quotes real");
		const failing = formatProbes([await report(() => failure(401, { error: { message: "Incorrect API key provided" } }))]);
		expect(failing).toContain("Incorrect API key provided");
		expect(failing).toContain("Not fit to judge.");
	});
});

describe("the probe's material", () => {
	it("has the lines that it names, and right answers that only the work decides", () => {
		for (const { honest, dishonest } of PROBE_PAIRS) {
			for (const { text, line } of [honest, dishonest]) expect(text.split("\n")).toContain(line);
			expect(honest.text).not.toBe(dishonest.text);
		}
	});
});

/** Keeps probes in memory. */
function createMemoryProbeStore(): ProbeStore {
	const records = new Map<string, ProbeRecord>();
	const claims = new Map<string, number>();
	const name = ({ model, role, promptVersion }: ProbeKey) => JSON.stringify([model, role, promptVersion]);
	return {
		read: async (key) => records.get(name(key)) ?? null,
		async claim(key, { now, until }) {
			if ((claims.get(name(key)) ?? 0) > now) return false;
			claims.set(name(key), until);
			return true;
		},
		async add(key, { tallies, begun, now }) {
			const earlier = records.get(name(key))?.tallies ?? [];
			const record = { tallies: [...earlier, ...tallies].slice(-COUNTED_PROBES), begun, probedAt: now };
			records.set(name(key), record);
			claims.delete(name(key));
			return record;
		},
	};
}
