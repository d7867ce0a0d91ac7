import type { z } from "zod";
import { AppError } from "../../../domain/errors.ts";
import type { Ctx } from "../../../ports/deps.ts";
import { mergeFields } from "../../tasks/clone.ts";
import * as rules from "../../tasks/rules.ts";
import type { cloneTaskRequest } from "../../tasks/schemas.ts";
import { viewTestSuite } from "../../tasks/views.ts";
import { criterionRows, insertDraft, newTaskRow } from "./create-task.ts";
import { getOwnTask } from "./read-task.ts";
import { newSuiteKey, storeSuite } from "./test-suite.ts";

/**
 * Copies a task of the caller's, in any state, into a new draft. Contract: additions, "The poster's loop".
 *
 * @throws AppError `INVALID_BODY`, `INVALID_WEIGHTS`, `BAD_REQUEST` as for a new task; `CONFLICT` when the test suite is
 *   replaced while it is copied.
 */
export async function cloneTask(ctx: Ctx, taskId: string, { criteria, ...input }: z.output<typeof cloneTaskRequest>) {
	const { task: source, criteria: sourceCriteria } = await getOwnTask(ctx, taskId);
	if (criteria !== undefined) rules.assertRubricWeights(criteria);
	const now = ctx.clock.now();
	const task = newTaskRow(ctx, mergeFields(source, input, now), now);
	const rows = criteria === undefined ? sourceCriteria : criterionRows(criteria);
	if (source.testSuiteKey === null) return insertDraft(ctx, task, rows);
	const bytes = await readSuite(ctx, source.testSuiteKey);
	const draft = await insertDraft(ctx, task, rows);
	const { testSuiteCases, testSuitePublicCases, testSuiteBytes, testSuiteSha256 } = source;
	const key = newSuiteKey(ctx, task.id);
	const suite = { testSuiteKey: key, testSuiteCases, testSuitePublicCases, testSuiteBytes, testSuiteSha256 };
	await storeSuite(ctx, task.id, { key, bytes, suite });
	return { ...draft, test_suite: viewTestSuite(suite) };
}

/** Each version of a suite has its own key, so what is copied is what the row describes. At most 5 MB. */
async function readSuite({ bucket }: Ctx, key: string): Promise<Uint8Array> {
	const object = await bucket.get(key);
	if (object === null) throw new AppError("CONFLICT", { message: "The task's test suite was replaced while it was copied. Try again." });
	return new Uint8Array(await object.arrayBuffer());
}
