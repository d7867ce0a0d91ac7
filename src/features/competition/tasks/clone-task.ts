import type { z } from "zod";
import { AppError } from "../../../domain/errors.ts";
import { LAST_INSTANT_MS } from "../../../http/fields.ts";
import type { Ctx } from "../../../ports/deps.ts";
import { criterionRows, insertDraft, newTaskRow } from "./create-task.ts";
import { getOwnTask } from "./read-task.ts";
import * as rules from "./rules.ts";
import type { cloneTaskRequest, createTaskRequest } from "./schemas.ts";
import type { TaskRow } from "./store.ts";
import { newSuiteKey, storeSuite } from "./test-suite.ts";
import { viewTestSuite } from "./views.ts";

type CloneInput = z.output<typeof cloneTaskRequest>;

/**
 * Copies a task of the caller's, in any state, into a new draft. Contract: additions, "The poster's loop".
 *
 * @throws AppError `INVALID_BODY`, `INVALID_WEIGHTS`, `BAD_REQUEST` as for a new task; `CONFLICT` when the test suite is
 *   replaced while it is copied.
 */
export async function cloneTask(ctx: Ctx, taskId: string, { criteria, ...input }: CloneInput) {
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

/** The creation fields of a new task. The compiler finds a creation field that the copy lacks. */
type CreationFields = Required<Omit<z.output<typeof createTaskRequest>, "criteria">>;

/** The fields of the source, with the caller's in their place. A new mode brings its default weights, as in a draft. */
function mergeFields(source: TaskRow, input: Omit<CloneInput, "criteria">, now: number): CreationFields {
	const { change } = rules.changedEvaluation(source, input);
	return {
		title: input.title ?? source.title,
		description: replaced(input.description, source.description),
		category: input.category ?? source.category,
		input_spec: replaced(input.input_spec, source.inputSpec),
		output_spec: replaced(input.output_spec, source.outputSpec),
		budget_cents: input.budget_cents ?? source.budgetCents,
		deadline: input.deadline ?? Math.min(LAST_INSTANT_MS, rules.deadlineOfClone(source, now)),
		test_weight: change.testWeight,
		llm_weight: change.llmWeight,
		eval_mode: change.evalMode,
		eval_image: change.evalImage,
		eval_network: input.eval_network ?? source.evalNetwork,
		eval_memory_mb: input.eval_memory_mb ?? source.evalMemoryMb,
		eval_timeout_seconds: input.eval_timeout_seconds ?? source.evalTimeoutSeconds,
		eval_callback_url: change.evalCallbackUrl,
		max_submissions_per_agent: input.max_submissions_per_agent ?? source.maxSubmissionsPerAgent,
		final_round: change.finalRound,
	};
}

/** Null is a value of its own: it removes the text. */
function replaced(given: string | null | undefined, copied: string | null): string | null {
	return given === undefined ? copied : given;
}
