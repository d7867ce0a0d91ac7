// A run without a score costs the submission, the task's poster or the platform.
import { describe, expect, it } from "vitest";
import { createContainerTask, IMAGE } from "../support/container-judging.ts";
import { DIGEST, done, ended, RUNNING, resolved } from "../support/grader-script.ts";
import { queryAll } from "../support/storage.ts";
import { queryTask } from "../support/task-object.ts";

const FULL_OUTPUT = "exec /grade: no such file or directory";
const BROKEN = ended("image_error", { message: `The image ${IMAGE} cannot be started.`, output: FULL_OUTPUT });

/** Reads what the owner's warnings say about the task besides its submissions. */
async function toldOwner(taskId: string): Promise<unknown[]> {
	const rows = await queryAll<{ payload: string }>(
		"select payload from _recorded_events where type = 'task.warning' and payload like ?",
		`%${taskId}%`,
	);
	return rows.map(({ payload }) => JSON.parse(payload));
}

describe("an evaluation that is out of time", () => {
	it("keeps the slot if a run had failed by then, so failing late does not avoid blame", async () => {
		const begun = await createContainerTask({ find: [ended("grader_error"), RUNNING] });
		await begun.workOff();
		const submission = await begun.read();
		expect(submission).toMatchObject({ status: "evaluation_failed", scores: null, quota: { used: 1 } });
		expect(submission.error_message).toMatch(/time limit/);
	});
});

describe("an image that cannot be started", () => {
	it("fails immediately, returns the slot, and says why to the owner, but not to the agent", async () => {
		const begun = await createContainerTask({ find: [BROKEN], resolve: [resolved()] });
		await begun.workOff();
		expect(await begun.runs()).toHaveLength(1);
		const submission = await begun.read();
		expect(submission).toMatchObject({ status: "evaluation_failed", evaluated: false, scores: null, quota: { used: 0 } });
		expect(submission.error_message).toMatch(/^image_error: .*Your submission slot was given back\.$/);
		expect(submission.error_message).not.toMatch(/registry|secret-judge|no such file/);
		expect(JSON.stringify(await begun.details())).not.toContain(FULL_OUTPUT);
		expect(await begun.taskAsAgent()).not.toHaveProperty("warnings");
		expect((await begun.readAsPoster()).error_message).toContain(FULL_OUTPUT);
		expect(await begun.readStatus()).toMatchObject({ error_message: "The task's image could not be started." });
		expect((await begun.taskAsPoster()).warnings).toEqual([{ code: "IMAGE_ERROR", message: expect.stringContaining(FULL_OUTPUT) }]);
		expect(await toldOwner(begun.taskId)).toEqual([
			{ taskId: begun.taskId, code: "IMAGE_ERROR", message: expect.stringContaining(FULL_OUTPUT) },
		]);
	});

	it("warns the owner once for many failed submissions, in parallel or in sequence", async () => {
		const begun = await createContainerTask({ find: [BROKEN], resolve: [resolved()] });
		const others = await Promise.all([1, 2, 3].map(() => begun.submitAnother()));
		const looks = async () => Promise.all([begun.look(), ...others.map(({ look }) => look())]);
		await looks();
		begun.world.clock.advance(5_000);
		await looks();
		const late = await begun.submitAnother();
		begun.world.clock.advance((await late.look()) ?? 0);
		expect(await late.look()).toBeNull();
		for (const { read, quotaUsed } of [...others, late]) {
			expect(await read()).toMatchObject({ status: "evaluation_failed" });
			expect(await quotaUsed()).toBe(0);
		}
		expect(await toldOwner(begun.taskId)).toHaveLength(1);
		expect((await begun.taskAsPoster()).warnings).toHaveLength(1);
	});

	it("removes the warning when the image grades again, and repeats it when the image breaks again", async () => {
		const begun = await createContainerTask({ find: [BROKEN, done(), BROKEN], resolve: [resolved()] });
		await begun.workOff();
		expect((await begun.taskAsPoster()).warnings).toHaveLength(1);
		const second = await begun.submitAnother();
		begun.world.clock.advance((await second.look()) ?? 0);
		await second.look();
		expect(await second.read()).toMatchObject({ status: "completed" });
		expect((await begun.taskAsPoster()).warnings).toEqual([]);
		const third = await begun.submitAnother();
		begun.world.clock.advance((await third.look()) ?? 0);
		await third.look();
		expect(await toldOwner(begun.taskId)).toHaveLength(2);
	});

	it("returns the slot once, for any result of re-evaluations", async () => {
		const begun = await createContainerTask({ find: [BROKEN], resolve: [resolved()] });
		await begun.workOff();
		await begun.world.submit(begun.agent, begun.taskId);
		await begun.world.enter(begun.agent).call("requestReEvaluation", { params: { id: begun.id } });
		await begun.workOff();
		expect(await begun.read()).toMatchObject({ status: "evaluation_failed", quota: { used: 1 } });
	});
});

describe("a run that ended after the image had started", () => {
	it.each([
		[
			"exit 75",
			ended("grader_error", { message: "The image asked to be run again (exit code 75)." }),
			"The task's image failed: it ended with an error.",
		],
		["no memory", ended("grader_oom"), "The task's image failed: it ran out of memory."],
		["no time", ended("grader_timeout"), "The task's image failed: it ran out of time."],
		["no score", ended("grader_no_result"), "The task's image failed: it wrote no score."],
	] as const)("(%s) is repeated once and keeps the slot; the public reads its class, the parties all of it", async (_, step, sentence) => {
		const begun = await createContainerTask({ find: [step] });
		await begun.workOff();
		expect(await begun.runs()).toHaveLength(2);
		const submission = await begun.read();
		expect(submission).toMatchObject({ status: "evaluation_failed", quota: { used: 1 } });
		expect(submission.error_message).toContain("the image's output");
		expect((await begun.readAsPoster()).error_message).toBe(submission.error_message);
		expect((await begun.readStatus()).error_message).toBe(sentence);
		expect((await begun.taskAsPoster()).warnings?.map(({ code }) => code) ?? []).not.toContain("IMAGE_ERROR");
		expect(await toldOwner(begun.taskId)).toEqual([]);
	});

	it("(an archive that cannot be unpacked) scores 0 and keeps the slot", async () => {
		const message = 'The artifact cannot be unpacked: The entry "a" cannot be read.';
		const begun = await createContainerTask({ find: [ended("submission_invalid", { message, output: "" })] });
		await begun.workOff();
		expect(await begun.read()).toMatchObject({ status: "completed", scores: { final_score: 0 }, quota: { used: 1 } });
		expect((await begun.details()).reasoning).toContain("cannot be unpacked");
	});
});

const CASES = [
	{ name: "shown", input: "1\n", expected_output: "one", match_type: "exact", public: true },
	{ name: "hidden", input: "the secret input", expected_output: "two", match_type: "exact" },
] as const;
const LEAK = "the secret input, printed by the submission";

describe("a suite with hidden cases", () => {
	const results = (passed: boolean) => [
		{ name: "shown", passed: true, score: 1, max_score: 1, output: "one\n", public: true, input: "1\n" },
		{ name: "hidden", passed, score: 0, max_score: 1, output: LEAK, public: false, input: "the secret input" },
	];

	it("shows the agent names and verdicts, public cases in full, and nothing else that the image wrote", async () => {
		const wrote = { output: LEAK, notes: LEAK, breakdown: { leak: LEAK }, message: LEAK };
		const dimensions = [
			{ criterion: "Parser", score: 50, reasoning: LEAK },
			{ criterion: "Tests", score: 50, reasoning: LEAK },
		];
		const begun = await createContainerTask({ find: [done({ tests: results(false), ...wrote, dimensions })] }, { cases: CASES });
		await begun.workOff();
		expect(await begun.read()).toMatchObject({ status: "completed", scores: { final_score: 50 } });
		const details = await begun.details();
		expect(details.breakdown).toMatchObject({
			tests_passed: 1,
			tests: [
				{ name: "shown", passed: true, input: "1\n", output: "one\n" },
				{ name: "hidden", passed: false, input: null, output: "" },
			],
		});
		const { data: evaluations } = await begun.agent.call("listEvaluations", { params: { id: begun.id } });
		expect(evaluations).toMatchObject([{ final_score: 50, dimensions: [{ criterion_name: "Parser", score: 50 }, { score: 50 }] }]);
		for (const seen of [await begun.read(), details, evaluations]) expect(JSON.stringify(seen)).not.toContain("secret input");
		const own = await begun.detailsAsPoster();
		expect(own.breakdown).toMatchObject({
			tests: [{ name: "shown" }, { name: "hidden", input: "the secret input", output: LEAK }],
			output: LEAK,
			notes: LEAK,
			breakdown: { leak: LEAK },
			reasoning: LEAK,
		});
		expect((await begun.readAsPoster()).scores?.breakdown).toEqual(own.breakdown);
	});

	it("shows the agent how a run failed, and only the owner what it printed", async () => {
		const begun = await createContainerTask(
			{ find: [ended("grader_error", { message: LEAK, output: LEAK, tests: results(false).slice(0, 1) })] },
			{ cases: CASES },
		);
		await begun.workOff();
		expect((await begun.read()).error_message).toMatch(/^grader_error: .*hidden cases\.$/);
		expect((await begun.readAsPoster()).error_message).toContain(LEAK);
		const told = await queryAll<{ payload: string }>(
			"select payload from _recorded_events where type = 'submission.failed' and payload like ?",
			`%${begun.id}%`,
		);
		expect(told).toHaveLength(1);
		expect(told[0]?.payload).not.toContain("secret input");
	});

	it("shows everything if every case is public", async () => {
		const cases = CASES.map((testCase) => ({ ...testCase, public: true }));
		const tests = results(true).map((test) => ({ ...test, public: true }));
		const begun = await createContainerTask({ find: [done({ tests, output: LEAK, notes: LEAK })] }, { cases });
		await begun.workOff();
		expect(await begun.details()).toMatchObject({
			reasoning: LEAK,
			breakdown: { output: LEAK, tests: [{}, { input: "the secret input", output: LEAK }] },
		});
		expect((await begun.detailsAsPoster()).breakdown).toEqual((await begun.details()).breakdown);
	});
});

describe("the image of a task", () => {
	const OTHER = `sha256:${"cd".repeat(32)}`;
	const ran = (image_digest: string) => done({ image_digest });

	it("is resolved at publish, and every run uses that digest", async () => {
		const begun = await createContainerTask({ resolve: [resolved()], find: [ran(DIGEST)] });
		expect(begun.published.warnings).toEqual([]);
		expect(await begun.imagesAsked()).toEqual([IMAGE]);
		expect(await begun.taskAsPoster()).toMatchObject({ eval_image: IMAGE, eval_image_digest: DIGEST, warnings: [] });
		await begun.workOff();
		expect(await begun.submitted()).toMatchObject([{ image: IMAGE, image_digest: DIGEST }]);
		expect(await begun.evaluations()).toMatchObject([{ image_digest: DIGEST }]);
	});

	it.each([
		[
			"the registry cannot be reached",
			{ resolve: [{ kind: "status", status: 200, body: { state: "unreachable", message: "dial tcp 10.0.0.1" } }] },
		],
		["the image is not there", { resolve: [{ kind: "status", status: 200, body: { state: "missing", message: "manifest unknown" } }] }],
		["the grader fails", { resolve: [{ kind: "status", status: 500 }] }],
		["the grader breaks off", { resolve: [{ kind: "cut" }] }],
		["the grader has no room", { resolve: [{ kind: "status", status: 429 }] }],
		["the grader says anything", { resolve: [{ kind: "status", status: 200, body: { state: "resolved", digest: "latest" } }] }],
	] as const)("is published with a warning if %s, and pinned by the first run", async (_, script) => {
		const begun = await createContainerTask({ ...script, find: [ran(DIGEST)] });
		expect(begun.published).toMatchObject({ status: "open", warnings: [{ code: "IMAGE_UNRESOLVED" }] });
		expect(begun.published.warnings[0]?.message).not.toMatch(/10\.0\.0\.1/);
		expect(await begun.taskAsPoster()).toMatchObject({ eval_image_digest: null, warnings: [{ code: "IMAGE_UNRESOLVED" }] });
		await begun.workOff();
		expect(await begun.submitted()).toMatchObject([{ image: IMAGE, image_digest: null }]);
		expect(await begun.taskAsPoster()).toMatchObject({ eval_image_digest: null, warnings: [] });
		const second = await begun.submitAnother();
		await second.look();
		expect((await begun.submitted()).at(-1)).toMatchObject({ image_digest: DIGEST });
	});

	it("is resolved without a grader if the reference names its digest", async () => {
		const begun = await createContainerTask(
			{ resolve: [resolved(OTHER)], find: [ran(DIGEST)] },
			{ task: { eval_image: `${IMAGE}@${DIGEST}` } },
		);
		expect(begun.published.warnings).toEqual([]);
		expect(await begun.imagesAsked()).toEqual([]);
		expect(await begun.taskAsPoster()).toMatchObject({ eval_image_digest: DIGEST });
	});

	it("is the first one of two first runs that found different digests: the second run is repeated", async () => {
		const begun = await createContainerTask({ resolve: [{ kind: "status", status: 503 }], find: [ran(DIGEST), ran(OTHER), ran(DIGEST)] });
		const rival = await begun.submitAnother();
		await Promise.all([begun.look(), rival.look()]);
		begun.world.clock.advance(5_000);
		expect(await begun.look()).toBeNull();
		const again = await rival.look();
		expect(again).toBeGreaterThan(0);
		begun.world.clock.advance(again ?? 0);
		begun.world.clock.advance((await rival.look()) ?? 0);
		expect(await rival.look()).toBeNull();
		expect(await rival.read()).toMatchObject({ status: "completed" });
		const requests = await begun.submitted();
		expect(requests.map(({ image_digest }) => image_digest)).toEqual([null, null, DIGEST]);
		const used = await queryTask(begun.taskId, "select distinct image_digest from evaluations");
		expect(used).toEqual([{ image_digest: DIGEST }]);
	});

	it("is pinned once if many first runs end in parallel", async () => {
		const find = Array.from({ length: 12 }, (_, index) => ran(`sha256:${String(index % 6).repeat(64)}`));
		const begun = await createContainerTask({ resolve: [{ kind: "status", status: 503 }], find });
		const rivals = await Promise.all(Array.from({ length: 5 }, () => begun.submitAnother()));
		await Promise.all([begun.look(), ...rivals.map(({ look }) => look())]);
		begun.world.clock.advance(5_000);
		await Promise.all([begun.look(), ...rivals.map(({ look }) => look())]);
		const used = await queryTask(begun.taskId, "select distinct image_digest from evaluations");
		const pinned = await queryTask(begun.taskId, "select eval_image_digest as image_digest from tasks");
		expect(used).toEqual(pinned);
	});

	it("is not pinned by a run that could not start it", async () => {
		const begun = await createContainerTask({ resolve: [{ kind: "status", status: 503 }], find: [BROKEN, ran(OTHER)] });
		await begun.workOff();
		const pinned = () => queryTask(begun.taskId, "select eval_image_digest as digest from tasks");
		expect(await pinned()).toEqual([{ digest: null }]);
		const second = await begun.submitAnother();
		begun.world.clock.advance((await second.look()) ?? 0);
		await second.look();
		expect(await pinned()).toEqual([{ digest: OTHER }]);
	});

	it("never scores if the grader ran another one", async () => {
		const begun = await createContainerTask({ resolve: [resolved()], find: [ran(OTHER)] });
		await begun.waitOut();
		expect(await begun.read()).toMatchObject({
			status: "evaluation_failed",
			scores: null,
			quota: { used: 0 },
			error_message: expect.stringContaining("a different image"),
		});
	});
});
