// The verbs of a task's test suite: uploaded to a draft, read by the grader.

import { commit, decideAndCommit } from "../../db/commit.ts";
import { AppError, invalidInput } from "../../domain/errors.ts";
import { readFormWithFile } from "../../http/form.ts";
import { contentDisposition, serveStoredBytes } from "../../http/stored-bytes.ts";
import { faultsOf } from "../../http/validation.ts";
import { HOUR_MS } from "../../platform/clock.ts";
import { sha256Hex } from "../../platform/crypto.ts";
import type { Ctx, SignedCtx } from "../../ports/deps.ts";
import { testSuite } from "../../ports/grading.ts";
import * as rules from "./rules.ts";
import { taskNotFound } from "./service.ts";
import * as statements from "./statements.ts";
import * as store from "./store.ts";
import { viewTestSuite } from "./views.ts";

/** An object that was stored this long ago and still has no row never gets one. */
const ABANDONED_MS = HOUR_MS;

/** Each case is a run of the image, so more would not end in time. */
const boundedSuite = testSuite
	.extend({ test_cases: testSuite.shape.test_cases.max(rules.MAX_TEST_CASES) })
	.superRefine(({ test_cases }, context) => {
		for (const [index, testCase] of test_cases.entries()) {
			const fault = rules.findTestCaseFault(testCase);
			if (fault !== null) context.addIssue({ code: "custom", path: ["test_cases", index, fault.field], message: fault.message });
		}
	});

/**
 * Gives a draft its test suite, in place of the one before. The object is noted as discarded before it is stored, and the commit that
 * points the task at it takes that back and notes the one before instead: a crash leaves nothing that the sweep does not find.
 */
export async function uploadTestSuite(ctx: Ctx, taskId: string, request: Request) {
	const { bytes, cases } = await readSuite(request);
	const key = `test-suites/${taskId}/${ctx.ids.next()}.json`;
	const suite = { testSuiteKey: key, testSuiteCases: cases, testSuiteBytes: bytes.byteLength, testSuiteSha256: await sha256Hex(bytes) };
	let isStored = false;
	try {
		return await decideAndCommit(ctx.db, async () => {
			const now = ctx.clock.now();
			const task = await store.reserveObject(ctx, { taskId, agentId: ctx.actor.agentId, key, dueAt: now + ABANDONED_MS });
			if (task === null || !rules.canSeeTask(task, ctx.actor.agentId)) throw taskNotFound();
			rules.assertOwner(task, ctx.actor.agentId);
			rules.assertEditable(task);
			if (!isStored) await ctx.bucket.put(key, bytes, { httpMetadata: { contentType: "application/json" } });
			isStored = true;
			await commit(ctx.db, [
				statements.guardRevision(ctx, task),
				statements.updateTask(ctx, taskId, suite),
				...statements.replaceObject(ctx, { key, replacedKey: task.testSuiteKey, now }),
			]);
			return { task_id: taskId, ...viewTestSuite(suite) };
		});
	} catch (error) {
		// An unknown fault may have struck after the commit, so only a known refusal gives the object up.
		if (error instanceof AppError && isStored) ctx.background(ctx.bucket.delete(key));
		throw error;
	}
}

/** @throws AppError `FILE_TOO_LARGE`, `UNSUPPORTED_FILE_TYPE`, `VALIDATION_ERROR`, `BAD_REQUEST`. */
async function readSuite(request: Request): Promise<{ bytes: Uint8Array; cases: number }> {
	const { filename, mediaType, bytes } = (await readFormWithFile(request, rules.MAX_TEST_SUITE_BYTES)).file;
	const isJsonFile = filename === null ? mediaType === "application/json" : /\.json$/i.test(filename);
	if (!isJsonFile) {
		const message = "A test suite is a .json file. Rename or convert the file, or send it as application/json without a file name.";
		throw new AppError("UNSUPPORTED_FILE_TYPE", { message });
	}
	const parsed = boundedSuite.safeParse(parseJson(bytes));
	if (!parsed.success) throw invalidInput("VALIDATION_ERROR", faultsOf(parsed.error));
	return { bytes, cases: parsed.data.test_cases.length };
}

function parseJson(bytes: Uint8Array): unknown {
	try {
		return JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes));
	} catch (cause) {
		const reason = cause instanceof SyntaxError ? cause.message : "it is not UTF-8";
		throw invalidInput("VALIDATION_ERROR", [{ path: "file", message: `is not valid JSON: ${reason}` }]);
	}
}

/** The suite as it was uploaded, for the holder of a signed URL. */
export async function downloadTestSuite(ctx: SignedCtx, taskId: string): Promise<Response> {
	const key = await store.findTestSuiteKey(ctx, taskId);
	const object = key === null ? null : await ctx.bucket.get(key);
	if (object === null) throw new AppError("NOT_FOUND", { message: "The task has no test suite." });
	return serveStoredBytes({
		body: object.body,
		sizeBytes: object.size,
		etag: object.httpEtag,
		contentType: "application/json",
		contentDisposition: contentDisposition("test_suite.json"),
	});
}
