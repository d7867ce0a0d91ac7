// Tests the steps of an upload: registering, the URL, sending, complete; who may take them, and until when.
import { exports } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { buildZip, goodZipWith } from "../support/archives.ts";
import { watchBucket } from "../support/buckets.ts";
import { createClient } from "../support/client.ts";
import { sha256Hex } from "../support/hashes.ts";
import { awaitEvaluation, createDraft, openTask, registerAgent, submit } from "../support/scenario.ts";
import { countEvents, listArtifactKeys, listBucket } from "../support/storage.ts";
import { countAskedEvaluations, countInTask, readArtifactOf } from "../support/task-object.ts";
import { HOUR_MS, SECOND_MS } from "../support/times.ts";
import { atSignedUrl, putTo, register } from "../support/uploads.ts";
import { createWorld } from "../support/world.ts";

const [poster, agent] = [await registerAgent("Poster"), await registerAgent("Builder")];
const nobody = createClient();
const taskId = await openTask(poster, { max_submissions_per_agent: 25 });
/** The clock and the queue of a test stay with a task, so that nothing evaluates this one. */
const heldTaskId = await openTask(poster);
const ZIP = goodZipWith();
const OTHER_ZIP = goodZipWith([{ name: "other.txt", content: "another artifact" }]);
const of = (id: string) => ({ params: { id } });
const OCTETS = { "Content-Type": "application/octet-stream" };
const sending = (id: string) => ({ ...of(id), rawBody: ZIP, headers: OCTETS });

/** Registers as a new agent, because an agent has at most 25 slots on a task. */
async function registerAnew() {
	const own = await registerAgent();
	return { own, ...(await register(own, taskId)) };
}

const listArtifacts = () => listArtifactKeys(`tasks/${taskId}/artifacts/`);

describe("a registered submission", () => {
	it("has a URL for its artifact until an hour past the deadline, and uses a slot", async () => {
		const { own, ...registered } = await registerAnew();
		expect(registered).toMatchObject({ task_id: taskId, agent_id: own.agentId, status: "registered", quota: { used: 1, limit: 25 } });
		const deadline = (await agent.call("getLeaderboard", of(taskId))).deadline;
		expect(Date.parse(registered.upload_expires_at)).toBe(Date.parse(deadline) + 3_600_000);
		expect(registered.upload_url).toBe(`https://bounty.test/api/v1/submissions/${registered.id}/artifact?${registered.upload_token}`);
	});

	it("has a URL until the end of the year 9999 at the latest, because a later date has no form in the API", async () => {
		const deadline = "9999-12-31T23:59:59.999Z";
		const { id, upload_expires_at } = await register(agent, await openTask(poster, { deadline }));
		expect(upload_expires_at).toBe(deadline);
		expect((await agent.call("getSubmission", of(id))).resume?.expires_at).toBe(deadline);
		expect((await agent.call("refreshUploadUrl", of(id))).upload_expires_at).toBe(deadline);
	});

	it("tells only its agent how to continue, until the artifact is stored", async () => {
		const { own, id } = await registerAnew();
		const { resume, status } = await own.call("getSubmission", of(id));
		expect(status).toBe("registered");
		expect(resume).toMatchObject({ path: `/api/v1/submissions/${id}/artifact`, expires_at: expect.any(String) });
		expect(resume?.url).toBe(`https://bounty.test${resume?.path}?${resume?.token}`);
		expect(await poster.call("getSubmission", of(id))).not.toHaveProperty("resume");
		await putTo(nobody, resume?.url ?? "", ZIP);
		expect(await own.call("getSubmission", of(id))).not.toHaveProperty("resume");
	});

	it("tells its agent how to complete it after the artifact is stored", async () => {
		const { own, id } = await registerAnew();
		expect(await own.call("getSubmission", of(id))).not.toHaveProperty("next_step");
		const stored = await own.call("uploadArtifact", { ...of(id), headers: OCTETS, rawBody: ZIP });
		const step = { method: "POST", href: `https://bounty.test/api/v1/submissions/${id}/complete`, description: expect.any(String) };
		expect(stored).toMatchObject({ id, submission_id: id, status: "registered", next_step: step });
		expect(await own.call("getSubmission", of(id))).toMatchObject({ status: "registered", next_step: step });
		expect(await poster.call("getSubmission", of(id))).not.toHaveProperty("next_step");
		const followed = await exports.default.fetch(stored.next_step.href, {
			method: stored.next_step.method,
			headers: { Authorization: `Bearer ${own.key}` },
		});
		expect(followed.status).toBe(200);
		expect(await own.call("getSubmission", of(id))).not.toHaveProperty("next_step");
	});

	it("gets new URLs that use no slot, each of which works", async () => {
		const { own, id, upload_url } = await registerAnew();
		const fresh = await own.call("refreshUploadUrl", of(id));
		expect(fresh).toMatchObject({ submission_id: id, upload_path: `/api/v1/submissions/${id}/artifact` });
		expect((await own.call("getSubmission", of(id))).quota.used).toBe(1);
		await putTo(nobody, fresh.upload_url, ZIP);
		await putTo(nobody, upload_url, ZIP);
		await own.refused("refreshUploadUrl", "ALREADY_UPLOADED", of(id));
	});

	it("has a name for the leaderboard, and the default is the agent's own", async () => {
		const named = await agent.call("createSubmission", { ...of(taskId), body: { agent_display_name: "For this one" } });
		expect(named.agent_display_name).toBe("For this one");
		expect((await agent.call("createSubmission", { ...of(taskId), body: { agent_display_name: null } })).agent_display_name).toBe(
			"Builder",
		);
		await agent.refused("createSubmission", "INVALID_BODY", { ...of(taskId), body: { agent_display_name: "x".repeat(101) } });
	});
});

describe("registering", () => {
	it("is refused for the same reasons as submitting", async () => {
		const draft = await createDraft(poster);
		await poster.refused("createSubmission", "TASK_NOT_OPEN", of(draft.id));
		const closed = await openTask(poster);
		await poster.call("closeTask", of(closed));
		await agent.refused("createSubmission", "TASK_NOT_OPEN", of(closed));
		const small = await openTask(poster, { max_submissions_per_agent: 1 });
		await register(agent, small);
		const { details } = await agent.refused("createSubmission", "QUOTA_EXHAUSTED", of(small));
		expect(details).toEqual({ used: 1, limit: 1, remaining: 0 });
	});
});

describe("an artifact", () => {
	it("is not evaluated until complete", async () => {
		const { own, id, upload_url } = await registerAnew();
		await putTo(nobody, upload_url, ZIP);
		expect(await own.call("getSubmission", of(id))).toMatchObject({ status: "registered", evaluated: false, iteration: 0 });
		expect(await countAskedEvaluations(taskId, id)).toBe(0);
		expect(await own.call("completeSubmission", of(id))).toMatchObject({ id, status: "running" });
		expect(await awaitEvaluation(own, id)).toMatchObject({ status: "completed", evaluated: true, missing_sections: [], iteration: 1 });
	});

	it("can be downloaded at the URL that complete returns, and only by those who may see it", async () => {
		const { own, id, upload_url } = await registerAnew();
		await putTo(nobody, upload_url, ZIP);
		const { output_url } = await own.call("completeSubmission", of(id));
		const download = await exports.default.fetch(output_url);
		expect(new Uint8Array(await download.arrayBuffer())).toEqual(ZIP);
		expect(download.headers.get("Content-Disposition")).toBe(`attachment; filename="${id}.zip"`);
		expect(download.headers.get("Content-Security-Policy")).toBe("sandbox; default-src 'none'");
		const head = await exports.default.fetch(output_url, { method: "HEAD" });
		expect([head.status, (await head.arrayBuffer()).byteLength]).toEqual([200, 0]);
		await nobody.refused("getArtifact", "UNAUTHORIZED", of(id));
		await nobody.refused("getArtifact", "UNAUTHORIZED", atSignedUrl(upload_url));
		await nobody.refused("putArtifact", "UNAUTHORIZED", atSignedUrl(output_url, { rawBody: OTHER_ZIP }));
	});

	it("that is uploaded again replaces the previous one, whose bytes are deleted", async () => {
		const { own, id, upload_url } = await registerAnew();
		await putTo(nobody, upload_url, ZIP);
		const first = (await readArtifactOf(taskId, id)).key;
		expect(await listBucket(first ?? "none")).toEqual([first]);
		await own.call("uploadArtifact", { ...of(id), rawBody: OTHER_ZIP, headers: OCTETS });
		await expect.poll(() => listBucket(first ?? "none")).toEqual([]);
		const { output_url } = await own.call("completeSubmission", of(id));
		expect(new Uint8Array(await (await exports.default.fetch(output_url)).arrayBuffer())).toEqual(OTHER_ZIP);
	});

	it("cannot be replaced once it is handed in, by complete or by quick-submit", async () => {
		const { own, id, upload_url } = await registerAnew();
		await putTo(nobody, upload_url, ZIP);
		await own.call("completeSubmission", of(id));
		const before = (await listArtifacts()).length;
		await nobody.refused("putArtifact", "WRONG_STATUS", atSignedUrl(upload_url, { rawBody: OTHER_ZIP }));
		for (const handedIn of [id, (await submit(own, taskId)).id]) {
			await own.refused("uploadArtifact", "WRONG_STATUS", { ...of(handedIn), rawBody: OTHER_ZIP, headers: OCTETS });
			await own.refused("refreshUploadUrl", "WRONG_STATUS", of(handedIn));
			await own.refused("completeSubmission", "WRONG_STATUS", of(handedIn));
		}
		expect(await listArtifacts()).toHaveLength(before + 1);
	});

	it("without SUBMISSION.md at its root fails, and the status says so", async () => {
		const { own, id, upload_url } = await registerAnew();
		await putTo(nobody, upload_url, buildZip({ entries: [{ name: "readme.md", content: "# What I Built" }] }));
		const refusal = await own.refused("completeSubmission", "MISSING_SUBMISSION_MD", of(id));
		expect(await own.call("getSubmission", of(id))).toMatchObject({
			status: "failed",
			error_message: "The zip has no SUBMISSION.md at its root.",
			iteration: 0,
		});
		expect(refusal.message).toBe("The zip has no SUBMISSION.md at its root. You have 24 of 25 submissions left on this task.");
		const error_message = "The artifact could not be used.";
		expect(await nobody.call("getSubmissionStatus", of(id))).toMatchObject({ status: "failed", error_message });
		expect(await countAskedEvaluations(taskId, id)).toBe(0);
		await own.refused("completeSubmission", "WRONG_STATUS", of(id));
	});

	it("without some sections is accepted, and the missing ones are shown", async () => {
		const { own, id, upload_url } = await registerAnew();
		const content = "## 1. What I built\n\n### How to run: ###\n# Architecture #\nText\nWhat Works\n----\n";
		await putTo(nobody, upload_url, buildZip({ entries: [{ name: "SUBMISSION.md", content }] }));
		await own.call("completeSubmission", of(id));
		expect((await awaitEvaluation(own, id)).missing_sections).toEqual(["What Works", "Known Limitations", "Tradeoffs"]);
	});
});

describe("a signed URL", () => {
	it("is valid until an hour past the deadline, to the second", async () => {
		const world = createWorld();
		const own = await registerAgent();
		const { id, upload_url, upload_expires_at } = await register(own, await openTask(poster));
		const anybody = world.enter({ key: null });
		world.clock.advance(Date.parse(upload_expires_at) - world.clock.now() - SECOND_MS);
		await putTo(anybody, upload_url, ZIP);
		world.clock.advance(SECOND_MS);
		await anybody.refused("putArtifact", "UNAUTHORIZED", atSignedUrl(upload_url, { rawBody: ZIP }));
		await world.enter(own).refused("uploadArtifact", "DEADLINE_PASSED", sending(id));
	});

	it("of a download is valid for an hour", async () => {
		const world = createWorld();
		const own = world.enter(await registerAgent());
		const { id, upload_url } = await register(own, heldTaskId);
		await putTo(own, upload_url, ZIP);
		const { output_url } = await own.call("completeSubmission", of(id));
		world.clock.advance(HOUR_MS - 1);
		expect((await own.send("getArtifact", atSignedUrl(output_url))).status).toBe(200);
		world.clock.advance(1);
		await own.refused("getArtifact", "UNAUTHORIZED", atSignedUrl(output_url));
	});
});

describe("a task that its owner has closed", () => {
	it("refuses uploads and completes of submissions that were registered before", async () => {
		const own = await registerAgent();
		const id = await openTask(poster);
		const [empty, uploaded] = [await register(own, id), await register(own, id)];
		await putTo(nobody, uploaded.upload_url, ZIP);
		await poster.call("closeTask", of(id));
		await nobody.refused("putArtifact", "TASK_CLOSED", atSignedUrl(empty.upload_url, { rawBody: ZIP }));
		await own.refused("uploadArtifact", "TASK_CLOSED", sending(empty.id));
		await own.refused("refreshUploadUrl", "TASK_CLOSED", of(empty.id));
		await own.refused("completeSubmission", "TASK_CLOSED", of(uploaded.id));
		expect(await own.call("getSubmission", of(empty.id))).not.toHaveProperty("resume");
	});
});

describe("a deadline", () => {
	/** Returns a task this long past its deadline, with a submission that was only registered and one that was uploaded before it. */
	async function pastDeadline(ms: number) {
		const world = createWorld();
		const own = await registerAgent();
		const id = await openTask(poster);
		const [empty, uploaded] = [await register(own, id), await register(own, id)];
		await putTo(nobody, uploaded.upload_url, ZIP);
		world.clock.advance(Date.parse(empty.upload_expires_at) - HOUR_MS + ms - world.clock.now());
		await world.ring(id);
		return { world, id, empty, uploaded, agent: world.enter(own), poster: world.enter(poster) };
	}

	it("ends registering at once, and leaves an hour for registered submissions", async () => {
		const { agent: late, id, empty, uploaded, world } = await pastDeadline(HOUR_MS - SECOND_MS);
		await late.refused("createSubmission", "TASK_NOT_OPEN", of(id));
		const { upload_url } = await late.call("refreshUploadUrl", of(empty.id));
		await putTo(late, upload_url, ZIP);
		for (const { id: submissionId } of [empty, uploaded]) {
			await late.call("completeSubmission", of(submissionId));
			expect(await countAskedEvaluations(id, submissionId)).toBe(1);
		}
		await world.workOffDue(id);
		expect(await late.call("getSubmission", of(uploaded.id))).toMatchObject({ status: "completed", evaluated: true, position: 1 });
	});

	it("is final an hour later", async () => {
		const { agent: late, empty, uploaded } = await pastDeadline(HOUR_MS);
		await late.refused("refreshUploadUrl", "DEADLINE_PASSED", of(empty.id));
		await late.refused("uploadArtifact", "DEADLINE_PASSED", sending(empty.id));
		await late.refused("completeSubmission", "DEADLINE_PASSED", of(uploaded.id));
		expect(await late.call("getSubmission", of(empty.id))).not.toHaveProperty("resume");
	});

	it("that is not settled yet also ends registering", async () => {
		const world = createWorld();
		const id = await openTask(poster);
		world.clock.advance(49 * HOUR_MS);
		await world.enter(agent).refused("createSubmission", "DEADLINE_PASSED", of(id));
	});
});

describe("parallel requests", () => {
	it("complete one submission once, with one evaluation", async () => {
		const { own, id, upload_url } = await registerAnew();
		await putTo(nobody, upload_url, ZIP);
		const answers = await Promise.all(Array.from({ length: 12 }, () => own.send("completeSubmission", of(id))));
		expect(answers.map(({ status }) => status).toSorted()).toEqual([200, ...Array.from({ length: 11 }, () => 409)]);
		expect(await countAskedEvaluations(taskId, id)).toBe(1);
		await awaitEvaluation(own, id);
		expect(await countInTask(taskId, "select count(*) from evaluations where submission_id = ?", id)).toBe(1);
		expect(await countEvents("submission.running", id)).toBe(1);
	});

	it("upload without losing track of any object", async () => {
		const { own, id, upload_url } = await registerAnew();
		const before = new Set(await listArtifacts());
		const zips = Array.from({ length: 5 }, (_, index) => goodZipWith([{ name: `v${index}.txt`, content: `version ${index}` }]));
		const answers = await Promise.all(zips.map((zip) => nobody.send("putArtifact", atSignedUrl(upload_url, { rawBody: zip }))));
		expect(answers.every(({ status }) => status === 200 || status === 409)).toBe(true);
		const { key } = await readArtifactOf(taskId, id);
		await expect.poll(async () => (await listArtifacts()).filter((one) => !before.has(one))).toEqual([key]);
		await own.call("completeSubmission", of(id));
		expect(await awaitEvaluation(own, id)).toMatchObject({ status: "completed" });
	});

	it("upload and complete, and the evaluated artifact is the one of the row", async () => {
		for (let round = 0; round < 5; round += 1) {
			const { own, id, upload_url } = await registerAnew();
			await putTo(nobody, upload_url, ZIP);
			const [completed, uploaded] = await Promise.all([
				own.send("completeSubmission", of(id)),
				nobody.send("putArtifact", atSignedUrl(upload_url, { rawBody: OTHER_ZIP })),
			]);
			expect(completed.status).toBe(200);
			expect([200, 409]).toContain(uploaded.status);
			const { key, sha256 } = await readArtifactOf(taskId, id);
			expect(sha256).toBe(await sha256Hex(uploaded.status === 200 ? OTHER_ZIP : ZIP));
			expect(await listArtifactKeys(key ?? "none")).toEqual([key]);
			expect(await awaitEvaluation(own, id)).toMatchObject({ status: "completed" });
		}
	});

	it("register with one slot left, and one gets it", async () => {
		const own = await registerAgent();
		const small = await openTask(poster, { max_submissions_per_agent: 1 });
		const answers = await Promise.all(Array.from({ length: 6 }, () => own.send("createSubmission", of(small))));
		expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 403, 403, 403, 403, 403]);
		expect(await countInTask(small, "select quota_used from entries")).toBe(1);
	});

	it("complete while an upload replaces the bytes, and decide again", async () => {
		const own = await registerAgent();
		const { id, upload_url } = await register(own, heldTaskId);
		await putTo(nobody, upload_url, ZIP);
		let isFirst = true;
		const { bucket } = watchBucket({
			async before(call) {
				if (call !== "get" || !isFirst) return;
				isFirst = false;
				await putTo(createWorld().enter({ key: null }), upload_url, OTHER_ZIP);
			},
		});
		expect(await createWorld().enter(own, { bucket }).call("completeSubmission", of(id))).toMatchObject({ status: "running" });
		expect((await readArtifactOf(heldTaskId, id)).sha256).toBe(await sha256Hex(OTHER_ZIP));
	});

	it("upload later than complete, and leave no object", async () => {
		const own = await registerAgent();
		const { id, upload_url } = await register(own, heldTaskId);
		await putTo(nobody, upload_url, ZIP);
		const before = await listArtifactKeys(`tasks/${heldTaskId}/artifacts/`);
		const { bucket } = watchBucket({
			async before(call) {
				if (call === "put") await createWorld().enter(own).call("completeSubmission", of(id));
			},
		});
		const late = createWorld().enter({ key: null }, { bucket });
		await late.refused("putArtifact", "WRONG_STATUS", atSignedUrl(upload_url, { rawBody: OTHER_ZIP }));
		expect(await listArtifactKeys(`tasks/${heldTaskId}/artifacts/`)).toEqual(before);
		expect((await readArtifactOf(heldTaskId, id)).sha256).toBe(await sha256Hex(ZIP));
	});
});
