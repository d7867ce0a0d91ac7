// Evaluations by a poster's image end as documented for the submission, its agent and the poster, for any behaviour of the grader.
import { exports } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { createContainerTask, IMAGE } from "../support/container-judging.ts";
import { DIGEST, done, ended, type GraderStep, gradingResult, RUNNING } from "../support/grader-script.ts";
import { asReadByPoster } from "../support/scenario.ts";
import { count } from "../support/storage.ts";
import { jobsOf } from "../support/world.ts";

type Begun = Awaited<ReturnType<typeof createContainerTask>>;

const CASES = ["one", "two", "three", "four"].map((name) => ({
	name,
	input: "1",
	expected_output: "1",
	match_type: "exact" as const,
	public: name === "one",
}));
const tests = (passed: number, of = CASES.length) =>
	Array.from({ length: of }, (_, index) => ({
		name: `case ${index}`,
		passed: index < passed,
		score: null,
		max_score: null,
		output: "seen",
		public: index === 0,
		input: "fed",
	}));

/** Expects that every requested run is stopped, and that the agent and the owner read the same. */
async function expectTidy(begun: Begun): Promise<void> {
	await begun.stopRuns();
	expect(await begun.stopped()).toEqual(expect.arrayContaining(await begun.runs()));
	expect(await begun.readAsPoster()).toEqual(asReadByPoster(await begun.read()));
	const told = (type: string) => count("select count(*) from _recorded_events where type = ? and payload like ?", type, `%${begun.id}%`);
	const hasScore = (await begun.read()).status === "completed" ? 1 : 0;
	const events = ["submission.completed", "evaluation.completed", "submission.failed"];
	expect(await Promise.all(events.map(told))).toEqual([1, hasScore, 1 - hasScore]);
	begun.world.clock.advance(120_000);
	await begun.stopRuns();
	expect(await jobsOf(begun.taskId)).toEqual([]);
}

describe("a run that is graded", () => {
	it("is requested with the task's settings, polled with growing delays, and scored", async () => {
		const task = { eval_memory_mb: 2048, eval_timeout_seconds: 900, eval_network: true };
		const begun = await createContainerTask(
			{ find: [RUNNING, RUNNING, RUNNING, done({ notes: "Well done.", breakdown: { style: 4 } })] },
			{ task },
		);
		const delays = await begun.workOff();
		expect(delays).toEqual(delays.toSorted((a, b) => a - b));
		expect(delays[0]).toBeLessThanOrEqual(2_000);
		const [request, ...others] = await begun.submitted();
		expect(others).toEqual([]);
		expect(request).toMatchObject({
			id: expect.stringContaining(begun.jobId),
			image: IMAGE,
			test_suite_url: null,
			memory_mb: 2048,
			timeout_s: 900,
			network: true,
			task: {
				id: begun.taskId,
				criteria: [
					{ name: "Parser", weight: 60 },
					{ name: "Tests", weight: 40 },
				],
			},
		});
		expect(JSON.stringify(request)).not.toContain(begun.agent.agentId);
		expect((await exports.default.fetch(request?.artifact_url ?? "")).status).toBe(200);
		expect(await begun.read()).toMatchObject({
			status: "completed",
			evaluated: true,
			scores: { final_score: 80, test_score: 80, container_score: 80, llm_score: null, eval_mode: "container" },
			quota: { used: 1 },
		});
		const { reasoning, breakdown, container_score } = await begun.details();
		expect({ reasoning, container_score }).toEqual({ reasoning: "Well done.", container_score: 80 });
		expect(breakdown).toMatchObject({ outcome: "graded", image_digest: DIGEST, output: "the image's output", breakdown: { style: 4 } });
		expect(await begun.evaluations()).toMatchObject([{ image_digest: DIGEST, artifact_sha256: expect.stringMatching(/^[0-9a-f]{64}$/) }]);
		await expectTidy(begun);
	});

	it.each([
		["a score of 0", { test_score: 0, container_score: 0 }, { final_score: 0, test_score: 0, container_score: 0 }],
		[
			"dimensions, which the server weights whatever the image says of a total",
			{
				test_score: 99,
				container_score: 99,
				dimensions: [
					{ criterion: "Tests", score: 100, reasoning: "All there." },
					{ criterion: "Parser", score: 50, reasoning: "Half." },
				],
			},
			{ final_score: 70, test_score: 70, container_score: 70 },
		],
	] as const)("accepts %s", async (_, result, scores) => {
		const begun = await createContainerTask({
			find: [done({ ...result, dimensions: [...("dimensions" in result ? result.dimensions : [])] })],
		});
		await begun.workOff();
		const submission = await begun.read();
		expect(submission).toMatchObject({ status: "completed", scores });
		const expected =
			"dimensions" in result
				? [
						{ criterion_name: "Parser", score: 50 },
						{ criterion_name: "Tests", score: 100 },
					]
				: [];
		expect(submission.dimensions).toMatchObject(expected);
	});

	it.each([
		[null, 75],
		[40, 75],
	])("with a test suite, has the share of passed cases for its test score (score file: %s)", async (fileScore, share) => {
		const script = { find: [done({ test_score: 1, container_score: fileScore, tests: tests(3) })] };
		const begun = await createContainerTask(script, { cases: CASES });
		await begun.workOff();
		const scores = { final_score: share, test_score: share, container_score: fileScore };
		expect(await begun.read()).toMatchObject({ status: "completed", scores });
		const { breakdown } = await begun.details();
		expect(breakdown).toMatchObject({
			tests_passed: 3,
			tests: [
				{ name: "case 0", passed: true, input: "fed", output: "seen" },
				{ name: "case 1", passed: true, input: null, output: "" },
				{ passed: true, output: "" },
				{ passed: false, output: "" },
			],
		});
		const [request] = await begun.submitted();
		const suite = await exports.default.fetch(request?.test_suite_url ?? "");
		expect(await suite.json()).toEqual({ test_cases: CASES });
	});

	it("that found the submission invalid scores 0, with the image's output, and counts", async () => {
		const begun = await createContainerTask({ find: [ended("submission_invalid", { output: "main.py is missing" })] });
		await begun.workOff();
		expect(await begun.read()).toMatchObject({ status: "completed", scores: { final_score: 0, test_score: 0 }, quota: { used: 1 } });
		expect((await begun.details()).reasoning).toContain("main.py is missing");
		await expectTidy(begun);
	});

	it("shows no control characters, endless texts or endless nesting", async () => {
		const nested = JSON.parse(`${'{"a":'.repeat(3_000)}1${"}".repeat(3_000)}`);
		const hostile = {
			output: `\u001b[31m\0${"é".repeat(9_000)}end`,
			notes: "n\u0007".repeat(30_000),
			breakdown: { nested, long: "x".repeat(200_000) },
		};
		const begun = await createContainerTask({ find: [done(hostile)] });
		await begun.workOff();
		const { breakdown, reasoning } = await begun.details();
		expect(breakdown).toMatchObject({ output: expect.stringMatching(/^é+end$/), breakdown: { omitted: expect.any(String) } });
		expect(reasoning).toMatch(/^n{10000}$/);
	});
});

describe("a run that fails through the image", () => {
	const failures = ["grader_timeout", "grader_oom", "grader_error", "grader_no_result"] as const;

	it.each(failures)("(%s) is repeated once, then fails with the reason and the output's end, and keeps the slot", async (outcome) => {
		const begun = await createContainerTask({
			find: [ended(outcome, { output: `${"x".repeat(5_000)}the end`, message: `${IMAGE} failed.` })],
		});
		await begun.workOff();
		expect(await begun.runs()).toHaveLength(2);
		const submission = await begun.read();
		expect(submission).toMatchObject({ status: "evaluation_failed", evaluated: false, scores: null, quota: { used: 1 } });
		expect(submission.error_message).toContain(`${outcome}: the image failed.`);
		expect(submission.error_message).toMatch(/x{4000,4096}the end$/);
		expect(submission.error_message).not.toContain(IMAGE);
		await expectTidy(begun);
	});

	it.each(failures)("(%s) once is forgotten if the next one succeeds", async (outcome) => {
		const begun = await createContainerTask({ find: [RUNNING, ended(outcome), RUNNING, done()] });
		await begun.workOff();
		expect(await begun.runs()).toHaveLength(2);
		expect(await begun.read()).toMatchObject({ status: "completed", scores: { final_score: 80 } });
		expect(await begun.read()).not.toHaveProperty("error_message");
		await expectTidy(begun);
	});

	it.each([
		["a name that is no criterion", [{ criterion: "Beauty", score: 100, reasoning: "" }]],
		["a criterion twice", [1, 2].map(() => ({ criterion: "Parser", score: 100, reasoning: "" }))],
		["not every criterion", [{ criterion: "Parser", score: 100, reasoning: "" }]],
	])("(dimensions with %s) never scores", async (_, dimensions) => {
		const begun = await createContainerTask({ find: [done({ dimensions })] });
		await begun.workOff();
		expect(await begun.read()).toMatchObject({
			status: "evaluation_failed",
			error_message: expect.stringMatching(/^grader_error: /),
			quota: { used: 1 },
		});
	});
});

describe("a permanent fault of the platform", () => {
	const asStep = (body: unknown): GraderStep => ({ kind: "status", status: 200, body });
	const ofResult = (change: object): GraderStep => asStep({ state: "done", result: { ...gradingResult(), ...change } });
	const status = (code: number): GraderStep => ({ kind: "status", status: code });

	it("(platform_error) waits for the grader and gets another run each time", async () => {
		const begun = await createContainerTask({
			find: [ended("platform_error", { message: `${IMAGE} is not at https://registry.example/v2/ now.` })],
		});
		begun.world.clock.advance((await begun.look()) ?? 0);
		expect(await begun.look()).toBe(5_000);
		expect(await begun.read()).toMatchObject({ status: "running", waiting_for: { reason: "grader" } });
		const reasons = await begun.waitOut();
		expect(new Set(reasons)).toEqual(new Set(["grader"]));
		expect(await begun.runs()).toHaveLength(reasons.length);
		const { status, error_message, quota } = await begun.read();
		expect([status, quota.used]).toEqual(["evaluation_failed", 0]);
		expect(error_message).toContain("the image is not at [address] now.");
		expect(error_message).not.toMatch(/registry/);
		expect((await begun.readStatus()).error_message).toBe("The platform could not judge the submission.");
		await expectTidy(begun);
	});

	it.each<readonly [string, { submit?: GraderStep[]; find?: GraderStep[] }, RegExp]>([
		["500 for a look", { find: [status(500)] }, /status 500/],
		["a cut connection, then 500", { find: [{ kind: "cut" }, status(500)] }, /status 500/],
		["no JSON", { find: [{ kind: "raw", body: "<html>" }] }, /cannot be read/],
		["JSON of another schema", { find: [asStep({ state: "done", score: 100 })] }, /cannot be read/],
		["done without a result", { find: [asStep({ state: "done", result: null })] }, /cannot be read/],
		["a score of 101", { find: [ofResult({ test_score: 101 })] }, /cannot be read/],
		["graded without a score", { find: [ofResult({ test_score: null, container_score: null })] }, /without a score/],
		["an answer without end", { find: [{ kind: "big", bytes: 9_000_000 }] }, /cannot be read/],
		["500 for a submit", { submit: [status(500)] }, /status 500/],
		["a submit that is refused", { submit: [status(400)] }, /rejected the job/],
		["a job that it loses again and again", { find: [status(404)] }, /lost the job/],
	])("(%s) never becomes a score, and returns the slot", async (_, script, message) => {
		const begun = await createContainerTask(script);
		await begun.waitOut();
		const submission = await begun.read();
		expect(submission).toMatchObject({ status: "evaluation_failed", evaluated: false, scores: null, position: null, quota: { used: 0 } });
		expect(submission.error_message).toMatch(message);
		expect(submission.error_message).toContain("slot was given back");
		expect(submission.error_message).not.toMatch(/https?:|secret/);
		await expectTidy(begun);
	});

	it("(a result that does not fit the suite) never becomes a score", async () => {
		const begun = await createContainerTask({ find: [done({ tests: tests(1, 1) })] }, { cases: CASES });
		await begun.waitOut();
		expect(await begun.read()).toMatchObject({ status: "evaluation_failed", quota: { used: 0 } });
	});

	it("(a wrong token) is waited for: only the operator can help", async () => {
		const begun = await createContainerTask({ find: [done()] });
		const own = begun.world.deps();
		const { grader } = own.config;
		if (grader?.kind !== "url") throw new Error("No address.");
		const refused = { config: { ...own.config, grader: { ...grader, token: "another" } } };
		await begun.look(refused);
		expect(await begun.job()).toMatchObject({ faults: 0, supplier_words: "status 401" });
		expect(await begun.waitOut(refused)).toContain("grader");
		expect(await begun.read()).toMatchObject({
			status: "evaluation_failed",
			error_message: expect.stringContaining("token"),
			quota: { used: 0 },
		});
	});

	it("(no grader) says what the operator must do", async () => {
		const begun = await createContainerTask({}, { grader: null });
		expect(await begun.workOff()).toEqual([]);
		expect(await begun.read()).toMatchObject({
			status: "evaluation_failed",
			error_message: expect.stringContaining("no grader for container images configured. Ask its operator for one."),
			quota: { used: 0 },
		});
	});

	it("(a missing container) is waited for, and ends after a day", async () => {
		const begun = await createContainerTask({}, { grader: { kind: "container" } });
		expect(await begun.waitOut()).toContain("grader");
		expect(await begun.read()).toMatchObject({ status: "evaluation_failed", quota: { used: 0 } });
	});
});

describe("a temporary fault of the platform", () => {
	const gone: GraderStep = { kind: "status", status: 502 };

	it.each<readonly [string, { submit?: GraderStep[]; find: GraderStep[] }, { runs: number; submits: number }]>([
		["platform_error", { find: [ended("platform_error"), done()] }, { runs: 2, submits: 2 }],
		[
			"a grader without room for many minutes",
			{
				submit: [...Array.from({ length: 20 }, () => ({ kind: "status", status: 429 }) as const), { kind: "status", status: 202 }],
				find: [done()],
			},
			{ runs: 1, submits: 21 },
		],
		[
			"a container whose start hangs, until the run is given to another one",
			{ submit: [425, 425, 425, 202].map((status) => ({ kind: "status", status })), find: [done()] },
			{ runs: 2, submits: 4 },
		],
		[
			"looks that are not answered",
			{ find: [gone, { kind: "cut" }, gone, RUNNING, gone, { kind: "raw", body: "" }, done()] },
			{ runs: 1, submits: 1 },
		],
		[
			"a grader that was restarted and has forgotten the job",
			{ find: [RUNNING, { kind: "status", status: 404 }, done()] },
			{ runs: 1, submits: 2 },
		],
		["a submit that is not answered", { submit: [gone, gone, { kind: "status", status: 202 }], find: [done()] }, { runs: 1, submits: 3 }],
	])("(%s) is forgotten", async (_, script, { runs, submits }) => {
		const begun = await createContainerTask(script);
		await begun.workOff();
		expect(await begun.read()).toMatchObject({ status: "completed", scores: { final_score: 80 }, quota: { used: 1 } });
		expect({ runs: (await begun.runs()).length, submits: (await begun.submitted()).length }).toEqual({ runs, submits });
		await expectTidy(begun);
	});

	it("(silence) is given up after a while, and requested again", async () => {
		const begun = await createContainerTask({ find: [{ kind: "hang" }, done()] });
		begun.world.clock.advance((await begun.look()) ?? 0);
		const looking = begun.look();
		await expect.poll(async () => (await begun.seen()).some(({ call }) => call === "find")).toBe(true);
		begun.world.clock.advance(60_000);
		expect(await looking).toBeGreaterThan(0);
		begun.world.clock.advance(60_000);
		await begun.workOff();
		expect(await begun.read()).toMatchObject({ status: "completed" });
	});
});
