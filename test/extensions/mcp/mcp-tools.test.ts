// Tests tools that read files and the documentation, and tools that reach every operation of the API.
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { call, failure, listOf, textOf } from "../../support/mcp.ts";
import { attachmentForm, GOOD_FILES, openTask, registerAgent } from "../../support/scenario.ts";

const [poster, agent] = [await registerAgent("Poster"), await registerAgent("Builder")];
const taskId = await openTask(poster);
const own = { key: agent.key };

describe("read_file", () => {
	it("reads an attachment that read_task lists", async () => {
		const { id } = await poster.call("addAttachment", { params: { id: taskId }, rawBody: attachmentForm() });
		const listed = [{ id, filename: "notes.txt", size_bytes: 4, content_type: "text/plain" }];
		expect(await call("read_task", { task_id: taskId }, own)).toMatchObject({ attachments: listed });
		expect(await call("read_task", { task_id: taskId, detail: "full" }, own)).toMatchObject({ attachments: listed });
		expect(await call("read_file", { task_id: taskId, attachment_id: id }, own)).toEqual({
			text: "text",
			truncated: false,
			total_characters: 4,
			next_offset: null,
		});
		expect(await failure("read_file", { task_id: taskId, attachment_id: taskId }, own)).toContain("read_task lists its attachments");
	});

	it("reads files of a submission in pieces: texts by characters, and other bytes", async () => {
		const long = `${"\u0001𝕏".repeat(30_000)}end`;
		const bytes = crypto.getRandomValues(new Uint8Array(50_000)).map((byte, index) => (index === 0 ? 0 : byte));
		const files = [...listOf({ ...GOOD_FILES, "long.txt": long }), { path: "picture.bin", content: bytes.toBase64(), encoding: "base64" }];
		const submission_id = await textOf("submission_id", "submit_files", { task_id: taskId, files }, own);
		const readAll = async (path: string) => {
			const pieces = [];
			for (let offset: unknown = 0; offset !== null; offset = pieces.at(-1)?.["next_offset"]) {
				const piece = await call("read_file", { submission_id, path, offset }, own);
				expect(JSON.stringify(piece).length).toBeLessThan(60_000);
				pieces.push(piece);
			}
			return pieces;
		};
		const texts = await readAll("long.txt");
		expect(texts.length).toBeGreaterThan(2);
		expect(texts.map(({ text }) => text).join("")).toBe(long);
		for (const { text, total_characters } of texts) {
			expect(JSON.stringify(text).length - 2).toBeLessThanOrEqual(50_000);
			expect(total_characters).toBe(long.length);
		}
		const pieces = (await readAll("picture.bin")).map(({ content_base64 }) => z.string().parse(content_base64));
		expect(pieces.map((piece) => piece.length <= 40 * 1024)).toEqual([true, true]);
		expect(Uint8Array.fromBase64(pieces.join(""))).toEqual(bytes);
		const read = { submission_id, path: "long.txt" };
		expect(await call("read_file", { ...read, offset: 1e9 }, own)).toMatchObject({ text: "", truncated: false, next_offset: null });
		expect(await failure("read_file", { ...read, offset: -1 }, own)).toContain("offset must be at least 0");
		expect(await failure("read_file", { ...read, path: "nothing" }, own)).toContain("NOT_FOUND");
		expect(await failure("read_file", read, { key: (await registerAgent()).key })).toContain("NOT_FOUND");
		expect(await failure("read_file", { submission_id }, own)).toContain("submission_id and path");
	});
});

describe("submit_files", () => {
	it("refuses a path that comes twice", async () => {
		const files = [...listOf(GOOD_FILES), { path: "parser.js", content: "other" }];
		expect(await failure("submit_files", { task_id: taskId, files }, own)).toContain("files[3].path is the path of an earlier file");
	});

	it("uses one slot for the same files, in any order and encoding, also in parallel", async () => {
		const newcomer = { key: (await registerAgent()).key };
		const files = { "SUBMISSION.md": "# What I Built\nA", "a.txt": "1" };
		const again = { "a.txt": { content: btoa("1"), encoding: "base64" }, "SUBMISSION.md": files["SUBMISSION.md"] };
		const ids = await Promise.all(
			[files, again, listOf(files)].map((given) => textOf("submission_id", "submit_files", { task_id: taskId, files: given }, newcomer)),
		);
		expect(new Set(ids).size).toBe(1);
		const other = await call("submit_files", { task_id: taskId, files: { ...files, "a.txt": "2" } }, newcomer);
		expect(other["submission_id"]).not.toBe(ids[0]);
		expect(other).toMatchObject({ quota: { used: 2 } });
	});
});

describe("search_docs", () => {
	it("finds pages of the documentation, without a key", async () => {
		const { results } = z
			.object({ results: z.array(z.object({ slug: z.string(), title: z.string(), snippet: z.string() })) })
			.parse(await call("search_docs", { query: "leaderboard", limit: 3 }));
		expect(results.length).toBe(3);
	});
});

describe("operations", () => {
	it("can be found by words, and read one by one", async () => {
		const { operations } = z
			.object({ operations: z.array(z.object({ operation_id: z.string() })) })
			.parse(await call("find_operations", { query: "record a deal" }));
		expect(operations.length).toBeLessThanOrEqual(10);
		expect(operations.map(({ operation_id }) => operation_id)).toContain("createDeal");
		expect(await call("find_operations", { operation_id: "createDeal" })).toMatchObject({
			operations: [{ operation_id: "createDeal", method: "POST", path: "/api/v1/deals" }],
			document: { openapi: "3.1.0", paths: { "/api/v1/deals": { post: { operationId: "createDeal" } } } },
		});
		const { document } = z
			.object({
				document: z.looseObject({ paths: z.record(z.string(), z.looseObject({ post: z.looseObject({ responses: z.looseObject({}) }) })) }),
			})
			.parse(await call("find_operations", { operation_id: "createDeal" }));
		expect(Object.keys(document.paths["/api/v1/deals"]?.post.responses ?? {})).toEqual(["201"]);
		expect(JSON.stringify(document)).toContain("dealValueCents");
		expect(JSON.stringify(document).length).toBeLessThan(12_500);
		expect(await failure("find_operations", {})).toContain("query");
		expect(await failure("find_operations", { operation_id: "nothing" })).toContain("NOT_FOUND");
	});

	it("are called with the caller's key, and refuse as their endpoint does", async () => {
		expect(await call("call_operation", { operation_id: "whoAmI" }, own)).toMatchObject({ status: 200, body: { agent_id: agent.agentId } });
		const created = await call(
			"call_operation",
			{ operation_id: "putWorkspaceEntry", params: [{ name: "key", value: "plans/next" }], body: '{"value": 1}' },
			own,
		);
		expect(created).toMatchObject({ body: { key: "plans/next" } });
		const listed = await call("call_operation", { operation_id: "listTasks", query: { owner: "me", limit: 1 } }, { key: poster.key });
		expect(listed).toMatchObject({ body: { data: [{ id: taskId }] } });
		expect(await failure("call_operation", { operation_id: "closeTask", params: { id: taskId } }, own)).toContain("FORBIDDEN");
		expect(await failure("call_operation", { operation_id: "getTask" }, own)).toContain("params must have id");
		expect(await failure("call_operation", { operation_id: "createTask", body: "{" }, own)).toContain("body must be JSON text");
		expect(await failure("call_operation", { operation_id: "getTask", params: { id: "../agents" } }, own)).toMatch(
			/INVALID_UUID|VALIDATION_ERROR/,
		);
		const query = [
			{ name: "owner", value: "me" },
			{ name: "status", value: "closed" },
			{ name: "status", value: "draft" },
		];
		expect(await call("call_operation", { operation_id: "listTasks", query }, { key: poster.key })).toMatchObject({ body: { data: [] } });
	});

	it("that are for operators, signed URLs, forms, bytes or streams say why they cannot be called", async () => {
		for (const operation_id of ["suspendAgent", "getOpenApi", "callMcp"])
			expect(await failure("call_operation", { operation_id }, own), operation_id).toContain("NOT_FOUND");
		for (const operation_id of ["downloadAttachment", "addAttachment", "streamBounties", "exportTask", "readSubmissionFile"])
			expect(await failure("call_operation", { operation_id, params: { id: taskId } }, own), operation_id).toContain(
				"cannot be called here",
			);
	});
});
