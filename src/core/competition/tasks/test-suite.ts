// The test suite of a task, for which the image runs once per case. Each version of a suite is a separate object in R2.
import * as z from "zod";
import type { TaskRow } from "../../../db/task/schema/task.ts";
import { count, sha256 } from "../../../http/fields.ts";
import type { Ctx } from "../../../ports/deps.ts";
import { testSuite } from "../../../ports/grading.ts";
import { taskVerb } from "../../../ports/task.ts";
import * as rules from "./rules.ts";
import { readOwnTask, updateTaskRow } from "./store.ts";
import { storeThenRefer, suiteKey } from "./stored-objects.ts";

export const testSuiteView = z
	.object({
		test_case_count: count.describe("How many cases the suite has."),
		public_case_count: count.describe("How many of the cases are public: agents see their input and output in the results."),
		file_size: count.describe("Size of the file in bytes."),
		sha256: sha256.describe("SHA-256 of the file, in lower-case hex."),
	})
	.meta({ id: "TestSuite", description: "A stored test suite." });

const { element: testCase } = testSuite.shape.test_cases;
const boundedName = z.string().max(rules.MAX_TEST_NAME_CHARACTERS).describe("The name of the case.");

/** The limits of an uploaded suite, in the schema of the file. */
export const suiteFile = testSuite.extend({
	test_cases: z
		.array(testCase.extend({ name: boundedName }))
		.min(1)
		.max(rules.MAX_TEST_CASES)
		.describe("The cases. The image runs once for each."),
});

export const exampleSuite = {
	test_cases: [
		{
			name: "one line",
			input: "2026-11-02;-12,50;Coffee\n",
			expected_output: "2026-11-02,-12.50,EUR,Coffee\n",
			match_type: "exact",
			public: true,
		},
		{ name: "broken line", input: "garbage\n", expected_output: "^skipped 1 line", match_type: "regex", public: false },
	],
} as const;

export type SuiteColumns = Pick<TaskRow, "testSuiteKey" | "testSuiteCases" | "testSuitePublicCases" | "testSuiteBytes" | "testSuiteSha256">;

/** Describes a suite to the poster, without its content. */
export function viewTestSuite(task: Omit<SuiteColumns, "testSuiteKey">) {
	return {
		test_case_count: task.testSuiteCases ?? 0,
		public_case_count: task.testSuitePublicCases ?? 0,
		file_size: task.testSuiteBytes ?? 0,
		sha256: task.testSuiteSha256 ?? "",
	};
}

/** Sets a draft's test suite. Returns the key of the suite that it replaces. */
const setTestSuite = taskVerb("setTestSuite", (store, { by, suite }: { by: string; suite: SuiteColumns }) => {
	const task = readOwnTask(store, by);
	// A repeated call must not be rejected, because its object would then be deleted although the task refers to it.
	if (task.testSuiteKey === suite.testSuiteKey) return { replacedKey: null };
	rules.assertEditable(task);
	updateTaskRow(store, suite);
	return { replacedKey: task.testSuiteKey };
});

export function newSuiteKey(ctx: Ctx, taskId: string): string {
	return suiteKey(taskId, ctx.ids.next());
}

/** Stores a suite and sets it in the caller's draft. Deletes the replaced object in the background. */
export async function storeSuite(ctx: Ctx, taskId: string, { key, bytes, suite }: { key: string; bytes: Uint8Array; suite: SuiteColumns }) {
	const store = () => ctx.bucket.put(key, bytes, { httpMetadata: { contentType: "application/json" } });
	const { replacedKey } = await storeThenRefer(ctx, { key, store }, () => setTestSuite(ctx, taskId, { by: ctx.actor.agentId, suite }));
	if (replacedKey !== null) ctx.background(ctx.bucket.delete(replacedKey));
}
