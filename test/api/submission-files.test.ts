// Tests the stored zip, the list of its files, and each file, for the submitting agent and the task's owner.

import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { beforeAll, describe, expect, it } from "vitest";
import { readReport, writeReport } from "../../src/core/competition/judgements/report.ts";
import { getSubmissionRow as getRow, updateSubmission } from "../../src/core/competition/submissions/store.ts";
import { reports } from "../../src/db/task/schema/submissions.ts";
import { crc32 as checksum } from "../../src/domain/crc32.ts";
import { writeBlob } from "../../src/platform/blob-writer.ts";
import { createApp } from "../support/app.ts";
import { goodZipWith, streamZip, type ZipEntry } from "../support/archives.ts";
import { watchBucket } from "../support/buckets.ts";
import { createClient } from "../support/client.ts";
import { testDeps } from "../support/deps.ts";
import { manualClock } from "../support/manual-clock.ts";
import { awaitEvaluation, GOOD_FILES, openTask, type RegisteredClient, registerAgent, submit } from "../support/scenario.ts";
import { inTask, readArtifactOf } from "../support/task-object.ts";
import { HOUR_MS, MINUTE_MS } from "../support/times.ts";
import { atSignedUrl } from "../support/uploads.ts";

const MB = 1_048_576;
const nobody = createClient();
const at = (id: string) => ({ params: { id } });
let poster: RegisteredClient;
let agent: RegisteredClient;
let taskId: string;

beforeAll(async () => {
	[poster, agent] = await Promise.all([registerAgent("Poster"), registerAgent("Builder")]);
	taskId = await openTask(poster, { max_submissions_per_agent: 25 });
});

/** Returns a registered submission whose artifact is this object, as an upload or a quick-submit would have stored it. */
async function submissionWith(zip: Uint8Array | Iterable<ZipEntry>): Promise<string> {
	const { id } = await (await registerAgent()).call("createSubmission", at(taskId));
	const artifactKey = `tasks/${taskId}/artifacts/${id}/${crypto.randomUUID()}.zip`;
	if (zip instanceof Uint8Array) await env.BUCKET.put(artifactKey, zip);
	else await writeBlob(streamZip(zip), { bucket: env.BUCKET, key: artifactKey, contentType: "application/zip" });
	await inTask(taskId, (task) => updateSubmission(task, id, { artifactKey }));
	return id;
}

const read = (id: string, path: string, client = poster) => client.send("readSubmissionFile", { params: { id, path } });
const encodePath = (path: string) => path.split("/").map(encodeURIComponent).join("/");

describe("the artifact", () => {
	it("has a URL that expires at a whole minute, also when time passes during the request", async () => {
		const { id } = await submit(agent, taskId);
		const [start, clock] = [Date.now(), manualClock()];
		let reads = 0;
		const ticking = {
			...clock,
			now: () => {
				reads += 1;
				return start + reads;
			},
		};
		const client = createClient({ key: agent.key, fetch: (request) => createApp(() => testDeps({ clock: ticking })).fetch(request) });
		const { artifact } = await client.call("getSubmission", at(id));
		expect(reads).toBeGreaterThan(1);
		expect(Date.parse(artifact?.expires_at ?? "") % 60_000).toBe(0);
		expect(new URL(artifact?.url ?? "").searchParams.get("expires")).toBe(String(Date.parse(artifact?.expires_at ?? "")));
	});

	it("can be downloaded for an hour, by the agent and the task's owner", async () => {
		const { id } = await submit(agent, taskId);
		const { bytes, sha256 } = await readArtifactOf(taskId, id);
		for (const client of [agent, poster]) {
			for (const operation of ["getSubmission", "getSubmissionDetails"] as const) {
				const before = Date.now();
				const { artifact } = await client.call(operation, at(id));
				if (artifact === null) throw new Error("There is no artifact.");
				expect({ size_bytes: artifact.size_bytes, sha256: artifact.sha256 }).toEqual({ size_bytes: bytes, sha256 });
				expect(Date.parse(artifact.expires_at)).toBeGreaterThanOrEqual(before + HOUR_MS);
				expect(Date.parse(artifact.expires_at)).toBeLessThanOrEqual(Date.now() + HOUR_MS + MINUTE_MS);
				const response = await nobody.send("getArtifact", atSignedUrl(artifact.url));
				const digest = await crypto.subtle.digest("SHA-256", await response.arrayBuffer());
				expect(new Uint8Array(digest).toHex()).toBe(artifact.sha256);
			}
		}
		expect((await agent.call("listSubmissions")).data[0]).not.toHaveProperty("artifact");
	});

	it("is null while nothing is stored", async () => {
		const { id } = await agent.call("createSubmission", at(taskId));
		expect((await agent.call("getSubmission", at(id))).artifact).toBeNull();
		expect((await poster.call("getSubmissionDetails", at(id))).artifact).toBeNull();
		await agent.refused("listSubmissionFiles", "NO_ARTIFACT", at(id));
		await poster.refused("readSubmissionFile", "NO_ARTIFACT", { params: { id, path: "SUBMISSION.md" } });
		await agent.call("uploadArtifact", { ...at(id), rawBody: goodZipWith(), headers: { "Content-Type": "application/zip" } });
		expect((await agent.call("getSubmission", at(id))).artifact).toMatchObject({ size_bytes: goodZipWith().byteLength });
		expect((await poster.call("listSubmissionFiles", at(id))).data.map(({ path }) => path)).toContain("SUBMISSION.md");
	});
});

describe("GET /api/v1/submissions/{id}/files", () => {
	it("lists the files by path, with what the judge read of each", async () => {
		const files = {
			...GOOD_FILES,
			"z.bin": { content: "AP8A", encoding: "base64" },
			"long.txt": "x".repeat(300_000),
		};
		const { id } = await submit(agent, taskId, files);
		await awaitEvaluation(agent, id);
		const sizes = Object.fromEntries(
			Object.entries(GOOD_FILES).map(([path, text]) => [path, new TextEncoder().encode(String(text)).length]),
		);
		const crc32 = expect.stringMatching(/^[0-9a-f]{8}$/);
		const expected = [
			{ path: "SUBMISSION.md", size_bytes: sizes["SUBMISSION.md"], crc32, judged: "full" },
			{ path: "long.txt", size_bytes: 300_000, crc32, judged: "not_read" },
			{ path: "parser.js", size_bytes: sizes["parser.js"], crc32, judged: "full" },
			{ path: "parser.test.js", size_bytes: sizes["parser.test.js"], crc32, judged: "full" },
			{
				path: "z.bin",
				size_bytes: 3,
				crc32: checksum(new Uint8Array([0, 255, 0]), 0)
					.toString(16)
					.padStart(8, "0"),
				judged: "not_read",
			},
		];
		for (const client of [agent, poster]) {
			expect(await client.call("listSubmissionFiles", at(id))).toEqual({ data: expected, has_more: false, next_cursor: null });
		}
		const cut = { files_not_read: [], files_cut: [{ path: "parser.js", lines_read: 1, lines: 2 }] };
		await inTask(taskId, (task) => {
			const { shownEvaluationId } = getRow(task, id);
			const report = readReport(task, shownEvaluationId);
			if (shownEvaluationId === null || report === null) throw new Error("There is no report.");
			task.db.delete(reports).where(eq(reports.subjectId, shownEvaluationId)).run();
			writeReport(task, shownEvaluationId, { ...report, breakdown: { ...report.breakdown, ...cut } });
		});
		const { data } = await poster.call("listSubmissionFiles", at(id));
		expect(data.map(({ judged }) => judged)).toEqual(["full", "full", "cut", "full", "full"]);
	});

	it("says which files were cut because there was no room for all of each", async () => {
		const files = { ...GOOD_FILES, "a.js": "work\n".repeat(38_000), "b.js": "work\n".repeat(38_000), "c.js": "work\n".repeat(38_000) };
		const { id } = await submit(agent, taskId, files);
		await awaitEvaluation(agent, id);
		const { data } = await poster.call("listSubmissionFiles", at(id));
		const judged = Object.fromEntries(data.map((file) => [file.path, file.judged]));
		expect(judged).toMatchObject({ "SUBMISSION.md": "full", "a.js": "cut", "b.js": "cut", "c.js": "cut", "parser.js": "full" });
	});

	it("does not say what was judged before the first evaluation, or without a model", async () => {
		const id = await submissionWith(goodZipWith());
		expect((await poster.call("listSubmissionFiles", at(id))).data.map(({ judged }) => judged)).toEqual([null, null, null]);
	});

	function* manyEntries(total: number): Generator<ZipEntry> {
		for (let index = 0; index < total; index += 1) yield { name: `files/${(index * 7919) % total}.txt`, content: "x" };
	}

	it("takes a zip of 5,000 files", async () => {
		const id = await submissionWith(manyEntries(5_000));
		const { data, next_cursor } = await poster.call("listSubmissionFiles", { ...at(id), query: { limit: 500 } });
		expect(data).toHaveLength(500);
		const second = await poster.call("listSubmissionFiles", { ...at(id), query: { limit: 500, cursor: next_cursor ?? "" } });
		expect(new Set([...data, ...second.data].map(({ path }) => path)).size).toBe(1000);
		expect(await (await read(id, "files/4999.txt")).text()).toBe("x");
	});

	it("pages through the files without gaps or repetitions", async () => {
		const id = await submissionWith(manyEntries(1_300));
		const seen: string[] = [];
		for (let cursor: string | null = null; ; ) {
			const page: { data: { path: string }[]; has_more: boolean; next_cursor: string | null } = await poster.call("listSubmissionFiles", {
				...at(id),
				query: { limit: 500, ...(cursor === null ? {} : { cursor }) },
			});
			seen.push(...page.data.map(({ path }) => path));
			cursor = page.next_cursor;
			expect(page.has_more).toBe(cursor !== null);
			if (cursor === null) break;
		}
		expect(seen).toEqual(Array.from({ length: 1_300 }, (_, index) => `files/${index}.txt`).toSorted());
		expect((await poster.call("listSubmissionFiles", at(id))).data).toHaveLength(100);
		await poster.refused("listSubmissionFiles", "VALIDATION_ERROR", { ...at(id), query: { limit: 501 } });
	});

	it("refuses the cursor of another artifact", async () => {
		const [one, other] = [await submissionWith(goodZipWith()), await submissionWith(goodZipWith())];
		const { next_cursor } = await poster.call("listSubmissionFiles", { ...at(one), query: { limit: 1 } });
		await poster.refused("listSubmissionFiles", "VALIDATION_ERROR", { ...at(other), query: { cursor: next_cursor ?? "" } });
	});
});

describe("GET /api/v1/submissions/{id}/files/{path}", () => {
	it("serves UTF-8 text as text, and anything else as an attachment", async () => {
		const html = "<script>alert(document.cookie)</script>";
		const id = await submissionWith(
			goodZipWith([
				{ name: "page.html", content: html },
				{ name: "ünïcode.txt", content: "größer ✓" },
				{ name: "image.svg", content: "<svg onload='x()'/>" },
				{ name: "latin1.txt", content: new Uint8Array([0x67, 0x72, 0xf6]) },
				{ name: "nul.txt", content: "a\0b" },
				{ name: "empty", content: "" },
			]),
		);
		const headersOf = async (path: string) => Object.fromEntries((await read(id, encodePath(path))).headers);
		for (const path of ["page.html", "image.svg", "ünïcode.txt", "empty"]) {
			expect(await headersOf(path)).toMatchObject({
				"content-type": "text/plain; charset=utf-8",
				"x-content-type-options": "nosniff",
				"content-security-policy": expect.stringMatching(/^sandbox(;|$)/),
				"content-disposition": expect.stringMatching(/^inline; filename=/),
			});
		}
		for (const path of ["latin1.txt", "nul.txt"]) {
			expect(await headersOf(path)).toMatchObject({
				"content-type": "application/octet-stream",
				"x-content-type-options": "nosniff",
				"content-security-policy": expect.stringMatching(/^sandbox(;|$)/),
				"content-disposition": expect.stringMatching(/^attachment; filename=/),
			});
		}
		expect(await (await read(id, "page.html")).text()).toBe(html);
		expect(await (await read(id, encodePath("ünïcode.txt"))).text()).toBe("größer ✓");
		expect(await (await read(id, "latin1.txt")).bytes()).toEqual(new Uint8Array([0x67, 0x72, 0xf6]));
		expect((await (await read(id, "empty")).bytes()).byteLength).toBe(0);
	});

	const HOSTILE_NAMES = [
		"100%.txt",
		"a%2Fb.txt",
		"%2e%2e",
		"q?a=b#c.txt",
		'"quoted"; filename=x.html',
		"dir/with space/ü+&=.txt",
		"...",
		"constructor",
		"__proto__",
		"日本語/ファイル.txt",
		"e\u0301.txt",
	];

	it("finds each file with any name by its encoded path", async () => {
		const id = await submissionWith(goodZipWith(HOSTILE_NAMES.map((name) => ({ name, content: `this is ${name}` }))));
		for (const name of HOSTILE_NAMES) {
			const response = await read(id, encodePath(name));
			expect({ name, status: response.status, text: await response.text() }).toEqual({ name, status: 200, text: `this is ${name}` });
			expect(response.headers.get("Content-Disposition")).not.toMatch(/[\r\n]/);
		}
		expect(await (await read(id, encodeURIComponent("dir/with space/ü+&=.txt"))).text()).toContain("with space");
	});

	it.each([
		"none.txt",
		"submission.md",
		"..%2f..%2fetc%2fpasswd",
		"%00",
		"SUBMISSION.md/",
		"SUBMISSION.md/x",
		"toString",
		"%ff",
		"%",
		`${"x".repeat(3000)}`,
	])("does not find %j", async (path) => {
		const id = await submissionWith(goodZipWith());
		const { status } = await read(id, path);
		expect(status).toBe(404);
	});

	it("serves 10 MB, and no byte more, without reading the rest of the zip", async () => {
		const noise = new Uint8Array(10 * MB);
		for (let start = 0; start < noise.length; start += 65_536) crypto.getRandomValues(noise.subarray(start, start + 65_536));
		const id = await submissionWith([
			{ name: "SUBMISSION.md", content: "# What I Built" },
			{ name: "fits.bin", content: noise },
			{ name: "more.bin", content: new Uint8Array([...noise.subarray(0, 1), ...noise]) },
			{ name: "zeros.bin", content: new Uint8Array(10 * MB + 1) },
			{ name: "other.bin", content: noise },
		]);
		const { bucket, use } = watchBucket();
		const deps = { ...testDeps(), bucket };
		const client = createClient({ key: poster.key, fetch: (request) => createApp(() => deps).fetch(request) });
		const bytes = await (await client.send("readSubmissionFile", { params: { id, path: "fits.bin" } })).bytes();
		expect(bytes.byteLength).toBe(10 * MB);
		expect(bytes.every((byte, index) => byte === noise[index])).toBe(true);
		// The file is unpacked twice, a megabyte at a time: once to check that it is whole, once for the client.
		expect(use.gets).toBeLessThanOrEqual(24);
		expect(use.largestGet).toBeLessThanOrEqual(MB + 65_536);
		expect(use.bytes).toBeLessThan(24 * MB);
		for (const path of ["more.bin", "zeros.bin"]) {
			const { message } = await poster.refused("readSubmissionFile", "FILE_TOO_LARGE", { params: { id, path } });
			expect(message).toContain("10 MB");
		}
	});

	it("refuses zips and files with false headers", async () => {
		const lying = await submissionWith(goodZipWith([{ name: "lies.txt", content: "x".repeat(5000), central: { unpacked: 10 } }]));
		await poster.refused("readSubmissionFile", "CONFLICT", { params: { id: lying, path: "lies.txt" } });
		const broken = await submissionWith(goodZipWith([{ name: "broken.txt", content: "x", central: { crc: 1 }, local: { crc: 1 } }]));
		await poster.refused("readSubmissionFile", "CONFLICT", { params: { id: broken, path: "broken.txt" } });
		expect((await read(broken, "SUBMISSION.md")).status).toBe(200);
		const noZip = await submissionWith(new TextEncoder().encode("this is not a zip"));
		await poster.refused("listSubmissionFiles", "CONFLICT", at(noZip));
		await poster.refused("readSubmissionFile", "CONFLICT", { params: { id: noZip, path: "a" } });
		const escaping = await submissionWith(goodZipWith([{ name: "../escape.txt", content: "x" }]));
		await poster.refused("listSubmissionFiles", "CONFLICT", at(escaping));
	});

	it("says that there is no artifact once the object is gone", async () => {
		const id = await submissionWith(goodZipWith());
		await env.BUCKET.delete((await readArtifactOf(taskId, id)).key ?? "");
		await poster.refused("listSubmissionFiles", "NO_ARTIFACT", at(id));
	});
});
