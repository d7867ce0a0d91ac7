// What holds more than 1 MB: the task is looked at first, and all that is held at once is limited.
import { env } from "cloudflare:workers";
import { strToU8, unzipSync, zipSync } from "fflate";
import { beforeAll, describe, expect, it } from "vitest";
import { addAttachment } from "../../src/features/attachments/contract.ts";
import { postExternalScore } from "../../src/features/evaluation/contract.ts";
import { runEvaluation } from "../../src/features/evaluation/service.ts";
import {
	completeSubmission,
	getSubmission,
	listSubmissionFiles,
	quickSubmit,
	readSubmissionFile,
	uploadArtifact,
} from "../../src/features/submissions/contract.ts";
import { closeTask, uploadTestSuite } from "../../src/features/tasks/contract.ts";
import { storeFile } from "../../src/features/workspace/contract.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { MemoryGate, memoryGate } from "../../src/platform/memory-gate.ts";
import type { CallInput } from "../support/client.ts";
import { manualClock } from "../support/deps.ts";
import { createDraft, openTask, type RegisteredClient, registerAgent } from "../support/scenario.ts";
import { queryOne } from "../support/storage.ts";
import { countedStream, MB, putTo, register, zeros } from "../support/uploads.ts";
import { createWorld, readJob } from "../support/world.ts";

let poster: RegisteredClient;
let agent: RegisteredClient;

beforeAll(async () => {
	[poster, agent] = await Promise.all([registerAgent("Poster"), registerAgent("Agent")]);
});

/** Takes all the room that there is, and returns what gives it back. */
const takeAll = () => memoryGate.enter(systemClock, Number.MAX_SAFE_INTEGER);

const JSON_TYPE = { "Content-Type": "application/json" };

/** A body of so many bytes that is no JSON, and how much of it has been read. */
function brokenBody(id: string, bytes: number, headers: Readonly<Record<string, string>> = {}) {
	const body = countedStream(zeros(bytes));
	const input: CallInput = { params: { id }, rawBody: body.stream, headers: { ...JSON_TYPE, ...headers } };
	return { input, pulled: body.pulled };
}

describe("a large quick-submit", () => {
	it("is refused for its task before its own faults, and is not read", async () => {
		const closed = await openTask(poster);
		await poster.call(closeTask, { params: { id: closed } });
		const draft = (await createDraft(poster)).id;
		const full = await openTask(poster, { max_submissions_per_agent: 1 });
		await agent.call(quickSubmit, { params: { id: full }, body: { files: { a: "b" } } });
		const cases = [
			["01900000-0000-7000-8000-000000000000", "NOT_FOUND"],
			[draft, "NOT_FOUND"],
			[closed, "TASK_NOT_OPEN"],
			[full, "QUOTA_EXHAUSTED"],
		] as const;
		for (const [id, code] of cases) {
			const chunked = brokenBody(id, 60 * MB);
			await agent.refused(quickSubmit, code, chunked.input);
			expect(chunked.pulled()).toBeLessThan(4 * MB);
			const small = brokenBody(id, MB / 2);
			await agent.refused(quickSubmit, "INVALID_BODY", small.input);
		}
	});

	it("may have 36 MB, announced or not", async () => {
		const id = await openTask(poster);
		const open = brokenBody(id, 60 * MB);
		const { details } = await agent.refused(quickSubmit, "FILE_TOO_LARGE", open.input);
		expect(details).toEqual({ max_bytes: 36 * MB });
		expect(open.pulled()).toBeLessThan(40 * MB);
		await agent.refused(quickSubmit, "INVALID_BODY", brokenBody(id, 2 * MB).input);
	});

	it("stores long texts and base64 as they were meant", async () => {
		const id = await openTask(poster);
		const text = `Quotes " and \\ and é and 😀\n`.repeat(40_000);
		const bytes = new Uint8Array(2 * MB).map((_, index) => index * 31);
		const files = { "SUBMISSION.md": "# What I Built\n", "long.txt": text, "long.bin": { content: bytes.toBase64(), encoding: "base64" } };
		const submitted = await agent.call(quickSubmit, { params: { id }, body: { files } });
		expect(submitted.files_uploaded).toBe(3);
		const row = await queryOne<{ key: string; bytes: number }>(
			"select artifact_key as key, artifact_bytes as bytes from submissions where id = ?",
			submitted.id,
		);
		const zip = new Uint8Array((await (await env.BUCKET.get(row?.key ?? ""))?.arrayBuffer()) ?? new ArrayBuffer(0));
		expect(zip.byteLength).toBe(row?.bytes);
		const { "long.txt": storedText, "long.bin": storedBytes } = unzipSync(zip);
		expect(new TextDecoder().decode(storedText)).toBe(text);
		expect(storedBytes?.toHex()).toBe(bytes.toHex());
		const lone = `{"files":{"a.txt":"${"x".repeat(2 * MB)}\\ud800"}}`;
		await agent.refused(quickSubmit, "INVALID_BODY", { params: { id }, rawBody: lone, headers: JSON_TYPE });
	});

	it("replays an earlier response although the task is closed now", async () => {
		const id = await openTask(poster);
		const input = { params: { id }, body: { files: { "a.txt": "a".repeat(2 * MB) } }, headers: { "Idempotency-Key": "large" } };
		const first = await agent.call(quickSubmit, input);
		await poster.call(closeTask, { params: { id } });
		expect((await agent.call(quickSubmit, input)).id).toBe(first.id);
	});

	it("waits for another one, and gets Retry-After when that takes too long", async () => {
		const id = await openTask(poster);
		const input = { params: { id }, body: { files: { "a.txt": "a".repeat(2 * MB) } } };
		const leave = await takeAll();
		const waiting = agent.send(quickSubmit, input);
		expect((await agent.send(quickSubmit, { params: { id }, body: { files: { a: "small" } } })).status).toBe(201);
		leave();
		expect((await waiting).status).toBe(201);
		const leaveLate = await takeAll();
		const response = await agent.send(quickSubmit, input);
		leaveLate();
		expect([response.status, response.headers.get("Retry-After")]).toEqual([503, "5"]);
		expect(await response.json()).toMatchObject({ error: { code: "SERVICE_BUSY" } });
		const answers = await Promise.all(Array.from({ length: 4 }, () => agent.send(quickSubmit, input)));
		expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201]);
	});
});

describe("the gate of memory", () => {
	const isIn = (turn: Promise<unknown>) => Promise.race([turn.then(() => true), Promise.resolve().then(() => false)]);

	it("opens again when a request has gone without leaving", async () => {
		const gate = new MemoryGate({ capacityBytes: MB, maxTurnMs: 90_000 });
		const clock = manualClock();
		const leaveLate = await gate.enter(clock, MB);
		clock.advance(90_000);
		const leave = await gate.enter(clock, MB);
		// The first one has lost its turn, so its leaving lets nobody in.
		leaveLate();
		const third = gate.enter(clock, MB);
		expect(await isIn(third)).toBe(false);
		leave();
		clock.advance(100);
		await third;
	});

	it("admits as many bytes as there is room for, and what is larger than all of it alone", async () => {
		const gate = new MemoryGate({ capacityBytes: 10 * MB, maxTurnMs: 90_000 });
		const clock = manualClock();
		const leaves = [await gate.enter(clock, 6 * MB), await gate.enter(clock, 4 * MB)];
		const [small, huge] = [gate.enter(clock, MB), gate.enter(clock, 99 * MB)];
		expect(await isIn(small)).toBe(false);
		leaves.pop()?.();
		clock.advance(100);
		leaves.push(await small);
		expect(await isIn(huge)).toBe(false);
		for (const leave of leaves) leave();
		clock.advance(100);
		await huge;
		const late = gate.enter(clock, MB);
		const refused = expect(late).rejects.toMatchObject({ code: "SERVICE_BUSY", facts: { retryAfterSeconds: 5 } });
		for (let step = 0; step < 60; step += 1) {
			clock.advance(100);
			await Promise.resolve();
		}
		await refused;
	});
});

describe("zips with thousands of long names", () => {
	const world = createWorld();
	const NAMES = 9_999;
	/** A list of files that takes all the room while it is read. */
	const zip = () => {
		const files = Array.from({ length: NAMES }, (_, index) => [`${"long-name/".repeat(49)}${index}.js`, new Uint8Array([10])] as const);
		return zipSync({ ...Object.fromEntries(files), "SUBMISSION.md": strToU8("# What I Built\n") }, { level: 0 });
	};

	async function upload(count: number) {
		const taskId = await openTask(poster, { max_submissions_per_agent: 25 });
		const bytes = zip();
		const ids: string[] = [];
		for (let index = 0; index < count; index += 1) {
			const { id, upload_url } = await register(agent, taskId);
			await putTo(agent, upload_url, bytes);
			ids.push(id);
		}
		return ids;
	}

	const complete = (id: string) => world.enter(agent, { clock: systemClock }).send(completeSubmission, { params: { id } });
	const read = (id: string) => agent.call(getSubmission, { params: { id } });

	it("are completed as memory allows: who must wait is told when to repeat, and then succeeds", async () => {
		const ids = await upload(8);
		const leave = await takeAll();
		const refused = await complete(ids[0] ?? "");
		leave();
		expect([refused.status, refused.headers.get("Retry-After")]).toEqual([503, "5"]);
		expect(await refused.json()).toMatchObject({ error: { code: "SERVICE_BUSY" } });
		expect((await read(ids[0] ?? "")).status).toBe("registered");
		const responses = await Promise.all(ids.map(async (id) => ({ id, response: await complete(id) })));
		const waiting = responses.filter(({ response }) => response.status === 503);
		expect(waiting.map(({ response }) => response.headers.get("Retry-After"))).toEqual(waiting.map(() => "5"));
		for (const { id } of waiting) expect((await complete(id)).status).toBe(200);
		expect(new Set(responses.map(({ response }) => response.status))).not.toContain(500);
		for (const id of ids) expect((await read(id)).status).toBe("running");
	});

	it("are judged later when memory is taken, which costs no attempt", async () => {
		const [id = ""] = await upload(1);
		expect((await complete(id)).status).toBe(200);
		const job = await readJob(id);
		const leave = await takeAll();
		const visit = await runEvaluation(world.deps({ clock: systemClock }), job.id);
		leave();
		expect(visit).toMatchObject({ delayMs: 5_000 });
		expect(await queryOne("select faults from evaluation_jobs where id = ?", job.id)).toEqual({ faults: 0 });
		expect((await read(id)).status).toBe("running");
		world.clock.advance(120_000);
		expect(await runEvaluation(world.deps(), job.id)).toBeNull();
		expect((await read(id)).status).toBe("completed");
	});

	it("list their files and show one when there is room", async () => {
		const [id = ""] = await upload(1);
		expect((await complete(id)).status).toBe(200);
		const leave = await takeAll();
		const busy = agent.refused(listSubmissionFiles, "SERVICE_BUSY", { params: { id } });
		await busy.finally(leave);
		expect((await agent.call(listSubmissionFiles, { params: { id } })).data[0]?.path).toBe("SUBMISSION.md");
		const file = await agent.send(readSubmissionFile, { params: { id, path: "SUBMISSION.md" } });
		expect(await file.text()).toBe("# What I Built\n");
	});
});

describe("a large file of a workspace", () => {
	it.each([
		["JSON", { body: { path: "a.bin", content_base64: "AAAA".repeat(MB / 2) } }],
		["bytes", { rawBody: new Uint8Array(2 * MB), headers: { "X-Workspace-Path": "a.bin", "Content-Type": "application/octet-stream" } }],
	] as const)("as %s waits for room, like every body that is held", async (_, input) => {
		const leave = await takeAll();
		await agent.refused(storeFile, "SERVICE_BUSY", input).finally(leave);
		expect((await agent.call(storeFile, input)).path).toBe("a.bin");
	});
});

describe("a large upload of unknown length", () => {
	it("waits for room, and is stored when it is repeated", async () => {
		const { id } = await register(agent, await openTask(poster));
		const input = () => ({ params: { id }, rawBody: countedStream(zeros(2 * MB)).stream, headers: { "Content-Type": "application/zip" } });
		const leave = await takeAll();
		await agent.refused(uploadArtifact, "SERVICE_BUSY", input()).finally(leave);
		expect(await agent.call(uploadArtifact, input())).toMatchObject({ bytes: 2 * MB });
	});
});

describe("a large body that anyone may send", () => {
	it("does not wait, so that it cannot make others wait", async () => {
		const id = await openTask(poster);
		const { id: submissionId } = await register(agent, id);
		const body = { callback_token: "x", final_score: 1, reasoning: "a".repeat(2 * MB) };
		const leave = await takeAll();
		const response = await agent.send(postExternalScore, {
			params: { id: submissionId },
			rawBody: JSON.stringify(body),
			headers: JSON_TYPE,
		});
		leave();
		expect(response.status).not.toBe(503);
	});
});

describe("a large form", () => {
	const formOf = (filename: string, content: string) => {
		const form = new FormData();
		form.set("field", "description");
		form.set("file", new File([content], filename));
		return form;
	};
	const large = " ".repeat(2 * MB);

	it.each([
		["test suite", uploadTestSuite, "suite.json"],
		["attachment", addAttachment, "notes.txt"],
	] as const)("of a %s waits for the turn that another large body has; a small one does not", async (_, contract, filename) => {
		const { id } = await createDraft(poster);
		const leave = await takeAll();
		try {
			await poster.refused(contract, "SERVICE_BUSY", { params: { id }, rawBody: formOf(filename, large) });
			const small = await poster.send(contract, { params: { id }, rawBody: formOf(filename, "{}") });
			expect(small.status).not.toBe(503);
		} finally {
			leave();
		}
		const after = await poster.send(contract, { params: { id }, rawBody: formOf(filename, large) });
		expect(after.status).not.toBe(503);
		// Its turn has ended, so the next one need not wait.
		(await takeAll())();
	});

	it("is refused for its task before it waits", async () => {
		const { id } = await createDraft(poster);
		const leave = await takeAll();
		try {
			await agent.refused(uploadTestSuite, "NOT_FOUND", { params: { id }, rawBody: formOf("suite.json", large) });
			await agent.refused(addAttachment, "NOT_FOUND", { params: { id }, rawBody: formOf("notes.txt", large) });
		} finally {
			leave();
		}
	});
});
