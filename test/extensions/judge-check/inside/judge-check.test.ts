// Tests the judge check: after publish, the platform judges submissions that do not do the work. They do not compete.
import { describe, expect, it } from "vitest";
import { createMetrics } from "../../../../src/compose/metrics.ts";
import { workOff } from "../../../../src/compose/work-off.ts";
import { CLAIM_MS } from "../../../../src/core/competition/evaluation/rules.ts";
import { offlineJudge } from "../../../../src/core/judging/engine/offline.ts";
import type { Deps } from "../../../../src/ports/deps.ts";
import type { EvaluationRequest, Judge } from "../../../../src/ports/judge.ts";
import type { Client } from "../../../support/client.ts";
import { finishedWith } from "../../../support/final-round.ts";
import { done, ended, GRADER_TOKEN, type GraderScript, scriptGrader } from "../../../support/grader-script.ts";
import { mortal } from "../../../support/mortality.ts";
import { createDraft, registerAgent } from "../../../support/scenario.ts";
import { countEvents, listBucket } from "../../../support/storage.ts";
import { queryTask, snapshotTask } from "../../../support/task-object.ts";
import { casesOf, createTrialWorld } from "../../../support/trials.ts";
import { failingJudge, PLATFORM_FAULT, QUEUE } from "../../../support/world.ts";

const IMAGE = "registry.example/image:1";
/** The cases of a check wait this long. */
const CHECK_DELAY_MS = 2_000;

const poster = await registerAgent("Poster");
const agent = await registerAgent("Builder");

/** Gives every criterion the score 90, for any work. */
const generous: Judge = {
	...offlineJudge,
	evaluate: (request) => Promise.resolve(finishedWith(request, () => [90])),
};

/** Each criterion has two checks, so publishing warns of nothing. */
const CRITERIA = [
	{ name: "Parser", weight: 60, checks: ["Quotes are read", "Delimiters are read"] },
	{ name: "Tests", weight: 40, checks: ["A test asserts quotes", "A test asserts newlines"] },
];

interface Begin {
	readonly task?: Readonly<Record<string, unknown>>;
	readonly script?: GraderScript;
	readonly judgeCheck?: boolean;
	readonly change?: Partial<Deps>;
}

/** Returns a task that was just published, in a world without background work. */
async function begin({ task = {}, script, judgeCheck = true, change = {} }: Begin = {}) {
	const grader = script === undefined ? undefined : { kind: "url" as const, url: (await scriptGrader(script)).url, token: GRADER_TOKEN };
	const world = createTrialWorld({ judgeCheck, change, ...(grader === undefined ? {} : { grader }) });
	const { id: taskId } = await createDraft(poster, { criteria: CRITERIA, ...task });
	const draft = await poster.call("getTask", { params: { id: taskId } });
	await world.enter(poster).call("publishTask", { params: { id: taskId } });
	const params = { params: { id: taskId } };
	return {
		world,
		taskId,
		draft,
		cases: () => casesOf(taskId),
		check: async () => (await agent.call("getTask", params)).judge_check,
		asOwner: () => world.enter(poster).call("getTask", params),
		asAgent: () => agent.call("getTask", params),
		warned: () => countEvents("task.warning", taskId),
		snapshot: async () => ({ task: await snapshotTask(taskId), bucket: await listBucket(`tasks/${taskId}/`) }),
		jobs: () => queryTask(taskId, "select id from jobs"),
	};
}

const ATTACKS = ["grader_attack", ...[64, 65, 75, 124, 125, 126, 127, 137].map((code) => `grader_attack_${code}`)];

const withImage = { eval_mode: "container", eval_image: IMAGE };

describe("publishing", () => {
	it("queues the cases of the mode in its commit, and does not wait for them", async () => {
		const { world, taskId, draft, cases, check, jobs } = await begin();
		expect(draft.judge_check).toBeNull();
		const queued = await cases();
		expect(queued.map(({ name }) => name)).toEqual(["empty", "claims", "injections", "echo"]);
		expect(await jobs()).toHaveLength(4);
		expect(world.tasks.sent).toEqual([]);
		world.clock.advance(CHECK_DELAY_MS);
		await world.ring(taskId);
		expect(world.checks.sent.map(({ message }) => message)).toEqual(Array.from({ length: 4 }, () => ({ taskId, lane: "checks" })));
		expect(world.tasks.sent).toEqual([]);
		expect(await listBucket(`tasks/${taskId}/trials/`)).toEqual([]);
		expect(await check()).toEqual({
			status: "running",
			checked_at: null,
			cases: [
				{ name: "empty", score: null, expected_at_most: 20, expected_at_least: null, passed: null },
				{ name: "claims", score: null, expected_at_most: 30, expected_at_least: null, passed: null },
				{ name: "injections", score: null, expected_at_most: 30, expected_at_least: null, passed: null },
				{ name: "echo", score: null, expected_at_most: 30, expected_at_least: null, passed: null },
			],
		});
	});

	it("in parallel checks once", async () => {
		const world = createTrialWorld();
		const { id } = await createDraft(poster);
		const answers = await Promise.all([1, 2, 3].map(() => world.enter(poster).send("publishTask", { params: { id } })));
		expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409]);
		expect(await casesOf(id)).toHaveLength(4);
	});

	it("begins only if the poster's network may publish one more task", async () => {
		const world = createTrialWorld({ networkCaps: { agents: null, bytes: null, publishes: 1 } });
		const publish = async (by: Client) => {
			const { id } = await createDraft(by);
			return { id, response: await by.send("publishTask", { params: { id }, headers: { "CF-Connecting-IP": "203.0.113.9" } }) };
		};
		const owner = world.enter(poster);
		expect((await publish(owner)).response.status).toBe(200);
		const { id, response } = await publish(owner);
		expect(response.status).toBe(429);
		expect(await poster.call("getTask", { params: { id } })).toMatchObject({ status: "draft", judge_check: null });
		expect(await casesOf(id)).toEqual([]);
	});

	it("checks no external task, and nothing if the check is switched off", async () => {
		for (const begun of [
			await begin({ task: { eval_mode: "external", eval_callback_url: "https://judge.example/score" } }),
			await begin({ judgeCheck: false }),
		]) {
			expect(await begun.cases()).toEqual([]);
			expect(await begun.check()).toBeNull();
			expect(await begun.jobs()).toEqual([]);
			expect(begun.world.tasks.sent).toEqual([]);
		}
	});
});

describe("a check", () => {
	it("of the offline judge passes, and everyone sees it", async () => {
		const { world, taskId, asOwner, asAgent, warned } = await begin();
		await world.check(taskId);
		const { judge_check: check } = await asAgent();
		expect(check).toMatchObject({ status: "passed", checked_at: new Date(world.clock.now()).toISOString() });
		expect(check?.cases.map(({ passed }) => passed)).toEqual([true, true, true, true]);
		expect(check?.cases.map(({ score }) => score)).toEqual([0, expect.any(Number), expect.any(Number), expect.any(Number)]);
		const owned = await asOwner();
		expect(owned.judge_check).toEqual(check);
		expect(owned.warnings).toEqual([]);
		expect(await warned()).toBe(0);
	});

	it("of a judge that believes everything fails for everyone, and warns the owner once", async () => {
		const { world, taskId, asOwner, asAgent, warned } = await begin();
		await world.check(taskId, { judge: generous });
		const seen = await asAgent();
		expect(seen.judge_check).toMatchObject({ status: "failed" });
		expect(seen.judge_check?.cases.map(({ score, passed }) => ({ score, passed }))).toEqual(
			Array.from({ length: 4 }, () => ({ score: 90, passed: false })),
		);
		expect(seen).not.toHaveProperty("warnings");
		expect(seen.status).toBe("open");
		expect((await asOwner()).warnings).toEqual([{ code: "JUDGE_CHECK_FAILED", message: expect.stringMatching(/90 points.*empty/) }]);
		expect(await warned()).toBe(1);
	});

	it("requests one opinion on each criterion, for any budget", async () => {
		const requests: EvaluationRequest[] = [];
		const judge: Judge = {
			...offlineJudge,
			evaluate(request, attempt) {
				requests.push(request);
				return offlineJudge.evaluate(request, attempt);
			},
		};
		const { world, taskId } = await begin({ task: { budget_cents: 5_000_000 } });
		await world.check(taskId, { judge });
		expect(requests).toHaveLength(4);
		expect(new Set(requests.map(({ samples }) => samples))).toEqual(new Set([1]));
	});

	it("lets an image grade the attack, and shows its score", async () => {
		const { world, taskId, check } = await begin({ task: withImage, script: { find: [done({ test_score: 31, container_score: 31 })] } });
		await world.check(taskId);
		expect(await check()).toMatchObject({
			status: "failed",
			cases: [{ name: "empty", score: 31, passed: false }, ...ATTACKS.map((name) => ({ name, score: 31, passed: false }))],
		});
	});

	it("passes if the submission's own fault leaves it without a score", async () => {
		const { world, taskId, check } = await begin({ task: withImage, script: { find: [ended("grader_error")] } });
		await world.check(taskId);
		expect(await check()).toMatchObject({
			status: "passed",
			cases: ["empty", ...ATTACKS].map((name) => ({ name, score: null, passed: true })),
		});
	});

	it("fails if the image cannot be started", async () => {
		const { world, taskId, check, asOwner } = await begin({ task: withImage, script: { find: [ended("image_error")] } });
		await world.check(taskId);
		expect(await check()).toMatchObject({
			status: "failed",
			cases: ["empty", ...ATTACKS].map((name) => ({ name, score: null, passed: false })),
		});
		expect((await asOwner()).warnings?.map(({ code }) => code)).toContain("JUDGE_CHECK_FAILED");
	});
});

describe("a fault of the platform during a judge check", () => {
	it("is waited for during 24 hours, and then nothing is known of the judge", async () => {
		const { world, taskId, cases, check, asOwner } = await begin();
		world.clock.advance(CHECK_DELAY_MS);
		for (const { id } of await cases()) {
			expect(await world.look({ id, taskId }, { judge: failingJudge(PLATFORM_FAULT) })).toBeGreaterThan(0);
		}
		expect(await check()).toMatchObject({ status: "running" });
		for (const { id } of await cases()) await world.waitOut({ id, taskId }, { judge: failingJudge(PLATFORM_FAULT) });
		expect((await cases()).map(({ status }) => status)).toEqual(Array.from({ length: 4 }, () => "evaluation_failed"));
		expect(await check()).toBeNull();
		expect((await asOwner()).warnings).toMatchObject([
			{ code: "JUDGE_CHECK_ENDED", message: expect.stringContaining("nothing is known about its judge") },
		]);
	});

	it("is forgotten after a later success", async () => {
		const { world, taskId, cases, check } = await begin();
		world.clock.advance(CHECK_DELAY_MS);
		for (const { id } of await cases()) {
			expect(await world.look({ id, taskId }, { judge: failingJudge(PLATFORM_FAULT) })).toBeGreaterThan(0);
		}
		expect(await check()).toMatchObject({ status: "running" });
		world.clock.advance(5_000);
		await world.check(taskId);
		expect(await check()).toMatchObject({ status: "passed" });
	});

	it("that loses every message ends visibly", async () => {
		const points: AnalyticsEngineDataPoint[] = [];
		const metrics = createMetrics({ writeDataPoint: (point) => void points.push(point ?? {}) });
		const { world, taskId, cases, check } = await begin({ change: { metrics } });
		const [first] = await cases();
		world.clock.advance((first?.give_up_at ?? 0) - world.clock.now());
		await world.ring(taskId);
		const ends = points.flatMap(({ blobs }) => (blobs?.[0] === "evaluation" ? [blobs] : []));
		expect(ends).toEqual(Array.from({ length: 4 }, () => ["evaluation", "failed", expect.any(String), "trial"]));
		expect(await check()).toBeNull();
		await world.deliver(QUEUE, [{ taskId, lane: "checks" }]);
		expect((await cases()).map(({ status }) => status)).toEqual(Array.from({ length: 4 }, () => "evaluation_failed"));
	});
});

describe("a task that ends or is deleted", () => {
	it("by closing ends its check without a warning", async () => {
		const { world, taskId, cases, check, asOwner, warned } = await begin();
		await world.enter(poster).call("closeTask", { params: { id: taskId } });
		await world.check(taskId, { judge: generous });
		expect((await cases()).map(({ status }) => status)).toEqual(["cancelled", "cancelled", "cancelled", "cancelled"]);
		expect(await check()).toBeNull();
		expect((await asOwner()).warnings).toEqual([]);
		expect(await warned()).toBe(0);
	});

	it("by closing keeps a failure that was found before", async () => {
		const { world, taskId, cases, check } = await begin();
		await world.workOff({ id: (await cases())[0]?.id ?? "", taskId }, { judge: generous });
		await world.enter(poster).call("closeTask", { params: { id: taskId } });
		await world.check(taskId);
		expect(await check()).toMatchObject({ status: "failed", cases: [{ name: "empty", score: 90, passed: false }] });
	});
});

describe("a consumer", () => {
	it("that dies at any step is replaced: one result, one warning", { timeout: 120_000 }, async () => {
		for (let atStep = 0, died = true; died; atStep += 1) {
			const { world, taskId, check, warned } = await begin();
			world.clock.advance(CHECK_DELAY_MS);
			const own = world.deps({ judge: generous });
			const dying = mortal(own, { atStep });
			await workOff(dying, taskId).catch(() => null);
			await own.settled();
			died = dying.hasDied();
			world.clock.advance(2 * CLAIM_MS);
			await world.check(taskId, { judge: generous });
			expect((await check())?.cases.map(({ score }) => score)).toEqual([90, 90, 90, 90]);
			expect(await warned()).toBe(1);
		}
	});
});
