import { exports } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { admin } from "../support/admin.ts";
import { createApp } from "../support/app.ts";
import { goodZipWith } from "../support/archives.ts";
import { createClient } from "../support/client.ts";
import { testDeps } from "../support/deps.ts";
import { CALLBACK_URL, createExternalTask, receiver } from "../support/external-judging.ts";
import { readTaskRow } from "../support/house.ts";
import { createFleet } from "../support/identities.ts";
import { manualClock } from "../support/manual-clock.ts";
import { openTask, registerAgent, submit, taskInput } from "../support/scenario.ts";
import { countEvents } from "../support/storage.ts";
import { HOUR_MS } from "../support/times.ts";
import { atSignedUrl, putTo, register } from "../support/uploads.ts";

const nobody = createClient();
const of = (id: string) => ({ params: { id } });
const external = await createExternalTask({ max_submissions_per_agent: 25 });
const UNKNOWN = "01900000-0000-7000-8000-000000000000";

describe("a score from outside", () => {
	it("completes the submission and enters the leaderboard like any other", async () => {
		const id = await external.submit();
		await external.work(receiver().fetch);
		const answer = await external.post(id, {
			final_score: 81.239,
			reasoning: "Well done.",
			dimensions: [
				{ criterion_name: "Tests", score: 70.555, reasoning: "few" },
				{ criterion_name: "Parser", score: 90 },
			],
		});
		expect(answer).toEqual({
			submission_id: id,
			status: "completed",
			evaluated: true,
			final_score: 81.24,
			evaluation_id: expect.any(String),
		});
		expect(await external.agent.call("getSubmission", of(id))).toMatchObject({
			status: "completed",
			evaluated: true,
			position: 1,
			iteration: 1,
			scores: { final_score: 81.24, test_score: null, llm_score: null, container_score: null, eval_mode: "external" },
			dimensions: [
				{ criterion_name: "Tests", score: 70.56, reasoning: "few" },
				{ criterion_name: "Parser", score: 90, reasoning: "" },
			],
		});
		expect(await external.agent.call("getSubmissionDetails", of(id))).toMatchObject({
			reasoning: "Well done.",
			dimensions: [{ weight: 40 }, { weight: 60 }],
			breakdown: { judge: "external" },
		});
		expect((await external.agent.call("getLeaderboard", of(external.taskId))).me).toMatchObject({
			rank: 1,
			finalScore: 81.24,
			submissionId: id,
		});
		const { data } = await external.agent.call("listEvaluations", of(id));
		expect(data).toMatchObject([{ id: answer.evaluation_id, judge: "external", models: [] }]);
		const events = (await countEvents("submission.completed", id)) + (await countEvents("evaluation.completed", id));
		expect(events).toBe(2);
	});

	it("needs neither a reasoning nor dimensions, and may be 0 or 100", async () => {
		for (const final_score of [0, 100]) {
			const id = await external.submit();
			expect(await external.post(id, { final_score, reasoning: null, dimensions: null, error_message: null })).toMatchObject({
				final_score,
			});
		}
	});

	it("is accepted before the request to the judge, which is then not sent", async () => {
		const id = await external.submit();
		await external.post(id);
		const { received, fetch } = receiver();
		await external.work(fetch);
		expect(received).toEqual([]);
		expect(await external.jobsOf(id)).toBe(0);
		expect((await external.agent.call("getSubmission", of(id))).status).toBe("completed");
	});

	it("is accepted while that request is still under way", async () => {
		const id = await external.submit();
		const { fetch } = receiver(async () => {
			await external.post(id, { final_score: 66 });
			return new Response("ok");
		});
		await external.work(fetch);
		expect(await external.agent.call("getSubmission", of(id))).toMatchObject({ status: "completed", scores: { final_score: 66 } });
	});

	it("is accepted for a registered submission with an artifact, which then can no longer be completed", async () => {
		const id = await external.upload();
		expect(await external.post(id, { final_score: 55 })).toMatchObject({ status: "completed", final_score: 55 });
		expect(await external.agent.call("getSubmission", of(id))).toMatchObject({
			status: "completed",
			iteration: 1,
			scores: { final_score: 55 },
		});
		await external.agent.refused("completeSubmission", "WRONG_STATUS", of(id));
		await external.agent.refused("uploadArtifact", "WRONG_STATUS", {
			...of(id),
			rawBody: goodZipWith(),
			headers: { "Content-Type": "application/zip" },
		});
	});

	it("is accepted if its body takes longer to arrive than a credential is trusted", async () => {
		const id = await external.submit();
		const clock = manualClock(Date.now());
		const app = createApp(() => testDeps({ clock }));
		const slowly = createClient({
			async fetch({ url, method, headers, body: whole }) {
				const content = await new Response(whole).bytes();
				const pull = (controller: ReadableStreamDefaultController) => {
					clock.advance(5_000);
					controller.enqueue(content);
					controller.close();
				};
				return app.fetch(new Request(url, { method, headers, body: new ReadableStream({ pull }, { highWaterMark: 0 }) }));
			},
		});
		const wrong = external.score(id, { final_score: 80, callback_token: "wrong" });
		await slowly.refused("postExternalScore", "INVALID_CALLBACK_TOKEN", wrong);
		expect(await slowly.call("postExternalScore", external.score(id))).toMatchObject({ status: "completed", evaluated: true });
	});

	it("is accepted for a registered submission without an artifact, which then cannot be uploaded", async () => {
		const agent = await registerAgent("By mail");
		const { id, upload_url } = await register(agent, external.taskId);
		expect(await external.post(id, { final_score: 71 })).toMatchObject({ status: "completed", evaluated: true, final_score: 71 });
		expect(await agent.call("getSubmission", of(id))).toMatchObject({ status: "completed", iteration: 1, scores: { final_score: 71 } });
		expect((await agent.call("getLeaderboard", of(external.taskId))).me?.finalScore).toBe(71);
		await nobody.refused("putArtifact", "WRONG_STATUS", atSignedUrl(upload_url, { rawBody: goodZipWith() }));
		await agent.refused("completeSubmission", "WRONG_STATUS", of(id));
		await agent.refused("requestReEvaluation", "NO_ARTIFACT", of(id));
		await nobody.refused("postExternalScore", "ALREADY_SCORED", external.score(id));
	});

	it("also ends a registered submission without an artifact as failed", async () => {
		const agent = await registerAgent();
		const { id } = await register(agent, external.taskId);
		expect(await external.post(id, { error_message: "Nothing came." })).toMatchObject({ status: "evaluation_failed", evaluated: false });
		// A failure has no score, so the message must not speak of one.
		const { message } = await nobody.refused("postExternalScore", "ALREADY_SCORED", external.score(id));
		expect(message).not.toContain("score");
	});

	it("is accepted again after a re-evaluation was requested, and the median counts", async () => {
		const id = await external.submit();
		await external.post(id, { final_score: 40, dimensions: [{ criterion_name: "Parser", score: 10 }] });
		await external.agent.refused("postExternalScore", "ALREADY_SCORED", external.score(id));
		expect(await external.poster.call("requestReEvaluation", of(id))).toMatchObject({ iteration: 2 });
		const { received, fetch } = receiver();
		await external.work(fetch);
		expect(received).toHaveLength(1);
		const answer = await external.post(id, { final_score: 90, dimensions: [{ criterion_name: "Parser", score: 30 }] });
		expect(answer.final_score).toBe(65);
		expect(await external.agent.call("getSubmission", of(id))).toMatchObject({
			iteration: 2,
			scores: { final_score: 65 },
			dimensions: [{ score: 20 }],
		});
		await external.agent.refused("postExternalScore", "ALREADY_SCORED", external.score(id));
	});

	it("still counts after the owner has closed the task, if the request was sent before", async () => {
		const own = await createExternalTask();
		const id = await own.submit();
		await own.poster.call("closeTask", of(own.taskId));
		expect(await own.post(id, { final_score: 12 })).toMatchObject({ status: "completed" });
		expect((await own.agent.call("getLeaderboard", of(own.taskId))).me?.finalScore).toBe(12);
	});
});

describe("a score for a poster that may not act", () => {
	it("is refused while the poster is suspended, changes nothing, and is accepted after the restoration", async () => {
		const own = await createExternalTask();
		const id = await own.submit();
		const { received, fetch } = receiver();
		await own.work(fetch);
		const artifactUrl = String(JSON.parse(received[0]?.body ?? "").artifact_url);
		const download = async () => (await exports.default.fetch(new Request(artifactUrl))).status;
		expect(await download()).toBe(200);
		const { company_id: posterId } = await own.agent.call("getTask", of(own.taskId));
		const act = { params: { id: posterId }, body: { reason: "A test." } };
		await admin.call("suspendAgent", act);
		await own.anybody.refused("postExternalScore", "FORBIDDEN", own.score(id));
		await own.anybody.refused("postExternalScore", "INVALID_CALLBACK_TOKEN", own.score(id, { final_score: 80, callback_token: "wrong" }));
		expect(await download()).toBe(401);
		expect(await own.agent.call("getSubmission", of(id))).toMatchObject({ status: "running", evaluated: false });
		await admin.call("restoreAgent", act);
		expect(await download()).toBe(200);
		expect(await own.post(id)).toMatchObject({ status: "completed", final_score: 80 });
	});

	it("is refused when the operator token of the poster was revoked", async () => {
		const fleet = await createFleet();
		const child = await fleet.mint("Poster");
		const created = await child.call("createTask", { body: taskInput({ eval_callback_url: CALLBACK_URL }) });
		await child.call("publishTask", of(created.id));
		const agent = await registerAgent("Builder");
		const { id, upload_url } = await register(agent, created.id);
		await putTo(nobody, upload_url, goodZipWith());
		await fleet.operator.call("revokeOperatorToken", of(fleet.tokenId));
		await nobody.refused("postExternalScore", "FORBIDDEN", {
			...of(id),
			body: { callback_token: created.eval_callback_token ?? "", final_score: 80 },
		});
		expect(await agent.call("getSubmission", of(id))).toMatchObject({ status: "registered" });
	});
});

describe("a failure from outside", () => {
	it("ends the evaluation without a score, and keeps the slot", async () => {
		const own = await createExternalTask();
		const id = await own.submit();
		const answer = await own.post(id, { error_message: "It does not build.", final_score: 99 });
		expect(answer).toEqual({ submission_id: id, status: "evaluation_failed", evaluated: false, final_score: null, evaluation_id: null });
		expect(await own.agent.call("getSubmission", of(id))).toMatchObject({
			status: "evaluation_failed",
			evaluated: false,
			scores: null,
			error_message: "It does not build.",
			quota: { used: 1 },
		});
		expect(await own.evaluationsOf(id)).toBe(0);
		await own.agent.refused("postExternalScore", "ALREADY_SCORED", own.score(id));
		await own.agent.call("requestReEvaluation", of(id));
		expect(await own.post(id)).toMatchObject({ status: "completed", final_score: 80 });
	});

	it("of a re-evaluation leaves the submission as it was, and the response says so", async () => {
		const own = await createExternalTask();
		const id = await own.submit();
		await own.post(id, { final_score: 40 });
		await own.poster.call("requestReEvaluation", of(id));
		const answer = await own.post(id, { error_message: "The benchmark machine is down." });
		expect(answer).toEqual({ submission_id: id, status: "completed", evaluated: true, final_score: 40, evaluation_id: null });
		expect(await own.agent.call("getSubmission", of(id))).toMatchObject({ status: "completed", scores: { final_score: 40 } });
	});

	it("is also accepted for a registered submission, with a score of null", async () => {
		const id = await external.upload();
		expect(await external.post(id, { error_message: "empty", final_score: null })).toMatchObject({ status: "evaluation_failed" });
		await external.agent.refused("completeSubmission", "WRONG_STATUS", of(id));
	});
});

describe("an external score", () => {
	const long = "x".repeat(50_001);
	const bodies: readonly (readonly [string, Record<string, unknown>])[] = [
		["no score and no error", {}],
		["a score of null and no error", { final_score: null }],
		["a score below 0", { final_score: -0.01 }],
		["a score above 100", { final_score: 100.01 }],
		["a score in words", { final_score: "80" }],
		["an empty error", { error_message: "" }],
		["an error that is no text", { error_message: 5 }],
		["a reasoning that is too long", { final_score: 5, reasoning: long }],
		["dimensions that are no list", { final_score: 5, dimensions: { Parser: 5 } }],
		["a dimension without a score", { final_score: 5, dimensions: [{ criterion_name: "Parser" }] }],
		["a dimension above 100", { final_score: 5, dimensions: [{ criterion_name: "Parser", score: 101 }] }],
		["an unknown dimension", { final_score: 5, dimensions: [{ criterion_name: "parser", score: 1 }] }],
		["a dimension called constructor", { final_score: 5, dimensions: [{ criterion_name: "constructor", score: 1 }] }],
		[
			"a dimension twice",
			{
				final_score: 5,
				dimensions: [
					{ criterion_name: "Parser", score: 1 },
					{ criterion_name: "Parser", score: 2 },
				],
			},
		],
		["a token that is no text", { final_score: 5, callback_token: 7 }],
		["a token of null", { final_score: 5, callback_token: null }],
	];

	it.each(bodies)("is refused if it is %s", async (_, body) => {
		const agent = await registerAgent();
		const id = await external.upload(agent);
		await nobody.refused("postExternalScore", "VALIDATION_ERROR", external.score(id, body));
		expect((await agent.call("getSubmission", of(id))).status).toBe("registered");
	});

	it("is checked in this order: body, submission, mode, token, dimensions, state", async () => {
		const [poster, agent] = [await registerAgent(), await registerAgent()];
		const other = await submit(agent, await openTask(poster));
		const wrong = { callback_token: `svc_evaltok_${"0".repeat(32)}` };
		const scored = await external.submit();
		await external.post(scored);
		await nobody.refused("postExternalScore", "INVALID_UUID", { ...of("no-id"), body: {} });
		await nobody.refused("postExternalScore", "VALIDATION_ERROR", { ...of(UNKNOWN), body: wrong });
		await nobody.refused("postExternalScore", "NOT_FOUND", { ...of(UNKNOWN), body: { ...wrong, final_score: 1 } });
		await nobody.refused("postExternalScore", "WRONG_EVAL_MODE", { ...of(other.id), body: { ...wrong, final_score: 1 } });
		const unknown = { final_score: 1, dimensions: [{ criterion_name: "nothing", score: 1 }] };
		await nobody.refused("postExternalScore", "INVALID_CALLBACK_TOKEN", { ...of(scored), body: { ...wrong, ...unknown } });
		await nobody.refused("postExternalScore", "VALIDATION_ERROR", external.score(scored, unknown));
		await nobody.refused("postExternalScore", "ALREADY_SCORED", external.score(scored));
	});

	it("is rejected with every token but the task's own", async () => {
		const id = await external.submit();
		const elsewhere = await createExternalTask();
		const { key } = await registerAgent();
		const { token } = external;
		for (const callback_token of ["", "x", elsewhere.token, key, token.slice(0, -1), `${token}0`, ` ${token}`, token.toUpperCase()]) {
			await nobody.refused("postExternalScore", "INVALID_CALLBACK_TOKEN", { ...of(id), body: { callback_token, final_score: 100 } });
		}
		const hash = await readTaskRow<{ hash: string }>(external.taskId, "eval_callback_token_hash as hash");
		expect(hash?.hash).toMatch(/./);
		await nobody.refused("postExternalScore", "INVALID_CALLBACK_TOKEN", {
			...of(id),
			body: { callback_token: hash?.hash, final_score: 100 },
		});
	});

	it("is refused for a submission whose artifact was refused", async () => {
		const agent = await registerAgent();
		const { id, upload_url } = await register(agent, external.taskId);
		await putTo(nobody, upload_url, new Uint8Array(100));
		await agent.refused("completeSubmission", "BAD_REQUEST", of(id));
		await nobody.refused("postExternalScore", "WRONG_STATUS", external.score(id));
	});

	it("is recorded once for many parallel requests", async () => {
		for (const id of [await external.submit(), await external.upload()]) {
			const answers = await Promise.all(
				Array.from({ length: 8 }, (_, index) => nobody.send("postExternalScore", external.score(id, { final_score: index }))),
			);
			const bodies = await Promise.all(answers.map((answer) => answer.json<{ final_score?: number; error?: { code: string } }>()));
			const [won, ...others] = bodies.filter(({ error }) => error === undefined);
			expect(others).toEqual([]);
			expect(bodies.filter(({ error }) => error?.code === "ALREADY_SCORED")).toHaveLength(7);
			expect(await external.evaluationsOf(id)).toBe(1);
			expect((await external.agent.call("getSubmission", of(id))).scores?.final_score).toBe(won?.final_score);
		}
	});

	it("in parallel with a complete leaves one evaluation, or a queue that still works", async () => {
		for (let round = 0; round < 4; round += 1) {
			const own = await createExternalTask();
			const id = await own.upload();
			const [scored, completed] = await Promise.all([
				own.anybody.send("postExternalScore", own.score(id)),
				own.agent.send("completeSubmission", of(id)),
			]);
			expect(scored.status).toBe(200);
			expect([200, 409]).toContain(completed.status);
			expect(await own.agent.call("getSubmission", of(id))).toMatchObject({ status: "completed", scores: { final_score: 80 } });
			expect(await own.jobsOf(id)).toBe(0);
		}
	});

	it("can be sent again when it could not be stored", async () => {
		const own = await createExternalTask();
		const id = await own.submit();
		const { hubs } = testDeps();
		const losing: typeof hubs = {
			...hubs,
			callTask: (taskId, verb, call) =>
				verb.name === "writeOutsideScore" ? Promise.reject(new Error("storage is not well")) : hubs.callTask(taskId, verb, call),
		};
		const unlucky = own.world.enter({ key: null }, { hubs: losing });
		await unlucky.refused("postExternalScore", "EVAL_WRITE_FAILED", own.score(id));
		expect((await own.agent.call("getSubmission", of(id))).status).toBe("running");
		expect(await own.evaluationsOf(id)).toBe(0);
		own.world.clock.advance(HOUR_MS);
		expect(await own.post(id)).toMatchObject({ status: "completed", final_score: 80 });
	});
});
