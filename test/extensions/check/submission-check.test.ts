// The check says beforehand what quick-submit and complete would say. It stores nothing and uses no slot.
import fc from "fast-check";
import { strToU8, zipSync } from "fflate";
import { describe, expect, it } from "vitest";
import { goodZipWith } from "../../support/archives.ts";
import type { Client } from "../../support/client.ts";
import { awaitEvaluation, createDraft, GOOD_FILES, openTask, registerAgent, submit } from "../../support/scenario.ts";
import { listBucket, snapshotStorage } from "../../support/storage.ts";

const poster = await registerAgent("Poster");
const taskId = await openTask(poster, { max_submissions_per_agent: 25 });

const SLOTS = 25;
let agent = await registerAgent();
let slots = 0;

/** Returns an agent that has a slot left. */
async function submitter() {
	slots += 1;
	if (slots % SLOTS === 0) agent = await registerAgent();
	return agent;
}

const check = (caller: Client, files: unknown, id = taskId) => caller.call("checkSubmission", { params: { id }, body: { files } });
const zipInput = (zip: Uint8Array, id = taskId) => ({
	params: { id },
	rawBody: zip.slice(),
	headers: { "Content-Type": "application/zip" },
});
const checkZip = (caller: Client, zip: Uint8Array, id = taskId) => caller.call("checkSubmission", zipInput(zip, id));

interface ErrorBody {
	readonly error: { readonly code: string; readonly message: string; readonly details?: unknown };
}

describe("a check of files", () => {
	it("shows what would be stored and read, and what would cost points", async () => {
		const files = {
			"SUBMISSION.md": "# What I Built\n",
			"src/a.js": "export {};\n",
			"photo.png": { content: "iVBORw0KGgr/", encoding: "base64" },
		};
		const result = await check(agent, files);
		expect(result).toMatchObject({ ok: true, problems: [], packed_bytes: expect.any(Number) });
		expect(result.missing_sections).toEqual(["How To Run", "Architecture", "What Works", "Known Limitations", "Tradeoffs"]);
		expect(result.files.toSorted((a, b) => (a.path < b.path ? -1 : 1))).toEqual([
			{ path: "SUBMISSION.md", size_bytes: 15, judged: "full" },
			{ path: "photo.png", size_bytes: 9, judged: "not_read" },
			{ path: "src/a.js", size_bytes: 11, judged: "full" },
		]);
		expect(result.warnings.map(({ code, path }) => `${code} ${path}`).toSorted()).toEqual([
			...result.missing_sections.map(() => "MISSING_SECTION SUBMISSION.md"),
			"NOT_READ photo.png",
		]);
	});

	it("takes no notice of what macOS and Windows add to folders and zips", async () => {
		const traces = {
			".DS_Store": "x",
			"__MACOSX/proj/._main.py": "x",
			"proj/.DS_Store": "x",
			"proj/._main.py": { content: "AAUWBwAC", encoding: "base64" },
			"proj/src/Thumbs.db": "x",
			"proj/desktop.ini": "x",
		};
		const work = { "proj/SUBMISSION.md": "# What I Built\n", "proj/main.py": "print(1)\n" };
		const clean = await check(agent, work);
		expect(clean.warnings.map(({ code }) => code)).toEqual(["MISSING_SUBMISSION_MD", "NESTED_ROOT"]);
		expect(await check(agent, { ...traces, ...work })).toEqual(clean);
		const zipOf = (files: object) => zipSync(Object.fromEntries(Object.keys(files).map((path) => [path, strToU8("x = 1\n")])));
		const [cleanZip, macZip] = [await checkZip(agent, zipOf(work)), await checkZip(agent, zipOf({ ...traces, ...work }))];
		expect(cleanZip.warnings.map(({ code }) => code)).toContain("NESTED_ROOT");
		expect(macZip).toEqual(cleanZip);

		const flat = { "SUBMISSION.md": "# What I Built\n", "._SUBMISSION.md": "x", "main.py": "print(1)\n", "._main.py": "x" };
		expect((await checkZip(agent, zipOf(flat))).warnings.map(({ code }) => code)).not.toContain("NOT_READ");
		await agent.refused("checkSubmission", "INVALID_BODY", { params: { id: taskId }, body: {} });
		expect((await check(agent, traces)).problems).toMatchObject([{ code: "INVALID_BODY", path: "files" }]);
	});

	it("predicts what quick-submit then does, byte for byte", async () => {
		const own = await registerAgent();
		const { packed_bytes, files, missing_sections } = await check(own, GOOD_FILES);
		expect(files.map(({ path }) => path).toSorted()).toEqual(Object.keys(GOOD_FILES).toSorted());
		const listArtifacts = () => listBucket(`tasks/${taskId}/artifacts/`);
		const before = await listArtifacts();
		expect((await submit(own, taskId)).missing_sections).toEqual(missing_sections);
		expect(packed_bytes).toBeGreaterThan(100);
		expect((await listArtifacts()).length).toBe(before.length + 1);
	});

	it("lists a generated SUBMISSION.md and warns about it once", async () => {
		const result = await check(agent, { "main.js": "1" });
		expect(result.files.map(({ path }) => path).toSorted()).toEqual(["SUBMISSION.md", "main.js"]);
		expect(result.warnings.map(({ code }) => code)).toEqual(["MISSING_SUBMISSION_MD"]);
		expect(result.missing_sections).toHaveLength(6);
	});

	it("warns if everything is inside one folder", async () => {
		const { ok, warnings } = await check(agent, { "app/SUBMISSION.md": "# What I Built", "app/main.js": "1" });
		expect(ok).toBe(true);
		expect(warnings).toContainEqual({ code: "NESTED_ROOT", path: "app/", message: expect.stringContaining('"app/"') });
		expect((await check(agent, { "a/x": "1", "b/x": "1" })).warnings.map(({ code }) => code)).not.toContain("NESTED_ROOT");
	});

	it("warns about secrets by name and by text, and never repeats them", async () => {
		const key = `svc_sk_${"0123456789abcdef".repeat(4)}`;
		const files = { ...GOOD_FILES, "prod.env": "A=1", ".env.example": "A=", "src/client.ts": `const key = "${key}";` };
		const expected = [
			{ code: "SECRET_FILE", path: "prod.env", message: expect.any(String) },
			{ code: "SECRET_TEXT", path: "src/client.ts", message: expect.any(String) },
		];
		const zip = zipSync(Object.fromEntries(Object.entries(files).map(([path, text]) => [path, strToU8(String(text))])));
		for (const { ok, warnings } of [await check(agent, files), await checkZip(agent, zip)]) {
			expect(ok).toBe(true);
			expect(warnings.filter(({ code }) => code.startsWith("SECRET"))).toEqual(expected);
			expect(JSON.stringify(warnings)).not.toContain(key);
		}
	});

	it("warns about files that are cut or do not fit", async () => {
		const lines = (count: number) => "0123456789abcdef012345678901234\n".repeat(count);
		const { files, warnings } = await check(agent, {
			...GOOD_FILES,
			"src/a.js": lines(6_000),
			"src/b.js": lines(6_200),
			"src/c.js": lines(6_000),
			"src/huge.js": lines(7_000),
		});
		const judged = Object.fromEntries(files.map(({ path, judged: reading }) => [path, reading]));
		expect(judged).toMatchObject({ "src/a.js": "cut", "src/b.js": "cut", "src/c.js": "cut", "src/huge.js": "not_read" });
		expect(warnings).toEqual([
			...["src/a.js", "src/b.js", "src/c.js"].map((path) => ({ code: "CUT", path, message: expect.any(String) })),
			{ code: "NOT_READ", path: "src/huge.js", message: expect.any(String) },
		]);
	});

	it("shows no reading if no language model judges", async () => {
		const external = await openTask(poster, { eval_callback_url: "https://judge.example/evaluate" });
		const result = await check(agent, { ...GOOD_FILES, "photo.png": { content: "iVBORw0KGgr/", encoding: "base64" } }, external);
		expect(result.files.map(({ judged }) => judged)).toEqual([null, null, null, null]);
		expect(result.warnings).toEqual([]);
	});

	it("lists every problem, the one that quick-submit names first", async () => {
		const files = { "../up": "1", "a.txt": "1", "A.TXT": "1", b: "1", "b/c": "1", bad: { content: "%", encoding: "base64" }, odd: 5 };
		const { ok, problems, files: listed, packed_bytes } = await check(agent, files);
		const { details } = await agent.refused("quickSubmit", "INVALID_BODY", { params: { id: taskId }, body: { files } });
		expect(ok).toBe(false);
		expect(problems.map(({ path }) => path)).toEqual([
			'files["../up"]',
			'files["A.TXT"]',
			'files["b/c"]',
			'files["bad"].content',
			'files["odd"]',
		]);
		expect([{ path: problems[0]?.path, message: problems[0]?.message }]).toEqual(details);
		expect(listed.map(({ path }) => path)).toEqual(["a.txt", "b"]);
		expect(packed_bytes).toBeNull();
	});

	it("accepts 5 MB, and reports one byte more as FILE_TOO_LARGE, as quick-submit does", async () => {
		const half = "x".repeat(2.5 * 1_048_576);
		expect((await check(agent, { a: half, b: half })).ok).toBe(true);
		const { problems } = await check(agent, { a: half, b: `${half}x` });
		expect(problems.map(({ code, path }) => ({ code, path }))).toEqual([{ code: "FILE_TOO_LARGE", path: "files" }]);
	});

	it("refuses what is not a body of quick-submit", async () => {
		const own = await registerAgent();
		for (const body of [{}, { files: 5 }, { files: [] }, { files: {}, agent_display_name: 7 }]) {
			await own.refused("checkSubmission", "INVALID_BODY", { params: { id: taskId }, body });
		}
		const at = { params: { id: taskId } };
		await own.refused("checkSubmission", "BAD_REQUEST", { ...at, rawBody: "", headers: { "Content-Type": "application/zip" } });
		const large = { "Content-Length": String(21 * 1_048_576) };
		await own.refused("checkSubmission", "FILE_TOO_LARGE", {
			...at,
			rawBody: "x",
			headers: { ...large, "Content-Type": "application/zip" },
		});
	});
});

describe("a check stores nothing", () => {
	it("for any result, and works without a slot left", async () => {
		const own = await registerAgent();
		const tight = await openTask(poster, { max_submissions_per_agent: 1 });
		await awaitEvaluation(own, (await submit(own, tight)).id);
		await check(own, GOOD_FILES, tight);
		const before = await snapshotStorage();
		const objects = await listBucket();
		const result = await check(own, GOOD_FILES, tight);
		await checkZip(own, goodZipWith(), tight);
		await check(own, { "../up": "1" }, tight);
		await checkZip(own, strToU8("no zip"), tight);
		expect(result).toMatchObject({
			ok: true,
			problems: [],
			warnings: [{ code: "QUOTA_EXHAUSTED", path: "", message: expect.stringContaining("1") }],
		});
		expect(await snapshotStorage()).toEqual(before);
		expect(await listBucket()).toEqual(objects);
		await own.refused("quickSubmit", "QUOTA_EXHAUSTED", { params: { id: tight }, body: { files: GOOD_FILES } });
	});

	it("and reports a closed task as quick-submit does", async () => {
		const closed = await openTask(poster);
		await poster.call("closeTask", { params: { id: closed } });
		const { message } = await agent.refused("quickSubmit", "TASK_NOT_OPEN", { params: { id: closed }, body: { files: GOOD_FILES } });
		expect(await check(agent, GOOD_FILES, closed)).toMatchObject({ ok: false, problems: [{ code: "TASK_NOT_OPEN", path: "", message }] });
		expect((await checkZip(agent, strToU8("no zip"), closed)).problems.map(({ code }) => code)).toEqual(["BAD_REQUEST", "TASK_NOT_OPEN"]);
	});

	it("and is 404 for drafts of others; the owner's own draft is not open", async () => {
		const { id } = await createDraft(poster);
		await agent.refused("checkSubmission", "NOT_FOUND", { params: { id }, body: { files: GOOD_FILES } });
		await agent.refused("checkSubmission", "NOT_FOUND", zipInput(goodZipWith(), id));
		await agent.refused("checkSubmission", "NOT_FOUND", { params: { id }, body: { files: { a: "x".repeat(2_000_000) } } });
		expect((await check(poster, GOOD_FILES, id)).problems.map(({ code }) => code)).toEqual(["TASK_NOT_OPEN"]);
	});
});

describe("the check agrees with submitting", () => {
	const segment = fc.oneof(
		fc.constantFrom(
			"a",
			"A",
			"b",
			"é",
			"e\u0301",
			"SUBMISSION.md",
			"submission.md",
			"README.md",
			"..",
			".",
			"",
			"c:",
			"a\\b",
			"a\u202eb",
			"con",
			"__proto__",
			"constructor",
			"x".repeat(600),
		),
		fc.string({ unit: "binary", maxLength: 6 }),
	);
	const path = fc.array(segment, { minLength: 1, maxLength: 3 }).map((parts) => parts.join("/"));
	const content = fc.oneof(
		{ weight: 6, arbitrary: fc.string({ unit: "binary", maxLength: 20 }) },
		{ weight: 2, arbitrary: fc.uint8Array({ maxLength: 20 }).map((bytes) => ({ content: bytes.toBase64(), encoding: "base64" })) },
		{
			weight: 1,
			arbitrary: fc.constantFrom(
				null,
				5,
				[],
				{},
				{ content: 5 },
				{ content: "%%%", encoding: "base64" },
				{ content: "a", encoding: "utf-9" },
				{ content: "a", contentType: "x".repeat(300) },
				"\ud800",
				"# What I Built\n",
			),
		},
	);
	const fileSet = fc.array(fc.tuple(path, content), { maxLength: 5 }).map((entries) => Object.fromEntries(entries));

	it("about files", async () => {
		let accepted = 0;
		await fc.assert(
			fc.asyncProperty(fileSet, async (files) => {
				const caller = await submitter();
				const found = await check(caller, files);
				const response = await caller.send("quickSubmit", { params: { id: taskId }, body: { files } });
				expect(response.status === 201).toBe(found.ok);
				if (response.status === 201) {
					accepted += 1;
					expect(found.packed_bytes).not.toBeNull();
					return;
				}
				const { error }: ErrorBody = await response.json();
				const first = found.problems[0];
				expect({ code: first?.code, details: [{ path: first?.path, message: first?.message }] }).toEqual({
					code: error.code,
					details: error.details,
				});
			}),
			{ numRuns: 120 },
		);
		expect(accepted).toBeGreaterThan(5);
	});

	it("about zips without SUBMISSION.md", async () => {
		const nested = zipSync({ "app/SUBMISSION.md": strToU8("# What I Built"), "app/a.js": strToU8("1") });
		const found = await checkZip(agent, nested);
		expect(found.problems).toMatchObject([{ code: "MISSING_SUBMISSION_MD", path: "SUBMISSION.md" }]);
		expect(found.problems[0]?.message).toContain('It has "app/SUBMISSION.md": zip the contents of that folder');
		expect(found.warnings.map(({ code }) => code)).toEqual(["NESTED_ROOT"]);
	});

	it("about names that no file system takes, as quick-submit and dry runs do", async () => {
		const name = "x".repeat(256);
		const files = { ...GOOD_FILES, [`a/${name}`]: "1" };
		const message = expect.stringContaining("must have at most 255 bytes in each part between slashes");
		const caller = await submitter();
		expect((await check(caller, files)).problems).toMatchObject([{ code: "INVALID_BODY", message }]);
		expect((await checkZip(caller, goodZipWith([{ name, content: "1" }]))).problems).toMatchObject([
			{ code: "BAD_REQUEST", path: name.slice(0, 200) },
		]);
		const refusal = { details: [{ message }] };
		expect(await caller.refused("quickSubmit", "INVALID_BODY", { params: { id: taskId }, body: { files } })).toMatchObject(refusal);
		const draft = await createDraft(poster);
		expect(await poster.refused("startDryRun", "INVALID_BODY", { params: { id: draft.id }, body: { files } })).toMatchObject(refusal);
		const longest = { ...GOOD_FILES, [`${"x".repeat(255)}/${"é".repeat(127)}`]: "1" };
		expect(await check(caller, longest)).toMatchObject({ ok: true });
		await submit(caller, taskId, longest);
	});

	it("and lists every fault of a zip's names", async () => {
		const zip = zipSync({ "SUBMISSION.md": strToU8("x"), "../a": strToU8("1"), "../b": strToU8("1"), "c:d": strToU8("1") });
		const { problems, files } = await checkZip(agent, zip);
		expect(problems.map(({ code, path: at }) => `${code} ${at}`)).toEqual(["BAD_REQUEST ../a", "BAD_REQUEST ../b", "BAD_REQUEST c:d"]);
		expect(files).toEqual([]);
	});
});
