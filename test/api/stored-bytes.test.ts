// Tests conditions and ranges of all stored bytes (RFC 9110, 13 and 14): what is served again, in part, and read from the bucket.
import { beforeAll, describe, expect, it } from "vitest";
import { createApp } from "../support/app.ts";
import { watchBucket } from "../support/buckets.ts";
import { randomAddress } from "../support/client.ts";
import { testDeps } from "../support/deps.ts";
import { attachmentForm, createDraft, openTask, type RegisteredClient, registerAgent, submit } from "../support/scenario.ts";
import { MB } from "../support/uploads.ts";
import { rawFile } from "../support/workspace.ts";

interface StoredFile {
	readonly url: string;
	readonly headers: Readonly<Record<string, string>>;
}

const files: Record<string, StoredFile> = {};
const KINDS = ["attachment", "artifact", "file of a submission", "workspace file"] as const;
const LONG = 4 * MB;

beforeAll(async () => {
	const poster = await registerAgent("Poster");
	const { id: draftId } = await createDraft(poster);
	const form = attachmentForm();
	form.set("file", new File([noise(LONG)], "long.txt"));
	const { download_url } = await poster.call("addAttachment", { params: { id: draftId }, rawBody: form });
	const taskId = await openTask(poster);
	const submission = await submit(poster, taskId, { "SUBMISSION.md": "# What I Built", "long.txt": noise(LONG) });
	const { artifact } = await poster.call("getSubmission", { params: { id: submission.id } });
	await poster.call("storeWorkspaceFile", rawFile("long.txt", noise(LONG)));
	const withKey = ({ key }: RegisteredClient) => ({ Authorization: `Bearer ${key}` });
	files["attachment"] = { url: download_url, headers: {} };
	files["artifact"] = { url: artifact?.url ?? "", headers: {} };
	const origin = new URL(download_url).origin;
	files["file of a submission"] = { url: `${origin}/api/v1/submissions/${submission.id}/files/long.txt`, headers: withKey(poster) };
	files["workspace file"] = { url: `${origin}/api/v1/workspace/files/long.txt`, headers: withKey(poster) };
});

/** Returns text that hardly gets shorter when it is packed. */
function noise(length: number): string {
	let text = "";
	while (text.length < length) text += crypto.getRandomValues(new Uint8Array(32_768)).toBase64();
	return text.slice(0, length);
}

/** Requests the file from an application of this process, and counts what that reads from the bucket. */
async function request(kind: string, headers: Readonly<Record<string, string>> = {}, method = "GET") {
	const { bucket, use } = watchBucket();
	const file = files[kind];
	if (file === undefined) throw new Error(`There is no ${kind}.`);
	const deps = testDeps({ bucket });
	const response = await createApp(() => deps).fetch(
		new Request(file.url, { method, headers: { "CF-Connecting-IP": randomAddress(), ...file.headers, ...headers } }),
	);
	const bytes = await response.bytes();
	return { status: response.status, headers: response.headers, bytes, use };
}

describe.each(KINDS)("the bytes of the %s", (kind) => {
	it("are not sent again to who has them, in any form of If-None-Match", async () => {
		const whole = await request(kind);
		const etag = whole.headers.get("ETag") ?? "";
		expect([whole.status, whole.headers.get("Accept-Ranges"), etag]).toEqual([200, "bytes", expect.stringMatching(/^"[^"]+"$/)]);
		for (const known of [etag, `W/${etag}`, `"other", ${etag}`, "*"]) {
			for (const method of ["GET", "HEAD"]) {
				const { status, headers, bytes } = await request(kind, { "If-None-Match": known }, method);
				expect({ known, status, etag: headers.get("ETag"), size: bytes.byteLength }).toEqual({ known, status: 304, etag, size: 0 });
			}
		}
		const { status, bytes } = await request(kind, { "If-None-Match": '"other"' });
		expect([status, bytes]).toEqual([200, whole.bytes]);
	});

	it("are sent in part, without reading the rest", async () => {
		const { bytes: whole } = await request(kind);
		const size = whole.byteLength;
		const cases = [
			{ range: "bytes=0-999", from: 0, to: 1000 },
			{ range: "bytes=5000-5000", from: 5000, to: 5001 },
			{ range: "bytes=100000-100099", from: 100_000, to: 100_100 },
			{ range: "bytes=-50", from: size - 50, to: size },
			{ range: `bytes=${size - 10}-`, from: size - 10, to: size },
			{ range: `bytes=${size - 10}-${size + 10}`, from: size - 10, to: size },
		];
		for (const { range, from, to } of cases) {
			const part = await request(kind, { Range: range });
			const { headers } = part;
			const shown = { status: part.status, bytes: part.bytes, length: headers.get("Content-Length"), span: headers.get("Content-Range") };
			const expected = { status: 206, bytes: whole.subarray(from, to), length: `${to - from}`, span: `bytes ${from}-${to - 1}/${size}` };
			expect({ range, ...shown }).toEqual({ range, ...expected });
			// The end of a packed file has to be unpacked from its beginning.
			const isPacked = kind === "file of a submission";
			if (!isPacked) expect(part.use.bytes).toBe(to - from);
			else if (to < LONG / 2) expect(part.use.bytes).toBeLessThan(size / 2);
		}
	});

	it("have ranges for GET only, and for the exact ETag of If-Range", async () => {
		const { bytes: whole, headers } = await request(kind);
		const etag = headers.get("ETag") ?? "";
		const head = await request(kind, { Range: "bytes=0-9" }, "HEAD");
		expect([head.status, head.bytes.byteLength, head.headers.get("Content-Length")]).toEqual([200, 0, String(whole.byteLength)]);
		expect(head.headers.get("Content-Type")).toBe(headers.get("Content-Type"));
		expect((await request(kind, { Range: "bytes=99999999-" }, "HEAD")).status).toBe(200);
		expect((await request(kind, { Range: "bytes=0-9", "If-Range": etag })).status).toBe(206);
		for (const condition of [`W/${etag}`, '"other"', "*", `${etag}, "other"`, "Mon, 30 Nov 2026 04:00:00 GMT"]) {
			const { status, bytes } = await request(kind, { Range: "bytes=0-9", "If-Range": condition });
			expect({ condition, status, size: bytes.byteLength }).toEqual({ condition, status: 200, size: whole.byteLength });
		}
		for (const range of ["bytes=0-1,5-6", "lines=1-2", "bytes=9-2", "bytes=", "bytes=a-b"])
			expect((await request(kind, { Range: range })).status).toBe(200);
		for (const range of [`bytes=${whole.byteLength}-`, "bytes=-0"]) {
			const beyond = await request(kind, { Range: range });
			expect([beyond.status, beyond.headers.get("Content-Range")]).toEqual([416, `bytes */${whole.byteLength}`]);
			expect(JSON.parse(new TextDecoder().decode(beyond.bytes))).toMatchObject({ error: { code: "RANGE_NOT_SATISFIABLE" } });
		}
	});
});
