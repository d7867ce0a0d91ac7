// The verbs of a task's test suite: uploaded to a draft, read by the grader.

import { commit } from "../../db/commit.ts";
import { guardTaskRevision } from "../../db/conditions.ts";
import { AppError, invalidInput } from "../../domain/errors.ts";
import { type FormWithFile, readFormWithFile } from "../../http/form.ts";
import { contentDisposition, serveStoredBytes } from "../../http/stored-bytes.ts";
import { faultsOf } from "../../http/validation.ts";
import { sha256Hex } from "../../platform/crypto.ts";
import type { Ctx, SignedCtx } from "../../ports/deps.ts";
import { type TestCase, testSuite } from "../../ports/grading.ts";
import { countForNetwork } from "../network-caps/service.ts";
import { decideWithObject, type StoredObjects } from "../stored-objects/service.ts";
import * as rules from "./rules.ts";
import { readOwnTask } from "./service.ts";
import * as statements from "./statements.ts";
import * as store from "./store.ts";
import { viewTestSuite } from "./views.ts";

/** Test suites, by task. */
export const testSuiteObjects: StoredObjects = { prefix: "test-suites/", selectUnreferenced: store.selectUnreferencedTestSuites };

/** Each case is a run of the image, so more cases would exceed the time limit. */
const boundedSuite = testSuite
	.extend({ test_cases: testSuite.shape.test_cases.max(rules.MAX_TEST_CASES) })
	.superRefine(({ test_cases }, context) => {
		for (const [index, testCase] of test_cases.entries()) {
			const fault = rules.findTestCaseFault(testCase);
			if (fault !== null) context.addIssue({ code: "custom", path: ["test_cases", index, fault.field], message: fault.message });
		}
	});

/** Gives a draft its test suite, in place of the one before, whose object is deleted in the background. */
export async function uploadTestSuite(ctx: Ctx, taskId: string, request: Request) {
	const { bytes, cases } = parseSuite((await readFormWithFile(request, rules.MAX_TEST_SUITE_BYTES, ctx.clock)).file);
	const key = `${testSuiteObjects.prefix}${taskId}/${ctx.ids.next()}.json`;
	const suite = {
		testSuiteKey: key,
		testSuiteCases: cases.length,
		testSuitePublicCases: cases.filter((testCase) => testCase.public).length,
		testSuiteBytes: bytes.byteLength,
		testSuiteSha256: await sha256Hex(bytes),
	};
	const storeSuite = () => ctx.bucket.put(key, bytes, { httpMetadata: { contentType: "application/json" } });
	return decideWithObject(ctx, { of: testSuiteObjects, key, store: storeSuite }, async ({ put }) => {
		const { task } = await readOwnTask(ctx, taskId);
		rules.assertEditable(task);
		await put();
		const counted = await countForNetwork(ctx, ctx.actor.agentId, { bytes: suite.testSuiteBytes });
		await commit(ctx.db, [guardTaskRevision(ctx.db, task), statements.updateTask(ctx, taskId, suite), ...counted]);
		if (task.testSuiteKey !== null) ctx.background(ctx.bucket.delete(task.testSuiteKey));
		return { task_id: taskId, ...viewTestSuite(suite) };
	});
}

/** @throws AppError `UNSUPPORTED_FILE_TYPE`, `VALIDATION_ERROR`. */
export function parseSuite({ filename, mediaType, bytes }: FormWithFile["file"]): { bytes: Uint8Array; cases: readonly TestCase[] } {
	const isJsonFile = filename === null ? mediaType === "application/json" : /\.json$/i.test(filename);
	if (!isJsonFile) {
		const message = "A test suite is a .json file. Rename or convert the file, or send it as application/json without a file name.";
		throw new AppError("UNSUPPORTED_FILE_TYPE", { message });
	}
	const parsed = boundedSuite.safeParse(parseJson(bytes));
	if (!parsed.success) throw invalidInput("VALIDATION_ERROR", faultsOf(parsed.error));
	return { bytes, cases: parsed.data.test_cases };
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
