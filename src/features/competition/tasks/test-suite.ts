import { tasks } from "../../../db/task/schema/task.ts";
import { AppError, invalidInput } from "../../../domain/errors.ts";
import { type FormWithFile, readFormWithFile } from "../../../http/form.ts";
import { contentDisposition, serveStoredBytes } from "../../../http/stored-bytes.ts";
import { faultsOf } from "../../../http/validation.ts";
import { sha256Hex } from "../../../platform/crypto.ts";
import type { Ctx, SignedCtx } from "../../../ports/deps.ts";
import { type TestCase, testSuite } from "../../../ports/grading.ts";
import { taskVerb } from "../../../ports/task.ts";
import { countStoredBytes } from "../../identity/network-caps/service.ts";
import { getOwnTask } from "./read-task.ts";
import * as rules from "./rules.ts";
import { readOwnTask, type TaskRow, updateTask } from "./store.ts";
import { storeThenRefer, suiteKey } from "./stored-objects.ts";
import { viewTestSuite } from "./views.ts";

/** A test suite and its facts, as the columns of a task. */
export type SuiteColumns = Pick<TaskRow, "testSuiteKey" | "testSuiteCases" | "testSuitePublicCases" | "testSuiteBytes" | "testSuiteSha256">;

/** Gives a draft its test suite. Returns the key of the one before. */
export const setTestSuite = taskVerb("setTestSuite", (task, { by, suite }: { by: string; suite: SuiteColumns }) => {
	const found = readOwnTask(task, by);
	// A repeated call must not be refused, because its object is in use.
	if (found.testSuiteKey === suite.testSuiteKey) return { replacedKey: null };
	rules.assertEditable(found);
	updateTask(task, suite);
	return { replacedKey: found.testSuiteKey };
});

export const findTestSuiteKey = taskVerb("findTestSuiteKey", ({ db }, _input: null) => {
	const row = db.select({ key: tasks.testSuiteKey }).from(tasks).get();
	return row?.key ?? null;
});

/** A key for a new version of a task's suite. */
export function newSuiteKey(ctx: Ctx, taskId: string): string {
	return suiteKey(taskId, ctx.ids.next());
}

/** Stores the bytes of a suite and gives it to a draft of the caller's. The object of the one before is deleted in the background. */
export async function storeSuite(ctx: Ctx, taskId: string, { key, bytes, suite }: { key: string; bytes: Uint8Array; suite: SuiteColumns }) {
	const store = () => ctx.bucket.put(key, bytes, { httpMetadata: { contentType: "application/json" } });
	const { replacedKey } = await storeThenRefer(ctx, { key, store }, () =>
		ctx.hubs.callTask(taskId, setTestSuite, { input: { by: ctx.actor.agentId, suite }, now: ctx.clock.now() }),
	);
	if (replacedKey !== null) ctx.background(ctx.bucket.delete(replacedKey));
}

/** Each case is a run of the image, so more cases would exceed the time limit. */
const boundedSuite = testSuite
	.extend({ test_cases: testSuite.shape.test_cases.max(rules.MAX_TEST_CASES) })
	.superRefine(({ test_cases }, context) => {
		for (const [index, testCase] of test_cases.entries()) {
			const fault = rules.findTestCaseFault(testCase);
			if (fault !== null) context.addIssue({ code: "custom", path: ["test_cases", index, fault.field], message: fault.message });
		}
	});

/** @throws AppError `UNSUPPORTED_FILE_TYPE`, `VALIDATION_ERROR`. */
function parseSuite({ filename, mediaType, bytes }: FormWithFile["file"]): { bytes: Uint8Array; cases: readonly TestCase[] } {
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

/** Gives a draft its test suite, in place of the one before. Contract: "Test suite". */
export async function uploadTestSuite(ctx: Ctx, taskId: string, request: Request) {
	const { bytes, cases } = parseSuite((await readFormWithFile(request, rules.MAX_TEST_SUITE_BYTES, ctx.clock)).file);
	rules.assertEditable((await getOwnTask(ctx, taskId)).task);
	await countStoredBytes(ctx, ctx.actor.agentId, bytes.byteLength);
	const key = newSuiteKey(ctx, taskId);
	const suite = await suiteColumns(key, bytes, cases);
	await storeSuite(ctx, taskId, { key, bytes, suite });
	return { task_id: taskId, ...viewTestSuite(suite) };
}

async function suiteColumns(key: string, bytes: FormWithFile["file"]["bytes"], cases: ReturnType<typeof parseSuite>["cases"]) {
	return {
		testSuiteKey: key,
		testSuiteCases: cases.length,
		testSuitePublicCases: cases.filter((testCase) => testCase.public).length,
		testSuiteBytes: bytes.byteLength,
		testSuiteSha256: await sha256Hex(bytes),
	};
}

/** The suite as it was uploaded, for the holder of a signed URL. */
export async function downloadTestSuite(ctx: SignedCtx, taskId: string): Promise<Response> {
	const key = await ctx.hubs.callTask(taskId, findTestSuiteKey, { input: null, now: ctx.clock.now() });
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
