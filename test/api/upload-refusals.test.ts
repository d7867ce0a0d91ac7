import { describe, expect, it } from "vitest";
import { bytesOf, concat, goodZipWith } from "../support/archives.ts";
import { type CallInput, createClient } from "../support/client.ts";
import { createDraft, openTask, registerAgent, submit } from "../support/scenario.ts";
import { snapshotStorage } from "../support/storage.ts";
import { countAskedEvaluations, readArtifactOf } from "../support/task-object.ts";
import { HOUR_MS, SECOND_MS } from "../support/times.ts";
import { atSignedUrl, countedStream, FORM_HEADERS, formBytes, putTo, register } from "../support/uploads.ts";
import { createWorld } from "../support/world.ts";

const [poster, agent, stranger] = [await registerAgent("Poster"), await registerAgent("Builder"), await registerAgent("Stranger")];
const nobody = createClient();
const taskId = await openTask(poster, { max_submissions_per_agent: 25 });
const UNKNOWN = "01900000-0000-7000-8000-000000000000";
const ZIP = goodZipWith();
const OCTETS = { "Content-Type": "application/octet-stream" };
const of = (id: string) => ({ params: { id } });
const sending = (id: string) => ({ ...of(id), rawBody: ZIP, headers: OCTETS });

describe("registering", () => {
	it("is refused for the same reasons as submitting", async () => {
		const draft = await createDraft(poster);
		await agent.refused("createSubmission", "NOT_FOUND", of(UNKNOWN));
		await agent.refused("createSubmission", "NOT_FOUND", of(draft.id));
		await poster.refused("createSubmission", "TASK_NOT_OPEN", of(draft.id));
		const closed = await openTask(poster);
		await poster.call("closeTask", of(closed));
		await agent.refused("createSubmission", "TASK_NOT_OPEN", of(closed));
		const small = await openTask(poster, { max_submissions_per_agent: 1 });
		await register(agent, small);
		const { details } = await agent.refused("createSubmission", "QUOTA_EXHAUSTED", of(small));
		expect(details).toEqual({ used: 1, limit: 1, remaining: 0 });
	});

	it("accepts a name for the leaderboard, and the default is the agent's own", async () => {
		const named = await agent.call("createSubmission", { ...of(taskId), body: { agent_display_name: "For this one" } });
		expect(named.agent_display_name).toBe("For this one");
		expect((await agent.call("createSubmission", { ...of(taskId), body: { agent_display_name: null } })).agent_display_name).toBe(
			"Builder",
		);
		await agent.refused("createSubmission", "INVALID_BODY", { ...of(taskId), body: { agent_display_name: "x".repeat(101) } });
	});
});

describe("another agent's submission", () => {
	it("accepts nothing from the poster, who may see it, nor from a stranger, who may not", async () => {
		const { id } = await register(agent, taskId);
		for (const operation of ["refreshUploadUrl", "completeSubmission"] as const) {
			await poster.refused(operation, "FORBIDDEN", of(id));
			await stranger.refused(operation, "NOT_FOUND", of(id));
			await stranger.refused(operation, "NOT_FOUND", of(UNKNOWN));
		}
		await poster.refused("uploadArtifact", "FORBIDDEN", sending(id));
		await stranger.refused("uploadArtifact", "NOT_FOUND", sending(id));
		await stranger.refused("uploadArtifact", "NOT_FOUND", sending(UNKNOWN));
		await nobody.refused("uploadArtifact", "unauthorized", sending(id));
	});
});

describe("a signed URL", () => {
	it("is not a key: it opens nothing else, and a key does not replace it", async () => {
		const { id, upload_url } = await register(agent, taskId);
		const { query = {} } = atSignedUrl(upload_url);
		await nobody.refused("uploadArtifact", "unauthorized", { ...sending(id), query });
		await agent.refused("putArtifact", "UNAUTHORIZED", sending(id));
	});

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
		const { id, upload_url } = await register(own, taskId);
		await putTo(own, upload_url, ZIP);
		const { output_url } = await own.call("completeSubmission", of(id));
		world.clock.advance(HOUR_MS - 1);
		expect((await own.send("getArtifact", atSignedUrl(output_url))).status).toBe(200);
		world.clock.advance(1);
		await own.refused("getArtifact", "UNAUTHORIZED", atSignedUrl(output_url));
	});
});

describe("a body that is not an artifact", () => {
	it.each(["text/plain", "application/json", "image/png", "application/x-www-form-urlencoded", "multipart/mixed; boundary=x"])(
		"is refused as %s",
		async (type) => {
			const { id, upload_url } = await register(await registerAgent(), taskId);
			await nobody.refused(
				"putArtifact",
				"UNSUPPORTED_FILE_TYPE",
				atSignedUrl(upload_url, { rawBody: ZIP, headers: { "Content-Type": type } }),
			);
			expect((await readArtifactOf(taskId, id)).key).toBeNull();
		},
	);

	const file = { name: "file", filename: "a.zip", content: ZIP };
	const forms: readonly (readonly [string, Uint8Array, Record<string, string>])[] = [
		["without a file", formBytes([{ name: "note", content: "no file" }]), FORM_HEADERS],
		["with its file under another name", formBytes([{ ...file, name: "artifact" }]), FORM_HEADERS],
		["with two files", formBytes([file, file]), FORM_HEADERS],
		["without any part", formBytes([]), FORM_HEADERS],
		["that is empty", new Uint8Array(), FORM_HEADERS],
		["without its end", formBytes([file], { end: "" }), FORM_HEADERS],
		["that stops in the middle of its file", formBytes([file]).subarray(0, 300), FORM_HEADERS],
		["with another boundary", formBytes([file]), { "Content-Type": "multipart/form-data; boundary=another" }],
		["without a boundary", formBytes([file]), { "Content-Type": "multipart/form-data" }],
		["with an endless field", formBytes([{ name: "note", content: "x".repeat(20_000) }, file]), FORM_HEADERS],
		["with a file field that is text", formBytes([{ name: "file", content: "a.zip" }]), FORM_HEADERS],
		[
			"with 64 KB before its file",
			formBytes([...Array.from({ length: 5 }, () => ({ name: "note", content: "x".repeat(14_000) })), file]),
			FORM_HEADERS,
		],
		["with a preamble of 64 KB", concat(bytesOf("x".repeat(70_000)), bytesOf("\r\n"), formBytes([file])), FORM_HEADERS],
		["with too many parts", formBytes([...Array.from({ length: 20 }, () => ({ name: "note", content: "x" })), file]), FORM_HEADERS],
	];

	it.each(forms)("is refused as a form %s, and nothing is stored", async (_, rawBody, headers) => {
		const own = await registerAgent();
		const { id } = await register(own, taskId);
		const before = await snapshotStorage();
		const { details } = await own.refused("uploadArtifact", "VALIDATION_ERROR", { ...of(id), rawBody, headers });
		expect(details).toEqual([{ path: "file", message: expect.any(String) }]);
		const after = await snapshotStorage();
		expect(after["bucket"]).toEqual(before["bucket"]);
		expect(after["submissions"]).toEqual(before["submissions"]);
	});
});

describe("an empty artifact", () => {
	const emptyFile = formBytes([{ name: "file", filename: "a.zip", content: "" }]);
	const bodies: readonly (readonly [string, () => CallInput])[] = [
		["no body", () => ({})],
		["a body of no bytes", () => ({ headers: OCTETS, rawBody: new Uint8Array() })],
		["a stream without bytes", () => ({ headers: OCTETS, rawBody: countedStream([]).stream })],
		["a form", () => ({ headers: FORM_HEADERS, rawBody: emptyFile })],
	];
	const ways = ["a signed PUT", "a POST"].flatMap((way) => bodies.map(([body, makeInput]) => [way, body, makeInput] as const));

	it.each(ways)("is refused at once by %s with %s, and the submission stays usable", async (way, _, makeInput) => {
		const own = await registerAgent();
		const { id, upload_url } = await register(own, taskId);
		const before = await snapshotStorage();
		if (way === "a POST") await own.refused("uploadArtifact", "BAD_REQUEST", { ...of(id), ...makeInput() });
		else await nobody.refused("putArtifact", "BAD_REQUEST", atSignedUrl(upload_url, makeInput()));
		const after = await snapshotStorage();
		expect([after["bucket"], after["submissions"]]).toEqual([before["bucket"], before["submissions"]]);
		expect(await own.call("getSubmission", of(id))).toMatchObject({ status: "registered", resume: { path: expect.any(String) } });
		await own.refused("completeSubmission", "NO_UPLOAD_FOUND", of(id));
		await putTo(nobody, upload_url, ZIP);
		expect(await own.call("completeSubmission", of(id))).toMatchObject({ status: "running" });
	});

	it("does not replace the earlier one", async () => {
		const own = await registerAgent();
		const { id, upload_url } = await register(own, taskId);
		await putTo(nobody, upload_url, ZIP);
		await nobody.refused("putArtifact", "BAD_REQUEST", atSignedUrl(upload_url, { rawBody: new Uint8Array() }));
		expect(await own.call("completeSubmission", of(id))).toMatchObject({ status: "running" });
	});
});

describe("complete", () => {
	it("needs an upload", async () => {
		const own = await registerAgent();
		const { id } = await register(own, taskId);
		await own.refused("completeSubmission", "NO_UPLOAD_FOUND", of(id));
		expect((await own.call("getSubmission", of(id))).status).toBe("registered");
	});

	it("is refused for the artifact of a quick-submit", async () => {
		const own = await registerAgent();
		const { id } = await submit(own, taskId);
		for (const operation of ["completeSubmission", "refreshUploadUrl"] as const) await own.refused(operation, "WRONG_STATUS", of(id));
		await own.refused("uploadArtifact", "WRONG_STATUS", sending(id));
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
