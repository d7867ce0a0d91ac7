import { env } from "cloudflare:workers";
import { unzipSync } from "fflate";
import { describe, expect, it } from "vitest";
import type { CallInput } from "../support/client.ts";
import { awaitEvaluation, createDraft, GOOD_FILES, openTask, registerAgent, submit } from "../support/scenario.ts";
import { snapshotStorage } from "../support/storage.ts";
import { expectArtifactsOfRowsOnly } from "../support/stored-objects.ts";
import { countInTask, readArtifactOf } from "../support/task-object.ts";

const [poster, agent] = [await registerAgent("Poster"), await registerAgent("Builder")];
const taskId = await openTask(poster, { max_submissions_per_agent: 25 });

const of = (id: string, body: unknown, headers: Readonly<Record<string, string>> = {}): CallInput => ({ params: { id }, body, headers });
const refuseFiles = (files: unknown) => agent.refused("quickSubmit", "INVALID_BODY", of(taskId, { files }));

/** Returns the files of a submission's artifact as they are in R2. */
async function readArtifact(submissionId: string): Promise<ReadonlyMap<string, Uint8Array>> {
	const { key } = await readArtifactOf(taskId, submissionId);
	const object = await env.BUCKET.get(key ?? "");
	const zip = new Uint8Array((await object?.arrayBuffer()) ?? new ArrayBuffer(0));
	const names: string[] = [];
	unzipSync(zip, { filter: ({ name }) => names.push(name) < 0 });
	// The test unpacks each file separately, because the unpacker puts all into one object, which cannot hold every name.
	return new Map(
		names.map((name) => [name, Object.values(unzipSync(zip, { filter: (file) => file.name === name }))[0] ?? unpackProto(zip, name)]),
	);
}

/** Returns a file named `__proto__`, which becomes the prototype of the unpacker's result. */
function unpackProto(zip: Uint8Array, path: string): Uint8Array {
	const prototype: unknown = Object.getPrototypeOf(unzipSync(zip, { filter: ({ name }) => name === path }));
	return prototype instanceof Uint8Array ? prototype : new Uint8Array();
}

async function pack(files: Readonly<Record<string, unknown>>) {
	const own = await registerAgent();
	const answer = await submit(own, taskId, files);
	const artifact = await readArtifact(answer.id);
	return { answer, artifact, text: (path: string) => new TextDecoder().decode(artifact.get(path)) };
}

describe("quick-submit", () => {
	it("returns the running submission, the URL to poll, and the quota", async () => {
		const own = await registerAgent("Own name");
		const answer = await submit(own, taskId);
		expect(answer).toMatchObject({
			task_id: taskId,
			agent_id: own.agentId,
			agent_display_name: "Own name",
			status: "running",
			evaluated: false,
			scores: null,
			dimensions: [],
			position: null,
			quota: { used: 1, limit: 25, remaining: 24 },
			files_uploaded: 3,
			missing_sections: [],
			poll_url: `https://bounty.test/api/submissions/${answer.id}/status`,
		});
		expect(await awaitEvaluation(own, answer.id)).toMatchObject({ status: "completed", evaluated: true });
	});

	it("returns the rank that the agent already has", async () => {
		const own = await registerAgent();
		const ranked = await openTask(await registerAgent());
		expect(await awaitEvaluation(own, (await submit(own, ranked)).id)).toMatchObject({ position: 1 });
		expect(await submit(own, ranked)).toMatchObject({ status: "running", position: 1 });
	});

	it("accepts a name for the leaderboard of 1 to 100 characters", async () => {
		const own = await registerAgent();
		const name = "🦊".repeat(100);
		const body = { files: { "a.js": "1" }, agent_display_name: name };
		expect(await own.call("quickSubmit", of(taskId, body))).toMatchObject({ agent_display_name: name });
		expect(await own.call("quickSubmit", of(taskId, { files: { "a.js": "1" }, agent_display_name: null }))).toMatchObject({
			status: "running",
		});
		for (const agent_display_name of ["", "x".repeat(101), 5, "a\0b"]) {
			await own.refused("quickSubmit", "INVALID_BODY", of(taskId, { files: { "a.js": "1" }, agent_display_name }));
		}
		const endless = of(taskId, { files: { "a.js": "1" }, agent_display_name: "x".repeat(5_000) });
		expect((await own.refused("quickSubmit", "INVALID_BODY", endless)).message).toBe("agent_display_name must have 1 to 100 characters");
	});
});

describe("the artifact", () => {
	it("contains strings as UTF-8, objects by their encoding, and the paths as they were sent", async () => {
		const bytes = crypto.getRandomValues(new Uint8Array(1000));
		const { artifact, text, answer } = await pack({
			"SUBMISSION.md": "# What I Built\n",
			"src/ü/🦊.txt": "Grüße 🦊\r\n\0",
			"plain.txt": { content: "as text" },
			"typed.html": { content: "<p>", encoding: "utf8", contentType: "text/html" },
			"image.png": { content: bytes.toBase64(), encoding: "base64", contentType: "image/png" },
			empty: "",
		});
		expect([...artifact.keys()].toSorted()).toEqual(["SUBMISSION.md", "empty", "image.png", "plain.txt", "src/ü/🦊.txt", "typed.html"]);
		expect(text("src/ü/🦊.txt")).toBe("Grüße 🦊\r\n\0");
		expect(text("plain.txt")).toBe("as text");
		expect(artifact.get("image.png")).toEqual(bytes);
		expect(text("empty")).toBe("");
		expect(answer).toMatchObject({ files_uploaded: 6, missing_sections: expect.arrayContaining(["How To Run", "Tradeoffs"]) });
	});

	it("gets a generated SUBMISSION.md if it has none", async () => {
		const { artifact, text, answer } = await pack({ "main.py": "print(1)", "docs/SUBMISSION.md": "not at the root" });
		expect([...artifact.keys()].toSorted()).toEqual(["SUBMISSION.md", "docs/SUBMISSION.md", "main.py"]);
		expect(text("SUBMISSION.md")).toMatch(/generated/i);
		expect(text("SUBMISSION.md")).toContain("main.py");
		expect(answer.files_uploaded).toBe(2);
		expect(answer.missing_sections).toEqual(["What I Built", "How To Run", "Architecture", "What Works", "Known Limitations", "Tradeoffs"]);
	});

	it("shows each missing section of SUBMISSION.md", async () => {
		const own = await registerAgent();
		const { "SUBMISSION.md": _, ...rest } = GOOD_FILES;
		const [whole, bare] = [await submit(own, taskId), await submit(own, taskId, rest)];
		const [best, worse] = [await awaitEvaluation(own, whole.id), await awaitEvaluation(own, bare.id)];
		expect(worse.scores?.final_score).toBe(best.scores?.final_score);
		expect(worse.missing_sections).toHaveLength(6);
		const details = await own.call("getSubmissionDetails", { params: { id: bare.id } });
		expect(details.missing_sections).toHaveLength(6);
	});

	it("is judged even if its files compress very well", async () => {
		const own = await registerAgent();
		const { id } = await submit(own, taskId, {
			...GOOD_FILES,
			"zeros.csv": "0,0,0\n".repeat(650_000),
			"small.csv": "0".repeat(1_000_000),
		});
		expect(await awaitEvaluation(own, id)).toMatchObject({ status: "completed", evaluated: true });
	});

	it("keeps names with a meaning in JavaScript", async () => {
		const files = JSON.parse(
			'{"__proto__": "p", "constructor": "c", "toString": {"content": "t"}, "a/__proto__/b": "x", "hasOwnProperty": "h"}',
		);
		const { artifact, text, answer } = await pack(files);
		expect([...artifact.keys()].toSorted()).toEqual([
			"SUBMISSION.md",
			"__proto__",
			"a/__proto__/b",
			"constructor",
			"hasOwnProperty",
			"toString",
		]);
		expect([text("__proto__"), text("constructor"), text("toString"), text("a/__proto__/b")]).toEqual(["p", "c", "t", "x"]);
		expect(answer.files_uploaded).toBe(5);
	});

	it("has equal bytes for equal files", async () => {
		const files = { "b.js": "2", "a.js": "1" };
		const [one, two] = [await pack(files), await pack({ "a.js": "1", "b.js": "2" })];
		const hash = async (id: string) => (await readArtifactOf(taskId, id)).sha256;
		expect(await hash(one.answer.id)).toBe(await hash(two.answer.id));
	});
});

describe("the files of a quick-submit", () => {
	it("are at least one, in an object", async () => {
		for (const files of [{}, [], null, "a.js", 5, undefined]) await refuseFiles(files);
		await agent.refused("quickSubmit", "INVALID_BODY", of(taskId, {}));
	});

	it("have relative paths that unpack everywhere the same; others are named and nothing is stored", async () => {
		const before = await snapshotStorage();
		const paths = [
			...["", "/", "/a", "a/", "a//b", ".", "..", "./a", "../a", "a/../b", "a/./b", "a/.", "a/..", "~/../x/.."],
			...["C:", "C:a", "c:/a", "C:\\a", "a\\b", "\\\\server\\share", "..\\a", "a\0b", "\0", "a\nb", "a\x7f", "\ud800", "a/\udfff"],
			...["a\u0085b", "exe.\u202etxt", "a\u202ab", "\u2066a", "a/\u2069/b"],
			...["x".repeat(256), "é".repeat(128), `${"x".repeat(256)}/a`, `a/${"x".repeat(256)}/b`],
			...[`${"x".repeat(200)}/`.repeat(3), `${"a/".repeat(256)}b`],
		];
		for (const path of paths) {
			const { details } = await refuseFiles({ "ok.js": "1", [path]: "x" });
			expect({ path, details }).toMatchObject({ path, details: [{ path: `files[${JSON.stringify(path.slice(0, 200))}]` }] });
		}
		expect(await snapshotStorage()).toEqual(before);
	});

	it("have paths of up to 512 bytes, 255 for each name, with any other character", async () => {
		const files = {
			[`${"x".repeat(255)}/${"x".repeat(255)}`]: "1",
			[`${"é".repeat(127)}/${"é".repeat(127)}/é`]: "1",
			"a b": "1",
			"a\u200fb": "1",
			"...": "1",
			".env": "1",
			"a/..b/c..": "1",
			"ü/🦊": "1",
			aux: "1",
			"-rf": "1",
			"ab:c": "1",
		};
		expect(await submit(await registerAgent(), taskId, files)).toMatchObject({ files_uploaded: 11 });
	});

	it("are 2,000 at most", async () => {
		const many = (n: number) => Object.fromEntries(Array.from({ length: n }, (_, index) => [`f${index}`, ""]));
		await refuseFiles(many(2001));
		expect(await submit(await registerAgent(), taskId, many(2000))).toMatchObject({ files_uploaded: 2000 });
	});

	it("of a body of more than 1 MB are faulty only for a task that would take them", async () => {
		const [own, other] = [await registerAgent(), await registerAgent()];
		const closed = await openTask(other);
		await other.call("closeTask", { params: { id: closed } });
		const { id: draft } = await createDraft(other);
		const open = await openTask(other, { max_submissions_per_agent: 1 });
		const noise = "x".repeat(6 * 1_048_576);
		const headers = { "Content-Type": "application/json" };
		for (const rawBody of [`{"files": {"a.txt": "${noise}"}}`, `{"files": ["${noise}"]}`, `{"files": {"../a": "${noise}"`]) {
			const sized = { rawBody, headers: { ...headers, "Content-Length": String(rawBody.length) } };
			const submitTo = (id: string) => ({ params: { id }, ...sized });
			await own.refused("quickSubmit", "NOT_FOUND", submitTo(crypto.randomUUID()));
			await own.refused("quickSubmit", "NOT_FOUND", submitTo(draft));
			await own.refused("quickSubmit", "TASK_NOT_OPEN", submitTo(closed));
			const { code } = await own.refused("quickSubmit", rawBody.includes("a.txt") ? "FILE_TOO_LARGE" : "INVALID_BODY", submitTo(open));
			expect(code).not.toBe("NOT_FOUND");
		}
		await submit(own, open);
		const rawBody = `{"files": ["${noise}"]}`;
		const sized = { rawBody, headers: { ...headers, "Content-Length": String(rawBody.length) } };
		await own.refused("quickSubmit", "QUOTA_EXHAUSTED", { params: { id: open }, ...sized });
		await own.refused("quickSubmit", "INVALID_BODY", { params: { id: closed }, body: { files: [] } });
	});

	it("have at most 5 MB together, before packing and after decoding", async () => {
		const limit = 5 * 1_048_576;
		const own = await registerAgent();
		const half = "a".repeat(limit / 2);
		await own.refused("quickSubmit", "FILE_TOO_LARGE", of(taskId, { files: { "a.txt": half, "b.txt": half, "c.txt": "x" } }));
		await own.refused("quickSubmit", "FILE_TOO_LARGE", of(taskId, { files: { "a.txt": "é".repeat(limit / 2 + 1) } }));
		expect(await submit(own, taskId, { "a.txt": half, "b.txt": half })).toMatchObject({ files_uploaded: 2 });
	});
});

describe("a refused quick-submit", () => {
	it("stores nothing", async () => {
		const own = await registerAgent();
		const closed = await openTask(poster);
		await poster.call("closeTask", { params: { id: closed } });
		const before = await snapshotStorage();
		await own.refused("quickSubmit", "TASK_NOT_OPEN", of(closed, { files: { "a.js": "1" } }));
		await own.refused("quickSubmit", "INVALID_BODY", of(closed, { files: {} }));
		expect(await snapshotStorage()).toEqual(before);
	});

	it("is the response to an agent whose slots are used, but not to others", async () => {
		const id = await openTask(poster, { max_submissions_per_agent: 2 });
		const own = await registerAgent();
		expect((await submit(own, id)).quota).toEqual({ used: 1, limit: 2, remaining: 1 });
		expect((await submit(own, id)).quota).toEqual({ used: 2, limit: 2, remaining: 0 });
		const { details } = await own.refused("quickSubmit", "QUOTA_EXHAUSTED", of(id, { files: { "a.js": "1" } }));
		expect(details).toEqual({ used: 2, limit: 2, remaining: 0 });
		expect((await submit(await registerAgent(), id)).quota.used).toBe(1);
		expect((await submit(own, taskId)).quota.used).toBe(1);
	});
});

describe("quota under load", () => {
	it("30 parallel submissions with 15 slots give exactly 15", async () => {
		const id = await openTask(poster);
		const own = await registerAgent();
		const answers = await Promise.all(Array.from({ length: 30 }, (_, n) => own.send("quickSubmit", of(id, { files: { "a.js": `${n}` } }))));
		const taken = answers.filter(({ status }) => status === 201);
		expect(taken).toHaveLength(15);
		for (const refusal of answers.filter(({ status }) => status !== 201)) {
			expect(await refusal.json()).toMatchObject({ error: { code: "QUOTA_EXHAUSTED" } });
		}
		expect(await countInTask(id, "select count(*) from submissions")).toBe(15);
		expect(await countInTask(id, "select (select count(*) from jobs) + (select count(*) from evaluations)")).toBe(15);
		expect(await countInTask(id, "select quota_used from entries")).toBe(15);
		expect(await countInTask(id, "select submission_count from tasks")).toBe(15);
		const bodies = await Promise.all(taken.map((answer) => answer.json() as Promise<{ id: string; quota: { used: number } }>));
		expect(new Set(bodies.map((body) => body.id)).size).toBe(15);
		expect(bodies.map((body) => body.quota.used).toSorted((a, b) => a - b)).toEqual(Array.from({ length: 15 }, (_, n) => n + 1));
		await expectArtifactsOfRowsOnly(id);
	});
});

describe("Idempotency-Key", () => {
	const keyed = (id: string, key: string, files: Readonly<Record<string, unknown>> = { "a.js": "1" }) =>
		of(id, { files }, { "Idempotency-Key": key });

	it("remembers the quota of submissions that were made in parallel", async () => {
		const [id, own] = [await openTask(poster, { max_submissions_per_agent: 4 }), await registerAgent()];
		const keys = ["one", "two", "three", "four"];
		const submitAll = () => Promise.all(keys.map((key) => own.call("quickSubmit", keyed(id, key, { "é.js": `"${key}" \\u00e9` }))));
		const first = await submitAll();
		expect(first.map(({ quota }) => quota.remaining).toSorted()).toEqual([0, 1, 2, 3]);
		expect(await submitAll()).toEqual(first);
	});

	it("recognizes the same content in another spelling, and refuses another content without an effect", async () => {
		const own = await registerAgent();
		const { id } = await own.call("quickSubmit", keyed(taskId, "spelled", { "a.js": "1", "b.js": "2" }));
		const spelled = { "b.js": { content: "Mg==", encoding: "base64" }, "a.js": { content: "1", encoding: "utf8" } };
		expect(await own.call("quickSubmit", keyed(taskId, "spelled", spelled))).toMatchObject({ id });
		await awaitEvaluation(own, id);
		const before = await snapshotStorage();
		await own.refused("quickSubmit", "CONFLICT", keyed(taskId, "spelled", { "a.js": "1" }));
		const renamed = of(taskId, { files: { "a.js": "1", "b.js": "2" }, agent_display_name: "Other" }, { "Idempotency-Key": "spelled" });
		await own.refused("quickSubmit", "CONFLICT", renamed);
		expect(await snapshotStorage()).toEqual(before);
	});

	it("makes one submission of two parallel bodies, and the other body is a conflict", async () => {
		const own = await registerAgent();
		const bodies = [{ "a.js": "1" }, { "a.js": "2" }];
		const answers = await Promise.all(
			Array.from({ length: 10 }, (_, n) => own.send("quickSubmit", keyed(taskId, "two bodies", bodies[n % 2]))),
		);
		const even = answers.filter((_, n) => n % 2 === 0).map(({ status }) => status);
		const odd = answers.filter((_, n) => n % 2 === 1).map(({ status }) => status);
		expect([even, odd].map((group) => new Set(group).size)).toEqual([1, 1]);
		expect([even[0], odd[0]].toSorted()).toEqual([201, 409]);
		expect(await countInTask(taskId, "select count(*) from submissions where agent_id = ?", own.agentId)).toBe(1);
		await expectArtifactsOfRowsOnly(taskId);
	});

	it("still returns the response when the quota is used and when the task is closed", async () => {
		const id = await openTask(poster, { max_submissions_per_agent: 1 });
		const own = await registerAgent();
		const first = await own.call("quickSubmit", keyed(id, "late"));
		await own.refused("quickSubmit", "QUOTA_EXHAUSTED", keyed(id, "another"));
		expect(await own.call("quickSubmit", keyed(id, "late"))).toEqual(first);
		await poster.call("closeTask", { params: { id } });
		expect(await own.call("quickSubmit", keyed(id, "late"))).toEqual(first);
		await own.refused("quickSubmit", "TASK_NOT_OPEN", keyed(id, "another"));
	});
});
