import { env, exports } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { suiteForm } from "../support/container-judging.ts";
import { sha256Hex } from "../support/hashes.ts";
import { listObjectsOf, readTaskRow } from "../support/house.ts";
import { createDraft, openTask, registerAgent } from "../support/scenario.ts";
import { snapshotStorage } from "../support/storage.ts";

const suitesOf = (taskId: string) => listObjectsOf(taskId, "suites");
const poster = await registerAgent("Poster");
const testCase = (change: Readonly<Record<string, unknown>> = {}) => ({
	name: "adds",
	input: "1 1\n",
	expected_output: "2\n",
	match_type: "exact",
	...change,
});
const suite = (...cases: unknown[]) => ({ test_cases: cases.length === 0 ? [testCase()] : cases });
const upload = (taskId: string, form: FormData, by = poster) => by.call("uploadTestSuite", { params: { id: taskId }, rawBody: form });
const form = (content: unknown, filename?: string) => suiteForm(content, filename);
const draft = async (change?: Readonly<Record<string, unknown>>) => (await createDraft(poster, change)).id;
const refuse = (code: Parameters<typeof poster.refused>[1], taskId: string, rawBody: FormData | string, by = poster) =>
	by.refused("uploadTestSuite", code, { params: { id: taskId }, rawBody });

describe("uploading a test suite", () => {
	it("returns what was stored, and shows it to the owner", async () => {
		const id = await draft({ eval_mode: "container", eval_image: "registry.example/judge:1" });
		expect((await poster.call("getTask", { params: { id } })).test_suite).toBeNull();
		const content = JSON.stringify(
			suite(testCase(), testCase({ match_type: "contains" }), testCase({ match_type: "regex", expected_output: "^2$" })),
		);
		const stored = await upload(id, form(content, "My Suite.JSON"));
		const expected = { test_case_count: 3, public_case_count: 0, file_size: content.length, sha256: await sha256Hex(content) };
		expect(stored).toEqual({ task_id: id, ...expected });
		expect((await poster.call("getTask", { params: { id } })).test_suite).toEqual(expected);
		const [key = ""] = await suitesOf(id);
		expect(await (await env.BUCKET.get(key))?.text()).toBe(content);
	});

	it("returns 200 for each of many parallel uploads, and leaves one of them complete and nothing of the others", async () => {
		const id = await draft({ eval_mode: "container", eval_image: "registry.example/judge:1" });
		const contents = Array.from({ length: 10 }, (_, index) =>
			JSON.stringify(suite(...Array.from({ length: index + 1 }, () => testCase()))),
		);
		const answers = await Promise.all(
			contents.map((content) => poster.send("uploadTestSuite", { params: { id }, rawBody: form(content, "suite.json") })),
		);
		expect(answers.map(({ status }) => status)).toEqual(contents.map(() => 200));
		const shown = (await poster.call("getTask", { params: { id } })).test_suite;
		const winner = contents[(shown?.test_case_count ?? 0) - 1] ?? "";
		expect(shown).toEqual({
			test_case_count: shown?.test_case_count,
			public_case_count: 0,
			file_size: winner.length,
			sha256: await sha256Hex(winner),
		});
		await expect.poll(() => suitesOf(id)).toHaveLength(1);
		const [key = ""] = await suitesOf(id);
		expect(await (await env.BUCKET.get(key))?.text()).toBe(winner);
		expect(await readTaskRow(id, "test_suite_key as key")).toEqual({ key });
	});

	it.each(["llm", "hybrid"])("is also accepted for a draft in mode %s, because the mode may change", async (eval_mode) => {
		const id = await draft({ eval_mode, eval_image: "registry.example/judge:1" });
		expect(await upload(id, form(suite()))).toMatchObject({ test_case_count: 1 });
	});

	it("counts the public cases, and stores the file unchanged", async () => {
		const id = await draft();
		const content = suite(testCase({ public: true }), testCase({ public: false }), testCase());
		expect(await upload(id, form(content))).toMatchObject({ test_case_count: 3, public_case_count: 1 });
		const [key = ""] = await suitesOf(id);
		expect(await (await env.BUCKET.get(key))?.json()).toEqual(content);
	});

	it("accepts a pattern of 1,000 characters, and any length of other outputs", async () => {
		const long = "a".repeat(1_000);
		const cases = [
			testCase({ match_type: "regex", expected_output: long }),
			testCase({ match_type: "contains", expected_output: long.repeat(200) }),
			testCase({ match_type: "regex", expected_output: `${"(".repeat(500)}${")".repeat(500)}` }),
		];
		expect(await upload(await draft(), form(suite(...cases)))).toMatchObject({ test_case_count: 3 });
	});

	it("counts the characters of a name as code points, as the limit in the OpenAPI document does", async () => {
		const id = await draft();
		expect(await upload(id, form(suite(testCase({ name: "😀".repeat(200) }))))).toMatchObject({ test_case_count: 1 });
		await refuse("VALIDATION_ERROR", id, form(suite(testCase({ name: "😀".repeat(201) }))));
	});

	it("replaces the previous one, whose bytes are deleted", async () => {
		const id = await draft();
		await upload(id, form(suite()));
		const [old = ""] = await suitesOf(id);
		const two = suite(testCase(), testCase({ name: "other" }));
		expect(await upload(id, form(two))).toMatchObject({ test_case_count: 2 });
		await expect.poll(() => suitesOf(id)).toHaveLength(1);
		const left = await suitesOf(id);
		expect(left).not.toContain(old);
		expect(await (await env.BUCKET.get(left[0] ?? ""))?.json()).toEqual(two);
	});
});

/** Returns a form of clients that name no file: the part has only a Content-Type. */
function namelessForm(contentType: string | null, content: string = JSON.stringify(suite())) {
	const type = contentType === null ? "" : `\r\nContent-Type: ${contentType}`;
	const rawBody = `--x\r\nContent-Disposition: form-data; name="file"${type}\r\n\r\n${content}\r\n--x--\r\n`;
	return { rawBody, headers: { "Content-Type": "multipart/form-data; boundary=x" } };
}

describe("a test suite without a file name", () => {
	it.each(["application/json", "Application/JSON; charset=utf-8"])("is accepted as %s", async (contentType) => {
		const id = await draft();
		const stored = await poster.call("uploadTestSuite", { params: { id }, ...namelessForm(contentType) });
		expect(stored).toMatchObject({ test_case_count: 1, sha256: await sha256Hex(JSON.stringify(suite())) });
	});

	it("is accepted as a Blob of JSON, which browsers name blob", async () => {
		const data = new FormData();
		data.set("file", new Blob([JSON.stringify(suite())], { type: "application/json" }), "blob");
		expect(await upload(await draft(), data)).toMatchObject({ test_case_count: 1 });
	});

	it.each(["text/csv", "application/octet-stream", "application/json-seq"])("is refused as %s", async (contentType) => {
		const id = await draft();
		await poster.refused("uploadTestSuite", "UNSUPPORTED_FILE_TYPE", { params: { id }, ...namelessForm(contentType) });
	});

	it("is refused as a Blob of another type", async () => {
		const data = new FormData();
		data.set("file", new Blob([JSON.stringify(suite())], { type: "text/plain" }), "blob");
		await refuse("UNSUPPORTED_FILE_TYPE", await draft(), data);
	});

	it.each([null, "text/plain"])("is refused as text, which is a field and not a file (%s)", async (contentType) => {
		const id = await draft();
		await poster.refused("uploadTestSuite", "VALIDATION_ERROR", { params: { id }, ...namelessForm(contentType) });
	});
});

describe("an invalid test suite", () => {
	it.each<readonly [string, unknown, string]>([
		["no JSON", "{", "file"],
		["an empty object", {}, "test_cases"],
		["no list", { test_cases: {} }, "test_cases"],
		["no cases", { test_cases: [] }, "test_cases"],
		["too many cases", suite(...Array.from({ length: 1_001 }, () => testCase())), "test_cases"],
		["a case without a name", suite(testCase(), testCase({ name: undefined })), "test_cases[1].name"],
		["an input that is no text", suite(testCase({ input: 1 })), "test_cases[0].input"],
		["no expected output", suite(testCase({ expected_output: null })), "test_cases[0].expected_output"],
		["an unknown match_type", suite(testCase({ match_type: "fuzzy" })), "test_cases[0].match_type"],
		["a name without end", suite(testCase(), testCase({ name: "n".repeat(201) })), "test_cases[1].name"],
		["a name that changes the terminal of who reads it", suite(testCase({ name: "adds\u001b[2J" })), "test_cases[0].name"],
		["a name that runs backwards", suite(testCase({ name: "adds\u202e" })), "test_cases[0].name"],
		["a pattern that RE2 cannot have", suite(testCase({ match_type: "regex", expected_output: "(?=a)" })), "test_cases[0].expected_output"],
		[
			"a pattern of 1,001 characters",
			suite(testCase({ match_type: "regex", expected_output: "a".repeat(1_001) })),
			"test_cases[0].expected_output",
		],
		[
			"40 KB of brackets for a pattern",
			suite(testCase({ match_type: "regex", expected_output: `${"[".repeat(40_000)}\\` })),
			"test_cases[0].expected_output",
		],
		["an open bracket for a pattern", suite(testCase({ match_type: "regex", expected_output: "(" })), "test_cases[0].expected_output"],
		[
			"a pattern that nests too deeply",
			suite(testCase({ match_type: "regex", expected_output: `${"(?:a".repeat(200)}${")?".repeat(100)}` })),
			"test_cases[0].expected_output",
		],
		[
			"patterns of 100,001 characters together",
			suite(
				...Array.from({ length: 101 }, (_, index) =>
					testCase({ match_type: "regex", expected_output: "a".repeat(index === 0 ? 1 : 1_000) }),
				),
			),
			"test_cases",
		],
		["a case that is public in some way", suite(testCase({ public: "yes" })), "test_cases[0].public"],
		["a list at the top", [testCase()], ""],
	])("(%s) is rejected with the place of the fault, and nothing is stored", async (_, content, path) => {
		const id = await draft();
		const before = await snapshotStorage();
		const { details } = await refuse("VALIDATION_ERROR", id, form(content));
		expect(details).toEqual(expect.arrayContaining([{ path, message: expect.not.stringMatching(/Invalid|received/) }]));
		expect(await snapshotStorage()).toEqual(before);
	});

	it("(bytes that are not UTF-8) is refused", async () => {
		const broken = new FormData();
		broken.set("file", new File([new Uint8Array([0x7b, 0xff, 0x7d])], "suite.json"));
		await refuse("VALIDATION_ERROR", await draft(), broken);
	});

	it.each(["suite.txt", "suite", "suite.json.zip"])("(a file called %s) is refused by its type", async (filename) => {
		await refuse("UNSUPPORTED_FILE_TYPE", await draft(), form(suite(), filename));
	});

	it("(no form, no file, an empty one, two of them) is refused", async () => {
		const id = await draft();
		const [none, empty, two] = [new FormData(), new FormData(), form(suite())];
		none.set("other", "1");
		empty.set("file", new File([], "suite.json"));
		two.append("file", new File(["{}"], "suite.json"));
		for (const body of [none, empty, two, JSON.stringify(suite())]) await refuse("VALIDATION_ERROR", id, body);
	});

	it("(a file over 5 MB) is refused, and one of exactly 5 MB is accepted", async () => {
		const id = await draft();
		const limit = 5 * 1_048_576;
		const around = JSON.stringify(suite(testCase({ input: "" }))).length;
		const ofSize = (bytes: number) => form(suite(testCase({ input: "x".repeat(bytes - around) })));
		await refuse("FILE_TOO_LARGE", id, ofSize(limit + 1));
		await refuse("FILE_TOO_LARGE", id, ofSize(limit + 1_000_000));
		expect(await upload(id, ofSize(limit))).toMatchObject({ file_size: limit });
	});
});

describe("test suites without permission", () => {
	it("cannot be uploaded after the task is published, and nothing changes", async () => {
		const id = await openTask(poster);
		const before = await snapshotStorage();
		await refuse("CONFLICT", id, form(suite()));
		expect(await snapshotStorage()).toEqual(before);
	});

	it("report a faulty file before an unknown task", async () => {
		await refuse("VALIDATION_ERROR", crypto.randomUUID(), form({}));
		await refuse("NOT_FOUND", crypto.randomUUID(), form(suite()));
	});

	it("cannot be downloaded without the signature of this URL", async () => {
		const id = await draft();
		await upload(id, form(suite()));
		const address = `https://bounty.test/api/v1/tasks/${id}/test-suite/content`;
		for (const query of ["", "?expires=9999999999999&signature=00"]) {
			const response = await exports.default.fetch(address + query, { headers: { Authorization: `Bearer ${poster.key}` } });
			expect(response.status).toBe(401);
		}
	});
});
