import { describe, expect, it } from "vitest";
import { operations } from "../support/app.ts";
import type { Client } from "../support/client.ts";
import { createFleet } from "../support/identities.ts";
import { registerAgent } from "../support/scenario.ts";
import {
	base64File,
	blobsOf,
	indexedBlobs,
	MB,
	numberedPaths,
	putValue,
	rawFile,
	readText,
	seedFiles,
	upload,
} from "../support/workspace.ts";

/** Endpoints next to the files have these names. */
const RESERVED = ["quota", "finalize", "upload-url"];
const quota = (agent: Client) => agent.call("getWorkspaceFileQuota");
const read = (agent: Client, path: string, headers: Readonly<Record<string, string>> = {}) =>
	agent.send("readWorkspaceFile", { params: { path }, headers });

describe("storing", () => {
	it("accepts JSON with base64 and raw bytes, and returns the bytes with their type", async () => {
		const agent = await registerAgent();
		const bytes = crypto.getRandomValues(new Uint8Array(1_000));
		const created = await agent.send("storeWorkspaceFile", base64File("notes/a.txt", bytes, "text/plain; charset=utf-8"));
		expect({ status: created.status, body: await created.json() }).toMatchObject({
			status: 201,
			body: { path: "notes/a.txt", size_bytes: 1_000, content_type: "text/plain; charset=utf-8" },
		});
		const file = await read(agent, "notes/a.txt");
		expect(file.headers.get("Content-Type")).toBe("text/plain; charset=utf-8");
		expect(file.headers.get("Content-Length")).toBe("1000");
		expect(new Uint8Array(await file.arrayBuffer())).toEqual(bytes);

		const raw = await agent.call("storeWorkspaceFile", rawFile("raw.bin", bytes));
		expect(raw).toMatchObject({ path: "raw.bin", size_bytes: 1_000, content_type: "application/octet-stream" });
		expect(new Uint8Array(await (await read(agent, "raw.bin")).arrayBuffer())).toEqual(bytes);
		expect(await agent.call("storeWorkspaceFile", rawFile("p.png", bytes, "image/png"))).toMatchObject({ content_type: "image/png" });
		expect(await agent.call("storeWorkspaceFile", base64File("default", "x"))).toMatchObject({ content_type: "application/octet-stream" });
	});

	it("uses the media type of X-Workspace-Content-Type instead of the request's own", async () => {
		const agent = await registerAgent();
		const store = (path: string, type: string, contentType?: string) => {
			const input = rawFile(path, "a,b", contentType);
			return { ...input, headers: { ...input.headers, "X-Workspace-Content-Type": type } };
		};
		const csv = "text/csv; charset=utf-8";
		expect(await agent.call("storeWorkspaceFile", store("a.csv", csv))).toMatchObject({ content_type: csv });
		expect(await agent.call("storeWorkspaceFile", store("b.csv", csv, "text/plain"))).toMatchObject({ content_type: csv });
		expect((await read(agent, "a.csv")).headers.get("Content-Type")).toBe(csv);
		await agent.refused("storeWorkspaceFile", "VALIDATION_ERROR", store("c.csv", "not a media type"));
		expect(await quota(agent)).toMatchObject({ files_used: 2 });
	});

	it("accepts an empty file", async () => {
		const agent = await registerAgent();
		expect(await agent.call("storeWorkspaceFile", base64File("empty", ""))).toMatchObject({ size_bytes: 0 });
		expect(await agent.call("storeWorkspaceFile", rawFile("empty-too", ""))).toMatchObject({ size_bytes: 0 });
		expect(await readText(agent, "empty")).toBe("");
		expect(await quota(agent)).toMatchObject({ files_used: 2, bytes_used: 0 });
	});

	it("returns 201 for a new file and 200 for a replaced one, which counts once", async () => {
		const agent = await registerAgent();
		const first = await agent.send("storeWorkspaceFile", base64File("a", "one"));
		const { created_at } = operations.storeWorkspaceFile.response.schema.parse(await first.json());
		await new Promise((resolve) => setTimeout(resolve, 5));
		const second = await agent.send("storeWorkspaceFile", base64File("a", "twenty-two", "text/plain"));
		expect([first.status, second.status]).toEqual([201, 200]);
		const replaced = operations.storeWorkspaceFile.response.schema.parse(await second.json());
		expect(replaced).toMatchObject({ created_at, size_bytes: 10, content_type: "text/plain" });
		expect(replaced.updated_at > created_at).toBe(true);
		expect(second.headers.get("ETag")).not.toBe(first.headers.get("ETag"));
		expect(await readText(agent, "a")).toBe("twenty-two");
		expect(await quota(agent)).toMatchObject({ files_used: 1, bytes_used: 10 });
	});

	it("refuses a wrong path, wrong base64 or a wrong media type, and says which", async () => {
		const agent = await registerAgent();
		for (const path of ["", "/a", "a/", "a//b", "a/../b", "./a", "a b", "ä", "a\\b", "a\0b", "x".repeat(513), ...RESERVED]) {
			const refusal = await agent.refused("storeWorkspaceFile", "INVALID_BODY", base64File(path, "x"));
			expect(refusal.details).toMatchObject([{ path: "path" }]);
			await agent.refused("createWorkspaceUploadUrl", "INVALID_BODY", { body: { path } });
		}
		for (const path of ["/a", "a/", "a//b", "a/../b", "a b", ...RESERVED]) {
			const refusal = await agent.refused("storeWorkspaceFile", "VALIDATION_ERROR", rawFile(path, "x"));
			expect(refusal.details).toMatchObject([{ path: "x-workspace-path" }]);
		}
		for (const content_base64 of ["a", "%%%%", "-_-_", "YQ==YQ=="]) {
			await agent.refused("storeWorkspaceFile", "INVALID_BODY", { body: { path: "a", content_base64 } });
		}
		for (const type of ["text", "text/", "a/b\r\nX: y", "a/b; c", `a/${"b".repeat(300)}`, ""]) {
			await agent.refused("storeWorkspaceFile", "INVALID_BODY", base64File("a", "x", type));
		}
		expect(await quota(agent)).toMatchObject({ files_used: 0 });
	});

	it("needs the path with raw bytes", async () => {
		const agent = await registerAgent();
		await agent.refused("storeWorkspaceFile", "VALIDATION_ERROR", {
			rawBody: "x",
			headers: { "Content-Type": "application/octet-stream" },
		});
		await agent.refused("storeWorkspaceFile", "INVALID_BODY", { rawBody: "x", headers: { "Content-Type": "text/plain" } });
	});

	it("accepts 4 MB in one request and refuses one byte more", async () => {
		const agent = await registerAgent();
		const bytes = new Uint8Array(4 * MB + 1).fill(7);
		await agent.refused("storeWorkspaceFile", "FILE_TOO_LARGE", base64File("json", bytes));
		const refusal = await agent.refused("storeWorkspaceFile", "FILE_TOO_LARGE", rawFile("raw", bytes));
		expect(refusal.message).toContain(operations.createWorkspaceUploadUrl.path);
		const fits = bytes.subarray(1);
		expect(await agent.call("storeWorkspaceFile", base64File("json", fits))).toMatchObject({ size_bytes: 4 * MB });
		expect(await agent.call("storeWorkspaceFile", rawFile("raw", new Blob([fits])))).toMatchObject({ size_bytes: 4 * MB });
		expect(await blobsOf(agent)).toHaveLength(2);
	});
});

describe("reading", () => {
	it("returns only the entry on request", async () => {
		const agent = await registerAgent();
		const stored = await agent.call("storeWorkspaceFile", base64File("a.json", "{}", "application/json"));
		const params = { path: "a.json" };
		expect(await agent.call("readWorkspaceFile", { params, query: { metadata: 1 } })).toEqual(stored);
		expect(await agent.call("readWorkspaceFile", { params, headers: { "X-Workspace-Metadata-Only": "1" } })).toEqual(stored);
		expect(await (await agent.send("readWorkspaceFile", { params, query: { metadata: 0 } })).text()).toBe("{}");
		await agent.refused("readWorkspaceFile", "VALIDATION_ERROR", { params, query: { metadata: "maybe" } });
	});

	it("refuses conditions and ranges of more than 4,096 characters", async () => {
		const agent = await registerAgent();
		await agent.call("storeWorkspaceFile", base64File("a", "0123456789"));
		for (const name of ["Range", "If-Range", "X-Workspace-Metadata-Only"]) {
			await agent.refused("readWorkspaceFile", "VALIDATION_ERROR", { params: { path: "a" }, headers: { [name]: "a".repeat(4_097) } });
		}
	});

	it.each([
		["page.html", "text/html; charset=utf-8", "attachment"],
		["image.svg", "image/svg+xml", "attachment"],
		["doc.pdf", "application/pdf", "attachment"],
		["unknown", "application/x-anything", "attachment"],
		["photo.png", "image/png", "inline"],
		["notes.txt", "text/plain", "inline"],
		["data.json", "Application/JSON", "inline"],
	])("keeps %s from running in the platform's origin", async (path, type, disposition) => {
		const agent = await registerAgent();
		await agent.call("storeWorkspaceFile", base64File(`folder/${path}`, "<script>alert(1)</script>", type));
		const { headers } = await read(agent, `folder/${path}`);
		expect(headers.get("Content-Type")).toBe(type);
		expect(headers.get("X-Content-Type-Options")).toBe("nosniff");
		expect(headers.get("Content-Security-Policy")).toContain("sandbox");
		expect(headers.get("Content-Disposition")).toBe(`${disposition}; filename="${path}"`);
	});

	it("finds no files of an operator's other children, nor of the operator", async () => {
		const fleet = await createFleet();
		const [first, second] = [await fleet.mint(), await fleet.mint()];
		await first.call("storeWorkspaceFile", base64File("mine", "secret"));
		await putValue(first, "mine", "secret");
		const { upload_url, storage_ref } = await upload(first, "uploaded", "secret");
		expect(upload_url).toContain(first.agentId);
		for (const other of [second, fleet.operator]) {
			await other.refused("readWorkspaceFile", "NOT_FOUND", { params: { path: "mine" } });
			await other.refused("getWorkspaceEntry", "NOT_FOUND", { params: { key: "mine" } });
			await other.refused("finalizeWorkspaceUpload", "NOT_FOUND", { body: { path: "uploaded", storage_ref } });
			expect(await other.call("deleteWorkspaceFile", { params: { path: "mine" } })).toEqual({ deleted: false });
			expect((await other.call("listWorkspaceFiles")).data).toEqual([]);
			expect((await other.call("listWorkspaceEntries")).data).toEqual([]);
			expect(await quota(other)).toMatchObject({ files_used: 0, bytes_used: 0 });
		}
		expect(await readText(first, "mine")).toBe("secret");
	});

	it("refuses paths that no file can have", async () => {
		const agent = await registerAgent();
		for (const path of ["a//b", "a/", "%2Fa", "..%2Fa", "a%20b", "a%00b", "a%0Ab", "%zz"]) {
			await agent.refused("readWorkspaceFile", "VALIDATION_ERROR", { params: { path } });
			await agent.refused("deleteWorkspaceFile", "VALIDATION_ERROR", { params: { path } });
		}
	});

	it("treats no endpoint next to the files as a file", async () => {
		const agent = await registerAgent();
		for (const path of ["quota", "finalize", "upload-url"]) {
			await agent.call("storeWorkspaceFile", base64File(`folder/${path}`, "x"));
			expect(await readText(agent, `folder/${path}`)).toBe("x");
		}
		const empty = await agent.send({ ...operations.readWorkspaceFile, path: "/api/v1/workspace/files/" });
		expect({ status: empty.status, body: await empty.json() }).toMatchObject({ status: 404, body: { error: { code: "NOT_FOUND" } } });
	});

	it("never returns a mixture while a file is being replaced", async () => {
		const agent = await registerAgent();
		const version = (index: number) => String(index).repeat(200_000);
		await agent.call("storeWorkspaceFile", rawFile("busy", version(0)));
		const writes = Array.from({ length: 9 }, (_, index) => agent.call("storeWorkspaceFile", rawFile("busy", version(index + 1))));
		const reads = Array.from({ length: 30 }, () => readText(agent, "busy"));
		for (const text of await Promise.all(reads)) expect(text).toBe(version(Number(text[0])));
		await Promise.all(writes);
		expect(await quota(agent)).toMatchObject({ files_used: 1, bytes_used: 200_000 });
	});
});

describe("listing and deleting", () => {
	it("lists files in order and in pages, without loss", async () => {
		const agent = await registerAgent();
		const paths = numberedPaths(1_000, "dir/f");
		await seedFiles(
			agent,
			paths.map((path) => ({ path, sizeBytes: 1 })),
		);
		const found: string[] = [];
		for (let cursor: string | null = ""; cursor !== null; ) {
			const query: Record<string, string | number> = cursor === "" ? { limit: 200 } : { limit: 200, cursor };
			const page: { data: { path: string }[]; next_cursor: string | null } = await agent.call("listWorkspaceFiles", { query });
			found.push(...page.data.map(({ path }) => path));
			cursor = page.next_cursor;
		}
		expect(found).toEqual(paths);
		const { data } = await agent.call("listWorkspaceFiles", { query: { prefix: "dir/f0099" } });
		expect(data.map(({ path }) => path)).toEqual(paths.slice(990));
		expect(Object.keys(data[0] ?? {}).toSorted()).toEqual(["content_type", "created_at", "path", "size_bytes", "updated_at"]);
	});

	it("deletes a file once, and deleting it again also succeeds", async () => {
		const agent = await registerAgent();
		await agent.call("storeWorkspaceFile", base64File("a", "x"));
		expect(await agent.call("deleteWorkspaceFile", { params: { path: "a" } })).toEqual({ deleted: true });
		expect(await agent.call("deleteWorkspaceFile", { params: { path: "a" } })).toEqual({ deleted: false });
		await agent.refused("readWorkspaceFile", "NOT_FOUND", { params: { path: "a" } });
		expect(await quota(agent)).toMatchObject({ files_used: 0, bytes_used: 0 });
	});
});

describe("quotas", () => {
	it("are shown with their limits", async () => {
		expect(await quota(await registerAgent())).toEqual({
			files_used: 0,
			files_limit: 1_000,
			bytes_used: 0,
			bytes_limit: 100 * MB,
			per_file_byte_limit: 25 * MB,
		});
	});

	it("accept the 1,000th file and refuse the next, under 50 parallel writers, and leave no bytes of those", async () => {
		const agent = await registerAgent();
		await seedFiles(
			agent,
			numberedPaths(990).map((path) => ({ path, sizeBytes: 1 })),
		);
		const responses = await Promise.all(
			Array.from({ length: 50 }, (_, index) => agent.send("storeWorkspaceFile", base64File(`last/${index}`, `${index}`))),
		);
		expect(responses.filter(({ status }) => status === 201)).toHaveLength(10);
		expect(responses.filter(({ status }) => status === 409)).toHaveLength(40);
		expect(await quota(agent)).toMatchObject({ files_used: 1_000 });
		await agent.refused("storeWorkspaceFile", "FILE_QUOTA_EXCEEDED", base64File("more", "x"));
		expect((await agent.send("storeWorkspaceFile", base64File("n00000", "replaced"))).status).toBe(200);
		await expect.poll(() => blobsOf(agent), { timeout: 10_000 }).toHaveLength(11);
	});

	it("end at 100 MB to the byte, and count a replaced file once", async () => {
		const agent = await registerAgent();
		const seeded = [25, 25, 25, 24].map((megabytes, index) => ({ path: `m${index}`, sizeBytes: megabytes * MB }));
		await seedFiles(agent, [...seeded, { path: "rest", sizeBytes: MB - 10 }]);
		await agent.refused("storeWorkspaceFile", "BYTE_QUOTA_EXCEEDED", base64File("a", "x".repeat(11)));
		expect((await agent.send("storeWorkspaceFile", base64File("a", "x".repeat(10)))).status).toBe(201);
		expect(await quota(agent)).toMatchObject({ bytes_used: 100 * MB, files_used: 6 });
		await agent.refused("storeWorkspaceFile", "BYTE_QUOTA_EXCEEDED", base64File("b", "x"));
		await agent.refused("storeWorkspaceFile", "BYTE_QUOTA_EXCEEDED", base64File("a", "x".repeat(11)));
		expect((await agent.send("storeWorkspaceFile", base64File("a", "y".repeat(10)))).status).toBe(200);
		expect((await agent.send("storeWorkspaceFile", base64File("b", ""))).status).toBe(201);
		await agent.call("deleteWorkspaceFile", { params: { path: "m0" } });
		expect((await agent.send("storeWorkspaceFile", base64File("b", "x"))).status).toBe(200);
	});

	it("count one path once when 50 writers store it in parallel", async () => {
		const agent = await registerAgent();
		await seedFiles(
			agent,
			numberedPaths(999).map((path) => ({ path, sizeBytes: 1 })),
		);
		const responses = await Promise.all(
			Array.from({ length: 50 }, (_, index) => agent.send("storeWorkspaceFile", base64File("one", String(index).padStart(2, "0")))),
		);
		expect(responses.filter(({ status }) => status === 201)).toHaveLength(1);
		expect(responses.filter(({ status }) => status === 200)).toHaveLength(49);
		expect(await quota(agent)).toMatchObject({ files_used: 1_000, bytes_used: 999 + 2 });
		expect(await indexedBlobs(agent)).toHaveLength(1_000);
	});
});
