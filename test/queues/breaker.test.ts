// A supplier that is down is not called: its jobs wait, another model judges, and one control a minute finds out when it is well again.
import { describe, expect, it } from "vitest";
import { IsolateBoard } from "../../src/core/judging/breaker/board.ts";
import { createModelJudge } from "../../src/core/judging/engine/model-judge.ts";
import type { Deps } from "../../src/ports/deps.ts";
import { admin } from "../support/admin.ts";
import { type JudgeChoices, judgeSettings } from "../support/judging.ts";
import { createDraft, GOOD_FILES, registerAgent } from "../support/scenario.ts";
import { answer, completion, failure, forgetLearned, type ModelCall, readCall } from "../support/scripted-model.ts";
import { HOUR_MS, MINUTE_MS, SECOND_MS } from "../support/times.ts";
import { createWorld, jobsOf } from "../support/world.ts";

const CRITERIA = [
	{ name: "Parser", weight: 60, checks: ["It splits lines", "It splits cells"] },
	{ name: "Tests", weight: 40, checks: ["A test has quotes", "A test has line breaks"] },
];
const STEP_MS = MINUTE_MS;
const TWO_SUPPLIERS = {
	JUDGE_MODELS: "compatible:one/a,compatible:two/b",
	JUDGE_BASE_URL: "one=https://one.example/v1,two=https://two.example/v1",
};
const at = (id: string) => ({ params: { id } });
const well = (call: ModelCall) => completion(JSON.stringify(answer(call)));

/** Begins with a number of submissions of as many agents, and with a supplier that a test makes fail and mends. */
async function begin({ submissions = 5, choices = {} }: { readonly submissions?: number; readonly choices?: JudgeChoices } = {}) {
	forgetLearned();
	const world = createWorld();
	const supplier = { reply: well };
	const calls: { readonly host: string; readonly model: string }[] = [];
	const settings = judgeSettings({ JUDGE_BASE_URL: "https://one.example/v1", ...choices });
	const fetch: Deps["fetch"] = async (url, init) => {
		const call = readCall(init, { number: calls.length + 1, clock: world.clock });
		calls.push({ host: new URL(url).host, model: String(call.body["model"]) });
		return new URL(url).host === "one.example" ? supplier.reply(call) : well(call);
	};
	const judge = createModelJudge({ clock: world.clock, fetch }, settings, null);
	const poster = await registerAgent("Poster");
	const taskId = await world.openTask(poster, { criteria: CRITERIA });
	const submit = async (index: number, files = GOOD_FILES) => {
		const agent = await registerAgent(`Builder ${index}`);
		const work = await world.submit(agent, taskId, { body: { files } });
		return { ...work, read: () => world.enter(agent).call("getSubmission", at(work.id)) };
	};
	const works: Awaited<ReturnType<typeof submit>>[] = [];
	for (let index = 0; index < submissions; index += 1) works.push(await submit(index));
	const workOff = (change: Partial<Deps> = {}) => world.workOffDue(taskId, { judge, ...change });
	return {
		...{ world, supplier, calls, judge, poster, taskId, works, submit, workOff },
		hosts: () => calls.splice(0).map(({ host }) => host),
		openJobs: async () => (await jobsOf(taskId)).filter(({ kind }) => kind === "evaluation"),
		/** Lets time pass, and has all jobs looked at when they are due. */
		async pass(ms: number, change: Partial<Deps> = {}) {
			for (let passed = 0; passed < ms; passed += STEP_MS) {
				world.clock.advance(STEP_MS);
				await workOff(change);
			}
		},
		states: () => world.deps().hubs.callWatch((watch) => watch.readSuppliers(world.clock.now())),
		readiness: () => world.enter({ key: null }, { judge }).call("getReadiness"),
	};
}

const refuse = (status: number) => () => failure(status, { error: { message: `The supplier says ${status}.` } });

describe("a supplier that is down", () => {
	it.each([
		[503, HOUR_MS],
		[401, 10 * MINUTE_MS],
		[402, 10 * MINUTE_MS],
	])("with status %i fails no submission and costs no slot", async (status, outageMs) => {
		const { works, supplier, workOff, pass, hosts, states, openJobs, readiness } = await begin();
		supplier.reply = refuse(status);
		await workOff();
		expect(await states()).toMatchObject([{ supplier: "", openSince: expect.any(Number), hasFaults: true }]);
		hosts();
		expect((await readiness()).judge.suppliers).toEqual([{ name: "default", open_since: expect.any(String) }]);
		await pass(outageMs);
		// Each minute, one job at most has asked the control.
		expect(hosts().length).toBeLessThanOrEqual(outageMs / MINUTE_MS);
		expect(await openJobs()).toHaveLength(works.length);
		for (const { read } of works) {
			expect(await read()).toMatchObject({ status: "running", waiting_for: { reason: "supplier" } });
		}
		supplier.reply = well;
		await pass(12 * MINUTE_MS);
		expect(await openJobs()).toEqual([]);
		for (const { read } of works) {
			expect(await read()).toMatchObject({ status: "completed", scores: { final_score: 100 }, waiting_for: null, quota: { used: 1 } });
		}
		expect(await states()).toMatchObject([{ openSince: null, hasFaults: false }]);
	});

	it("is tried once a minute, by any job, and called again after the first answer", async () => {
		const { supplier, workOff, hosts, world, pass, submit } = await begin();
		supplier.reply = refuse(503);
		await workOff();
		hosts();
		const late = await submit(6);
		world.clock.advance(SECOND_MS);
		await workOff();
		expect(hosts()).toEqual([]);
		expect((await late.read()).waiting_for).toMatchObject({
			reason: "supplier",
			message: expect.stringMatching(/has not worked since .*Z\. The platform tries it once a minute\.$/),
		});
		await pass(3 * MINUTE_MS);
		expect(hosts().length).toBeLessThanOrEqual(3);
		supplier.reply = well;
		await pass(11 * MINUTE_MS);
		expect(await late.read()).toMatchObject({ status: "completed" });
		const next = await submit(7);
		await workOff();
		expect(await next.read()).toMatchObject({ status: "completed" });
	});

	it("leaves an operator's pause as it is, in the middle and afterwards", async () => {
		const { works, supplier, workOff, pass, hosts, openJobs, states, world, taskId, judge } = await begin();
		const pause = (on: boolean) =>
			world.enter(admin).call("setSwitches", { body: { judging: { on, message: on ? "" : "We move." }, reason: "A test." } });
		supplier.reply = refuse(503);
		await workOff();
		await pass(10 * MINUTE_MS);
		await pause(false);
		await pass(20 * MINUTE_MS);
		supplier.reply = well;
		hosts();
		await pass(20 * MINUTE_MS);
		expect(hosts()).toEqual([]);
		expect((await world.enter(admin).call("getSwitches")).judging).toMatchObject({ on: false, message: "We move." });
		expect(await openJobs()).toHaveLength(works.length);
		await pause(true);
		await world.visitTask(taskId, { judge });
		await pass(20 * MINUTE_MS);
		for (const { read } of works) expect(await read()).toMatchObject({ status: "completed", quota: { used: 1 } });
		expect(await states()).toMatchObject([{ openSince: null }]);
	});

	it("is not asked about a rubric either, and such a question can be the try of its minute", async () => {
		const { supplier, workOff, hosts, states, world, poster, judge } = await begin();
		supplier.reply = refuse(503);
		await workOff();
		hosts();
		const owner = world.enter(poster, { judge });
		const publish = async () => {
			const { id } = await createDraft(owner, { criteria: [{ name: "Bare", description: "Reads lines. Reads cells.", weight: 100 }] });
			return owner.call("publishTask", at(id));
		};
		const byRules = await publish();
		expect(byRules.criteria).toMatchObject([{ checks: ["Reads lines", "Reads cells"] }]);
		expect(hosts()).toEqual([]);
		supplier.reply = () =>
			completion(JSON.stringify({ checks: ["It reads all lines", "It reads all cells"], notes: [], whole_checks: [] }));
		world.clock.advance(MINUTE_MS);
		const byModel = await publish();
		expect(byModel.criteria).toMatchObject([{ checks: ["It reads all lines", "It reads all cells"] }]);
		await expect.poll(states).toMatchObject([{ openSince: null }]);
	});

	it("is skipped while another model can judge, and tried all the same", async () => {
		const { works, supplier, workOff, hosts, submit, states, pass, world } = await begin({ choices: TWO_SUPPLIERS });
		supplier.reply = refuse(503);
		await workOff();
		for (const { read } of works) expect(await read()).toMatchObject({ status: "completed" });
		expect(await states()).toMatchObject([{ supplier: "one", openSince: expect.any(Number) }]);
		hosts();
		const second = await submit(6);
		world.clock.advance(SECOND_MS);
		await workOff();
		expect(await second.read()).toMatchObject({ status: "completed" });
		expect(new Set(hosts())).toEqual(new Set(["two.example"]));
		supplier.reply = well;
		await pass(2 * MINUTE_MS);
		await submit(7);
		await workOff();
		expect(hosts()).toContain("one.example");
		expect(await states()).toMatchObject([{ supplier: "one", openSince: null }]);
	});
});

describe("the breaker", () => {
	it("does not open for works that make their supplier answer 500", async () => {
		const { supplier, submit, workOff, states, works } = await begin({ submissions: 1 });
		supplier.reply = (call) => (call.user.includes("POISON") ? failure(500) : well(call));
		const poisoned = [];
		for (let index = 1; index < 6; index += 1)
			poisoned.push(await submit(index, { ...GOOD_FILES, "src/poison.ts": "export const POISON = 1;" }));
		await workOff();
		for (const { read } of poisoned) expect(await read()).toMatchObject({ status: "completed", scores: { final_score: 0 } });
		for (const { read } of works) expect(await read()).toMatchObject({ status: "completed", scores: { final_score: 100 } });
		expect((await states()).filter(({ openSince, hasFaults }) => openSince !== null || hasFaults)).toEqual([]);
	});

	it("does not open for rate limits, or for the faults of two submissions", async () => {
		const limited = await begin();
		limited.supplier.reply = refuse(429);
		await limited.workOff();
		expect(await limited.states()).toEqual([]);
		const two = await begin({ submissions: 2 });
		two.supplier.reply = refuse(401);
		await two.workOff();
		expect(await two.states()).toMatchObject([{ openSince: null, hasFaults: true }]);
	});

	it("is seen by a consumer in another isolate, which calls no one", async () => {
		const { supplier, workOff, hosts, submit, world, pass, works } = await begin();
		supplier.reply = refuse(503);
		await workOff();
		hosts();
		const other = { suppliers: new IsolateBoard() };
		const late = await submit(6);
		world.clock.advance(SECOND_MS);
		await workOff(other);
		expect(hosts()).toEqual([]);
		expect((await late.read()).waiting_for).toMatchObject({ message: expect.stringContaining("has not worked since") });
		supplier.reply = well;
		await pass(12 * MINUTE_MS, other);
		for (const { read } of [...works, late]) expect(await read()).toMatchObject({ status: "completed" });
	});

	it("counts all suppliers as well while the object does not answer", async () => {
		const { works, supplier, workOff, pass, openJobs, world } = await begin();
		const real = world.deps().hubs;
		const deaf = { hubs: { ...real, callWatch: () => Promise.reject(new Error("The object does not answer.")) } };
		supplier.reply = refuse(503);
		await workOff(deaf);
		await pass(10 * MINUTE_MS, deaf);
		expect(await openJobs()).toHaveLength(works.length);
		supplier.reply = well;
		await pass(10 * MINUTE_MS, deaf);
		for (const { read } of works) expect(await read()).toMatchObject({ status: "completed" });
	});
});
