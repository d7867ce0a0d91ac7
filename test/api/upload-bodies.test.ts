// Tests what may arrive as an artifact: forms, types, sizes, bodies that break off, and faults of storage.
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { concat, goodZipWith } from "../support/archives.ts";
import { watchBucket } from "../support/buckets.ts";
import { type CallInput, type Client, createClient } from "../support/client.ts";
import { sha256Hex } from "../support/hashes.ts";
import { openTask, registerAgent } from "../support/scenario.ts";
import { listBucket, snapshotStorage } from "../support/storage.ts";
import { readArtifactOf } from "../support/task-object.ts";
import {
	atSignedUrl,
	breakingOff,
	type CountedStream,
	countedStream,
	FORM_HEADERS,
	formBytes,
	formChunks,
	MB,
	putTo,
	register,
	zeros,
} from "../support/uploads.ts";
import { createWorld } from "../support/world.ts";

const LIMIT = 100 * MB;
const PART = 5 * MB;
const ZIP = goodZipWith();
const OCTETS = { "Content-Type": "application/octet-stream" };
const world = createWorld();
const nobody = createClient();
const taskId = await openTask(await registerAgent(), { max_submissions_per_agent: 25 });
const fileForm = (content: Iterable<Uint8Array>) => formChunks([{ name: "file", filename: "a.zip", content }]);
const announced = (bytes: number) => ({ "Content-Length": String(bytes) });

/** Returns a registered submission, its agent and a caller without a key, on a platform whose bucket is watched. */
async function open(body: CountedStream) {
	const own = await registerAgent();
	const { id, upload_url } = await register(own, taskId);
	let ahead = 0;
	const watched = watchBucket({
		before(call) {
			if (call === "uploadPart") ahead = Math.max(ahead, body.pulled() - (watched.use.parts + 1) * PART);
		},
	});
	const change = { bucket: watched.bucket };
	return {
		own,
		id,
		upload_url,
		use: watched.use,
		/** Returns by how many bytes, at most, the body was read beyond the part that was being stored. */
		ahead: () => ahead,
		put: (headers: Readonly<Record<string, string>>) =>
			[world.enter({ key: null }, change), "putArtifact", atSignedUrl(upload_url, { rawBody: body.stream, headers })] as const,
		post: (headers: Readonly<Record<string, string>>) =>
			[world.enter(own, change), "uploadArtifact", { params: { id }, rawBody: body.stream, headers }] as const,
	};
}

type Opened = Awaited<ReturnType<typeof open>>;
type Way = (opened: Opened) => readonly [Client, "putArtifact" | "uploadArtifact", CallInput];

const artifactOf = (id: string) => readArtifactOf(taskId, id);
const NONE = { key: null, bytes: null, sha256: null };

describe("an artifact", () => {
	const file = { name: "file", filename: "größe.zip", content: ZIP };
	const asBrowsers = () => {
		const form = new FormData();
		form.set("file", new File([ZIP], "„提交“ — сдача.zip"));
		return form;
	};
	const bodies: readonly (readonly [string, () => BodyInit, Readonly<Record<string, string>>])[] = [
		["octets", () => ZIP, OCTETS],
		["a zip", () => ZIP, { "Content-Type": "application/zip" }],
		["bytes without a type", () => ZIP, {}],
		["a form", () => formBytes([file]), FORM_HEADERS],
		[
			"a form with other fields around it",
			() => formBytes([{ name: "note", content: "first" }, file, { name: "__proto__", content: "last" }]),
			FORM_HEADERS,
		],
		["a form in the way of browsers, with a name in any script", asBrowsers, {}],
	];

	it.each(bodies)("can be sent as %s, to its signed URL and with a key", async (_, makeBody, headers) => {
		const own = await registerAgent();
		const { id, upload_url } = await register(own, taskId);
		const stored = { submission_id: id, bytes: ZIP.byteLength, sha256: await sha256Hex(ZIP) };
		expect(await putTo(nobody, upload_url, makeBody(), headers)).toMatchObject(stored);
		expect(await own.call("uploadArtifact", { params: { id }, rawBody: makeBody(), headers })).toMatchObject(stored);
	});
});

describe("a body that is not an artifact", () => {
	it.each(["text/plain", "multipart/mixed; boundary=x"])("is refused as %s", async (type) => {
		const { id, upload_url } = await register(await registerAgent(), taskId);
		await nobody.refused(
			"putArtifact",
			"UNSUPPORTED_FILE_TYPE",
			atSignedUrl(upload_url, { rawBody: ZIP, headers: { "Content-Type": type } }),
		);
		expect((await readArtifactOf(taskId, id)).key).toBeNull();
	});

	const file = { name: "file", filename: "a.zip", content: ZIP };
	const forms: readonly (readonly [string, Uint8Array, Record<string, string>])[] = [
		["without a file", formBytes([{ name: "note", content: "no file" }]), FORM_HEADERS],
		["with two files", formBytes([file, file]), FORM_HEADERS],
		["that stops in the middle of its file", formBytes([file]).subarray(0, 300), FORM_HEADERS],
	];

	it.each(forms)("is refused as a form %s, and nothing is stored", async (_, rawBody, headers) => {
		const own = await registerAgent();
		const { id } = await register(own, taskId);
		const before = await snapshotStorage();
		const { details } = await own.refused("uploadArtifact", "VALIDATION_ERROR", { params: { id }, rawBody, headers });
		expect(details).toEqual([{ path: "file", message: expect.any(String) }]);
		const after = await snapshotStorage();
		expect(after["bucket"]).toEqual(before["bucket"]);
		expect(after["submissions"]).toEqual(before["submissions"]);
	});
});

describe("an empty artifact", () => {
	const bodies: readonly (readonly [string, () => CallInput])[] = [
		["no body", () => ({})],
		["a body of no bytes", () => ({ headers: OCTETS, rawBody: new Uint8Array() })],
		["a stream without bytes", () => ({ headers: OCTETS, rawBody: countedStream([]).stream })],
		["a form", () => ({ headers: FORM_HEADERS, rawBody: formBytes([{ name: "file", filename: "a.zip", content: "" }]) })],
	];

	it.each(bodies)("is refused at once with %s, the submission stays usable, and an earlier upload stays", async (_, makeInput) => {
		const own = await registerAgent();
		const { id, upload_url } = await register(own, taskId);
		const before = await snapshotStorage();
		await own.refused("uploadArtifact", "BAD_REQUEST", { params: { id }, ...makeInput() });
		await nobody.refused("putArtifact", "BAD_REQUEST", atSignedUrl(upload_url, makeInput()));
		const after = await snapshotStorage();
		expect([after["bucket"], after["submissions"]]).toEqual([before["bucket"], before["submissions"]]);
		expect(await own.call("getSubmission", { params: { id } })).toMatchObject({
			status: "registered",
			resume: { path: expect.any(String) },
		});
		await own.refused("completeSubmission", "NO_UPLOAD_FOUND", { params: { id } });
		await putTo(nobody, upload_url, ZIP);
		await nobody.refused("putArtifact", "BAD_REQUEST", atSignedUrl(upload_url, makeInput()));
		expect(await own.call("completeSubmission", { params: { id } })).toMatchObject({ status: "running" });
	});
});

describe("an upload of 100 MB", () => {
	const ways: readonly (readonly [string, () => CountedStream, Way])[] = [
		["a signed PUT of unknown length", () => countedStream(zeros(LIMIT)), ({ put }) => put(OCTETS)],
		["a POST that says its length", () => countedStream(zeros(LIMIT)), ({ post }) => post({ ...OCTETS, ...announced(LIMIT) })],
		["a form", () => countedStream(fileForm(zeros(LIMIT))), ({ post }) => post(FORM_HEADERS)],
	];

	it.each(ways)("arrives by %s, no faster than it is stored, and in parts if its length is unknown", async (_, makeBody, way) => {
		const opened = await open(makeBody());
		const [client, contract, input] = way(opened);
		expect(await client.call(contract, input)).toMatchObject({ bytes: LIMIT });
		const isKnown = "Content-Length" in (input.headers ?? {});
		expect(opened.use).toMatchObject(isKnown ? { parts: 0, puts: 1 } : { parts: 20, largestPart: PART, puts: 0 });
		expect(opened.ahead()).toBeLessThanOrEqual(3 * MB);
		const { key, bytes } = await artifactOf(opened.id);
		expect(bytes).toBe(LIMIT);
		expect((await env.BUCKET.head(key ?? ""))?.size).toBe(LIMIT);
		await env.BUCKET.delete(key ?? "");
	});
});

describe("an upload of one byte more than 100 MB", () => {
	const more = LIMIT + 1;
	const ways: readonly (readonly [string, () => CountedStream, Way, { readonly isReadFirst: boolean }])[] = [
		["a PUT that says so", () => countedStream(zeros(more)), ({ put }) => put({ ...OCTETS, ...announced(more) }), { isReadFirst: false }],
		[
			"a form that says so",
			() => countedStream(fileForm(zeros(more))),
			({ post }) => post({ ...FORM_HEADERS, ...announced(more + MB) }),
			{ isReadFirst: false },
		],
		["a PUT of unknown length", () => countedStream(zeros(more)), ({ put }) => put(OCTETS), { isReadFirst: true }],
	];

	it.each(ways)("is refused by %s and nothing is stored", async (_, makeBody, way, { isReadFirst }) => {
		const before = await listBucket();
		const body = makeBody();
		const opened = await open(body);
		const [client, contract, input] = way(opened);
		const { details } = await client.refused(contract, "FILE_TOO_LARGE", input);
		expect(details).toMatchObject({ max_bytes: expect.any(Number) });
		expect(body.pulled() > 2 * MB).toBe(isReadFirst);
		expect(await listBucket()).toEqual(before);
		expect(await artifactOf(opened.id)).toEqual(NONE);
		expect((await opened.own.call("getSubmission", { params: { id: opened.id } })).resume).toBeDefined();
	});

	it("is not read by a form whose file comes after megabytes of another field", async () => {
		const body = countedStream(formChunks([{ name: "note", content: zeros(LIMIT) }]));
		const opened = await open(body);
		const [client, contract, input] = opened.post(FORM_HEADERS);
		await client.refused(contract, "VALIDATION_ERROR", input);
		expect(body.pulled()).toBeLessThan(3 * MB);
	});

	const large = { filename: "a.zip", content: new Uint8Array(4 * MB) };
	const refusedForms: readonly (readonly [string, Uint8Array])[] = [
		["its file under another name", formBytes([{ name: "artifact", ...large }])],
		[
			"a second file",
			formBytes([
				{ name: "file", filename: "first.zip", content: "zip" },
				{ name: "file", ...large },
			]),
		],
		["a preamble of megabytes", concat(new Uint8Array(4 * MB), formBytes([{ name: "file", ...large }]))],
	];

	it.each(refusedForms)("is read to its end by a form of announced length with %s, so the client sees the response", async (_, form) => {
		const body = countedStream([form.subarray(0, MB), form.subarray(MB, 2 * MB), form.subarray(2 * MB)]);
		const opened = await open(body);
		const [client, contract, input] = opened.post({ ...FORM_HEADERS, ...announced(form.byteLength) });
		await client.refused(contract, "VALIDATION_ERROR", input);
		expect(body.pulled()).toBe(form.byteLength);
		expect(await artifactOf(opened.id)).toEqual(NONE);
	});

	it("is not read after the end of a form", async () => {
		const body = countedStream(
			(function* () {
				yield formBytes([{ name: "file", filename: "a.zip", content: goodZipWith() }]);
				yield* zeros(LIMIT + MB);
			})(),
		);
		const opened = await open(body);
		const [client, contract, input] = opened.post(FORM_HEADERS);
		const answer = await client.send(contract, input);
		expect([400, 413]).toContain(answer.status);
		expect(await artifactOf(opened.id)).toEqual(NONE);
	});
});

describe("an upload that is cut off", () => {
	const ways: readonly (readonly [string, number, Way, (chunks: Iterable<Uint8Array>) => Iterable<Uint8Array>])[] = [
		["at once", 0, ({ put }) => put(OCTETS), (chunks) => chunks],
		["in its first part", 3 * MB, ({ put }) => put(OCTETS), (chunks) => chunks],
		["after two parts", 20 * MB, ({ put }) => put({ ...OCTETS, ...announced(LIMIT) }), (chunks) => chunks],
		["in a form", 20 * MB, ({ post }) => post(FORM_HEADERS), fileForm],
	];

	it.each(ways)("(%s) leaves the submission as it was, and the next upload works", async (_, bytes, way, wrap) => {
		const before = await listBucket();
		const opened = await open(countedStream(wrap(breakingOff(zeros(bytes)))));
		const [client, contract, input] = way(opened);
		await client.refused(contract, "BAD_REQUEST", input);
		expect(await listBucket()).toEqual(before);
		const pending = await opened.own.call("getSubmission", { params: { id: opened.id } });
		expect(pending).toMatchObject({ status: "registered", quota: { used: 1 } });
		const zip = goodZipWith();
		expect(await putTo(opened.own, pending.resume?.url ?? "", zip)).toMatchObject({ bytes: zip.byteLength });
	});

	it("keeps the earlier upload", async () => {
		const opened = await open(countedStream(breakingOff(zeros(10 * MB))));
		const stored = await putTo(opened.own, opened.upload_url, concat(goodZipWith()));
		const before = await artifactOf(opened.id);
		const [client, contract, input] = opened.put(OCTETS);
		await client.refused(contract, "BAD_REQUEST", input);
		expect(await artifactOf(opened.id)).toEqual(before);
		expect(before.bytes).toBe(stored.bytes);
		expect(await listBucket(before.key ?? "none")).toEqual([before.key]);
	});
});

describe("an upload that storage refuses", () => {
	it.each(["put", "createMultipartUpload", "uploadPart"] as const)("at %s is an internal fault, and changes nothing", async (failing) => {
		const own = await registerAgent();
		const { id, upload_url } = await register(own, taskId);
		const before = await listBucket();
		const { bucket } = watchBucket({
			before(call) {
				if (call === failing) throw new Error("storage is not well");
			},
		});
		const rawBody = failing === "put" ? ZIP : new Uint8Array(9 * 1_048_576);
		const answer = await world.enter({ key: null }, { bucket }).send("putArtifact", atSignedUrl(upload_url, { rawBody }));
		expect(answer.status).toBe(500);
		await answer.body?.cancel();
		expect(await listBucket()).toEqual(before);
		expect(await artifactOf(id)).toEqual({ key: null, bytes: null, sha256: null });
		expect((await own.call("getSubmission", { params: { id } })).resume).toBeDefined();
	});

	it("at its complete is not blamed on the artifact", async () => {
		const own = await registerAgent();
		const { id, upload_url } = await register(own, taskId);
		await putTo(nobody, upload_url, ZIP);
		const { bucket } = watchBucket({
			before(call) {
				if (call === "get") throw new Error("storage is not well");
			},
		});
		const answer = await world.enter(own, { bucket }).send("completeSubmission", { params: { id } });
		expect([answer.status, await answer.text()]).toEqual([500, expect.not.stringContaining("storage is not well")]);
		expect((await own.call("getSubmission", { params: { id } })).status).toBe("registered");
		expect(await world.enter(own).call("completeSubmission", { params: { id } })).toMatchObject({ status: "running" });
	});

	it("whose object is gone can be sent again", async () => {
		const own = await registerAgent();
		const { id, upload_url } = await register(own, taskId);
		await putTo(nobody, upload_url, ZIP);
		await env.BUCKET.delete((await artifactOf(id)).key ?? "");
		await own.refused("completeSubmission", "NO_UPLOAD_FOUND", { params: { id } });
		await putTo(nobody, upload_url, ZIP);
		expect(await world.enter(own).call("completeSubmission", { params: { id } })).toMatchObject({ status: "running" });
	});
});
