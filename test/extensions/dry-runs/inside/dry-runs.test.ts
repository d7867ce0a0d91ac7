// Dry runs are judged exactly as submissions, and only the task's owner sees them.

import { describe, expect, it } from "vitest";
import { workOff } from "../../../../src/compose/work-off.ts";
import { CLAIM_MS } from "../../../../src/core/competition/evaluation/rules.ts";
import { MAX_ATTEMPTS } from "../../../../src/core/judging/rules.ts";
import { EvaluationFault } from "../../../../src/domain/evaluation-fault.ts";
import { MAX_DRY_RUNS } from "../../../../src/extensions/dry-runs/rules.ts";
import { DAY_MS } from "../../../../src/platform/clock.ts";
import { admin } from "../../../support/admin.ts";
import { createClient } from "../../../support/client.ts";
import {
	DIGEST,
	done,
	ended,
	GRADER_TOKEN,
	type GraderScript,
	RUNNING,
	type ScriptedGrader,
	scriptGrader,
} from "../../../support/grader-script.ts";
import { honest, scriptJudge } from "../../../support/judge-script.ts";
import { judgeOf } from "../../../support/judging.ts";
import { mortal } from "../../../support/mortality.ts";
import { createDraft, GOOD_FILES, openTask, registerAgent } from "../../../support/scenario.ts";
import { listBucket } from "../../../support/storage.ts";
import { collectAll } from "../../../support/stored-objects.ts";
import { queryTask, snapshotTask } from "../../../support/task-object.ts";
import { casesOf, createTrialWorld } from "../../../support/trials.ts";
import { failingJudge, heldJudge, PLATFORM_FAULT, QUEUE } from "../../../support/world.ts";

const IMAGE = "registry.example/image:1";
const BODY = { files: GOOD_FILES };

const poster = await registerAgent("Poster");
const agent = await registerAgent("Builder");

interface Begin {
	readonly task?: Readonly<Record<string, unknown>>;
	readonly script?: GraderScript;
	readonly isDraft?: boolean;
}

async function begin({ task = {}, script, isDraft = false }: Begin = {}) {
	const scripted = script === undefined ? null : await scriptGrader(script);
	const world = createTrialWorld({
		judgeCheck: false,
		...(scripted === null ? {} : { grader: { kind: "url" as const, url: scripted.url, token: GRADER_TOKEN } }),
	});
	const owner = world.enter(poster);
	const taskId = isDraft ? (await createDraft(owner, task)).id : await openTask(owner, task);
	const params = { id: taskId };
	const start = (body: Readonly<Record<string, unknown>> = {}) => owner.call("startDryRun", { params, body: { ...BODY, ...body } });
	return {
		world,
		owner,
		taskId,
		params,
		scripted,
		start,
		read: (id: string) => owner.call("getDryRun", { params: { id } }),
		/** Starts a run and judges it to its end. */
		async run(body: Readonly<Record<string, unknown>> = {}) {
			const { id } = await start(body);
			await world.workOff(id);
			return owner.call("getDryRun", { params: { id } });
		},
	};
}

/** Returns all that a task stores. */
async function snapshotOf(taskId: string) {
	return { task: await snapshotTask(taskId), bucket: await listBucket(`tasks/${taskId}/`) };
}

/** Counts the requested runs of the image. */
async function runsOf(scripted: ScriptedGrader | null): Promise<number> {
	const calls = (await scripted?.seen()) ?? [];
	return new Set(calls.flatMap(({ call, jobId }) => (call === "submit" ? [jobId] : []))).size;
}

describe("a dry run", () => {
	it("is accepted, and runs until it has been judged", async () => {
		const { world, taskId, owner, start, read } = await begin();
		const response = await owner.send("startDryRun", { params: { id: taskId }, body: BODY });
		expect(response.status).toBe(202);
		const { id, status, poll_url } = await start({ label: "All of it" });
		expect({ status, poll_url }).toEqual({ status: "running", poll_url: `https://bounty.test/api/v1/dry-runs/${id}` });
		expect(world.tasks.sent.at(-1)?.message).toMatchObject({ taskId });
		expect(await read(id)).toEqual({
			id,
			task_id: taskId,
			label: "All of it",
			status: "running",
			scores: null,
			dimensions: [],
			breakdown: null,
			expected: null,
			agreement: null,
			reference: false,
			usage: { calls: 0, input_tokens: 0, output_tokens: 0, cost_usd: null },
			error_message: null,
			waiting_for: null,
			created_at: new Date(world.clock.now()).toISOString(),
		});
	});

	it("is judged as a submission of the same files is", async () => {
		const { world, taskId, run } = await begin();
		const tried = await run();
		const submission = await world.submit(agent, taskId);
		await world.workOff(submission.id);
		const params = { params: { id: submission.id } };
		const { scores } = await agent.call("getSubmission", params);
		const details = await agent.call("getSubmissionDetails", params);
		expect(tried.status).toBe("completed");
		expect(scores).toMatchObject(tried.scores ?? {});
		expect(tried.scores?.final_score).toBeGreaterThan(50);
		expect(tried.dimensions).toEqual(details.dimensions);
		expect({ ...tried.breakdown, evaluations: 1 }).toEqual(details.breakdown);
	});

	it("shows the difference between the judge's and the poster's scores", async () => {
		const { run } = await begin();
		const { scores, dimensions, agreement, expected } = await run({ expected: { Parser: 50 } });
		const parser = dimensions.find(({ criterion_name }) => criterion_name === "Parser")?.score ?? -1;
		expect(scores).not.toBeNull();
		expect(expected).toEqual({ Parser: 50 });
		expect(agreement?.criteria).toEqual([{ criterion_name: "Parser", expected: 50, score: parser }]);
		expect(agreement?.mean_absolute_error).toBeCloseTo(Math.abs(parser - 50), 2);
		expect((await run()).agreement).toBeNull();
	});

	it("records its cost, for itself and for the task", async () => {
		const script = await scriptJudge([{ steps: [honest()] }]);
		const judge = judgeOf(script, { JUDGE_PRICES: "model-a=1/10" });
		const { world, owner, params, start, read } = await begin();
		const { id } = await start();
		await world.workOff(id, { judge });
		const { usage, status } = await read(id);
		expect(status).toBe("completed");
		expect(usage).toMatchObject({ calls: 2, output_tokens: 200 });
		expect(usage.cost_usd).toBeGreaterThan(0);
		expect((await owner.call("getTask", { params })).judge_usage).toEqual(usage);
	});

	it("that fails says why, and its cost stays recorded", async () => {
		const { world, start, read } = await begin();
		const { id } = await start({ expected: { Parser: 50 } });
		await world.waitOut(id, { judge: failingJudge(PLATFORM_FAULT) });
		expect(await read(id)).toMatchObject({
			status: "evaluation_failed",
			scores: null,
			dimensions: [],
			agreement: null,
			error_message: expect.stringMatching(/24 hours.*The judge cannot be reached\./),
		});
	});
});

describe("a provider that asks to wait", () => {
	it("costs the run neither attempts nor time", async () => {
		const { world, start, read } = await begin();
		const { id } = await start();
		const later = { blame: "platform", isRetryable: true, waitsFor: "rate_limit", retryAfterSeconds: 600 } as const;
		const busy = failingJudge(new EvaluationFault("Too many calls.", later));
		for (let look = 0; look < 2 * MAX_ATTEMPTS; look += 1) {
			expect(await world.look(id, { judge: busy })).toBe(600_000);
			world.clock.advance(600_000);
		}
		expect(await read(id)).toMatchObject({ status: "running" });
		expect(await world.workOff(id)).toEqual([]);
		expect(await read(id)).toMatchObject({ status: "completed", error_message: null });
	});
});

describe("the refusal of a dry run", () => {
	it("names the reason, and nothing is stored", async () => {
		const { world, owner, params, taskId } = await begin();
		const { id: external } = await createDraft(owner, { eval_mode: "external", eval_callback_url: "https://judge.example/score" });
		const { id: bare } = await createDraft(owner, { criteria: undefined });
		const closed = await openTask(owner);
		await owner.call("closeTask", { params: { id: closed } });
		const takenDown = await openTask(owner);
		await admin.call("takeDownTask", { params: { id: takenDown }, body: { reason: "Malware." } });
		const { id: draft } = await createDraft(owner);
		const look = () => Promise.all([taskId, external, bare, closed, takenDown, draft].map(snapshotOf));
		const before = await look();
		const refused = (id: string, code: Parameters<typeof owner.refused>[1], body: unknown = BODY) =>
			owner.refused("startDryRun", code, { params: { id }, body });
		await refused(closed, "TASK_CLOSED");
		await refused(takenDown, "TASK_CLOSED");
		await refused(external, "WRONG_EVAL_MODE");
		await refused(bare, "INVALID_WEIGHTS");
		const unknown = await refused(taskId, "INVALID_BODY", { ...BODY, expected: { Nothing: 5 } });
		expect(unknown.details).toEqual([{ path: 'expected["Nothing"]', message: 'expected["Nothing"] is not a criterion of the task' }]);
		const many = Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`Nothing ${index}`, 5]));
		expect((await refused(taskId, "INVALID_BODY", { ...BODY, expected: many })).details).toHaveLength(20);
		for (const body of [
			{},
			{ files: {} },
			{ files: { "../x": "1" } },
			{ ...BODY, expected: {} },
			{ ...BODY, expected: { Parser: 101 } },
			{ ...BODY, expected: { Parser: "5" } },
			{ ...BODY, label: "" },
			{ ...BODY, label: "x".repeat(101) },
		])
			await refused(taskId, "INVALID_BODY", body);
		const stranger = world.enter(agent);
		await stranger.refused("startDryRun", "FORBIDDEN", { params, body: BODY });
		await stranger.refused("startDryRun", "NOT_FOUND", { params: { id: draft }, body: BODY });
		await stranger.refused("listDryRuns", "FORBIDDEN", { params });
		const judgeless = world.enter(poster, { judge: null });
		await judgeless.refused("startDryRun", "BAD_REQUEST", { params, body: BODY });
		expect(await look()).toEqual(before);
	});

	it("applies to files of more than 5 MB", async () => {
		const { owner, params } = await begin();
		const body = { files: { "large.txt": "x".repeat(5 * 1_048_576 + 1) } };
		expect((await owner.refused("startDryRun", "FILE_TOO_LARGE", { params, body })).details).toEqual({ max_bytes: 5 * 1_048_576 });
	});

	it("applies to every run after the twentieth in 24 hours, also of parallel ones", async () => {
		const { world, owner, params, start, read } = await begin();
		await start();
		world.clock.advance(60_000);
		const answers = await Promise.all(Array.from({ length: 25 }, () => owner.send("startDryRun", { params, body: BODY })));
		const statuses = answers.map(({ status }) => status);
		expect(statuses.filter((status) => status === 202)).toHaveLength(MAX_DRY_RUNS - 1);
		expect(statuses.filter((status) => status === 429)).toHaveLength(25 - MAX_DRY_RUNS + 1);
		const refused = await owner.refused("startDryRun", "RATE_LIMITED", { params, body: BODY });
		const seconds = DAY_MS / 1000 - 60;
		expect(refused.headers.get("Retry-After")).toBe(String(seconds));
		expect(refused.details).toMatchObject({ retry_after_seconds: seconds });
		// Waiting for the platform takes longer than the window, so the failed run was made in the next one.
		world.clock.advance(DAY_MS);
		const failed = await start();
		const fault = new EvaluationFault("The image is gone.", { blame: "platform", isRetryable: false });
		await world.workOff(failed.id, { judge: failingJudge(fault) });
		expect((await read(failed.id)).status).toBe("evaluation_failed");
		for (let run = 0; run < MAX_DRY_RUNS; run += 1) await start();
		await owner.refused("startDryRun", "RATE_LIMITED", { params, body: BODY });
	});

	it("also applies after failures of the submission's own files, which count as runs", async () => {
		const { world, owner, params, start } = await begin();
		const fault = new EvaluationFault("Not readable.", { blame: "submission", isRetryable: false });
		for (let run = 0; run < MAX_DRY_RUNS; run += 1) await world.workOff((await start()).id, { judge: failingJudge(fault) });
		await owner.refused("startDryRun", "RATE_LIMITED", { params, body: BODY });
	});
});

describe("reading dry runs", () => {
	it("shows no case of the judge check", async () => {
		const world = createTrialWorld();
		const { id: taskId } = await createDraft(poster);
		await world.enter(poster).call("publishTask", { params: { id: taskId } });
		await world.check(taskId);
		const [check] = await casesOf(taskId);
		await poster.refused("getDryRun", "NOT_FOUND", { params: { id: check?.id ?? "" } });
		expect((await poster.call("listDryRuns", { params: { id: taskId } })).data).toEqual([]);
	});

	it("lists the newest first, in pages", async () => {
		const { world, owner, params, start, read } = await begin();
		const ids: string[] = [];
		for (let run = 0; run < 5; run += 1) {
			ids.unshift((await start({ label: `Run ${run}` })).id);
			if (run % 2 === 0) world.clock.advance(1_000);
		}
		await world.workOff(ids[0] ?? "");
		const seen: string[] = [];
		let cursor: string | null = null;
		do {
			const page: Awaited<ReturnType<typeof readPage>> = await readPage(cursor);
			seen.push(...page.data.map(({ id }) => id));
			cursor = page.pagination.next_cursor;
		} while (cursor !== null);
		expect(seen).toEqual(ids);
		const { dimensions: _d, breakdown: _b, usage: _u, ...listed } = await read(ids[0] ?? "");
		expect((await owner.call("listDryRuns", { params })).data[0]).toEqual(listed);

		function readPage(after: string | null) {
			return owner.call("listDryRuns", { params, query: { limit: 2, ...(after === null ? {} : { cursor: after }) } });
		}
	});
});

describe("a draft", () => {
	it("runs its image without pinning it, and sends the grader the packed files", async () => {
		const begun = await begin({ task: { eval_mode: "container", eval_image: IMAGE }, script: { find: [RUNNING, done()] }, isDraft: true });
		const { id } = await begun.start();
		await begun.world.look(id);
		const [submitted] = ((await begun.scripted?.seen()) ?? []).filter(({ call }) => call === "submit");
		const url = new URL(submitted?.request?.artifact_url ?? "");
		expect(url.pathname).toBe(`/api/v1/trials/${id}/artifact`);
		const query = Object.fromEntries(url.searchParams);
		const zip = await createClient().send("downloadTrialArtifact", { params: { id }, query });
		expect({ status: zip.status, type: zip.headers.get("Content-Type") }).toEqual({ status: 200, type: "application/zip" });
		await createClient().refused("downloadTrialArtifact", "UNAUTHORIZED", { params: { id }, query: { ...query, signature: "00" } });
		begun.world.clock.advance(1_000);
		await begun.world.workOff(id);
		expect(await begun.read(id)).toMatchObject({
			status: "completed",
			scores: { final_score: 80, container_score: 80, llm_score: null },
			breakdown: { image_digest: DIGEST },
		});
		expect(await begun.owner.call("getTask", { params: begun.params })).toMatchObject({ status: "draft", eval_image_digest: null });
		expect(await runsOf(begun.scripted)).toBe(1);
	});

	it("of the mode hybrid joins both scores", async () => {
		const begun = await begin({
			task: { eval_mode: "hybrid", eval_image: IMAGE, test_weight: 70, llm_weight: 30 },
			script: { find: [done()] },
			isDraft: true,
		});
		const { scores } = await begun.run();
		expect(scores).toMatchObject({ test_score: 80, container_score: 80 });
		expect(scores?.final_score).toBeCloseTo(0.7 * 80 + 0.3 * (scores?.llm_score ?? 0), 1);
	});

	it("shows its owner the output of an image that fails", async () => {
		const begun = await begin({
			task: { eval_mode: "container", eval_image: IMAGE },
			script: { find: [ended("grader_error")] },
			isDraft: true,
		});
		const run = await begun.run();
		expect(run.status).toBe("evaluation_failed");
		expect(run.error_message).toMatch(/^grader_error: /);
	});

	it("that becomes external during a run asks no judge", async () => {
		const begun = await begin({ isDraft: true });
		const { id } = await begun.start();
		const body = { eval_mode: "external", eval_callback_url: "https://judge.example/score" };
		await begun.owner.call("updateTask", { params: begun.params, body });
		expect(await begun.world.workOff(id)).toEqual([]);
		expect(await begun.read(id)).toMatchObject({ status: "evaluation_failed", error_message: expect.stringContaining("Your own service") });
	});

	it("that is deleted during a run deletes the run", async () => {
		const { world, owner, params, taskId, start } = await begin({ isDraft: true });
		const { id } = await start();
		const held = heldJudge();
		const delivered = world.deliver(QUEUE, [{ taskId }, { taskId }], { judge: held.judge });
		await held.started;
		await owner.call("deleteTask", { params });
		held.release();
		expect(await delivered).toEqual({ acked: expect.arrayContaining([0, 1]), retried: [] });
		await owner.refused("getDryRun", "NOT_FOUND", { params: { id } });
		await expect.poll(() => listBucket(`tasks/${taskId}/`)).toEqual([]);
	});
});

describe("a consumer", () => {
	it("that dies at any step is replaced, and there is one result", { timeout: 120_000 }, async () => {
		for (let atStep = 0, died = true; died; atStep += 1) {
			const begun = await begin({ task: { eval_mode: "container", eval_image: IMAGE }, script: { find: [done()] } });
			const { id } = await begun.start();
			const own = begun.world.deps();
			const dying = mortal(own, { atStep });
			for (let visits = 0; visits < 2; visits += 1) {
				await workOff(dying, begun.taskId).catch(() => null);
				begun.world.clock.advance(2_000);
				await begun.world.ring(begun.taskId);
			}
			await own.settled().catch(() => {});
			died = dying.hasDied();
			begun.world.clock.advance(2 * CLAIM_MS);
			await begun.world.workOff(id);
			expect(await begun.read(id)).toMatchObject({ status: "completed", scores: { final_score: 80 } });
			expect(await runsOf(begun.scripted)).toBe(1);
		}
	});
});

describe("stored files of dry runs", () => {
	it("are kept during judging, and collected afterwards; the report stays", async () => {
		const { world, taskId, start, read } = await begin();
		const [waiting, judged] = [await start(), await start()];
		await world.workOff(judged.id);
		const keyOf = async (id: string) =>
			(await queryTask<{ key: string }>(taskId, "select artifact_key as key from trials where id = ?", id))[0]?.key ?? "";
		await collectAll();
		const { bucket } = world.deps();
		expect(await bucket.head(await keyOf(waiting.id))).not.toBeNull();
		expect(await bucket.head(await keyOf(judged.id))).toBeNull();
		await world.workOff(waiting.id);
		expect((await read(waiting.id)).breakdown).toEqual((await read(judged.id)).breakdown);
	});
});
