// The verb cloneTask: a new draft made of a task that the poster has already. Its own file, because it also copies a test suite.
import type { z } from "zod";
import { AppError } from "../../domain/errors.ts";
import { LAST_INSTANT_MS } from "../../http/fields.ts";
import type { Ctx } from "../../ports/deps.ts";
import { decideWithObject } from "../stored-objects/service.ts";
import { criterionRows, insertDraft, newTaskRow } from "./drafts.ts";
import * as rules from "./rules.ts";
import type { cloneTaskRequest, createTaskRequest } from "./schemas.ts";
import { readOwnTask } from "./service.ts";
import type { TaskRow } from "./store.ts";
import { testSuiteObjects } from "./test-suite.ts";

type CloneInput = z.output<typeof cloneTaskRequest>;

/**
 * Copies a task of the caller's, in any state, into a new draft. Contract: additions, "The poster's loop".
 *
 * @throws AppError `INVALID_BODY`, `INVALID_WEIGHTS`, `BAD_REQUEST` as for a new task; `CONFLICT` when the test suite is
 *   replaced while it is copied.
 */
export async function cloneTask(ctx: Ctx, taskId: string, { criteria, ...input }: CloneInput) {
	const { task: source, criteria: sourceCriteria } = await readOwnTask(ctx, taskId);
	if (criteria !== undefined) rules.assertRubricWeights(criteria);
	const now = ctx.clock.now();
	const task = newTaskRow(ctx, mergeFields(source, input, now), now);
	const rows = criteria === undefined ? sourceCriteria.map((row) => ({ ...row, taskId: task.id })) : criterionRows(task.id, criteria);
	if (source.testSuiteKey === null) return insertDraft(ctx, task, rows);
	const { testSuiteKey: sourceKey, testSuiteCases, testSuitePublicCases, testSuiteBytes, testSuiteSha256 } = source;
	const key = `${testSuiteObjects.prefix}${task.id}/${ctx.ids.next()}.json`;
	const suite = { testSuiteKey: key, testSuiteCases, testSuitePublicCases, testSuiteBytes, testSuiteSha256 };
	return decideWithObject(ctx, { of: testSuiteObjects, key, store: () => copySuite(ctx, sourceKey, key) }, async ({ put }) => {
		await put();
		return insertDraft(ctx, { ...task, ...suite }, rows);
	});
}

/** Each version of a suite has its own key, so what is copied is what the row describes. At most 5 MB. */
async function copySuite({ bucket }: Ctx, from: string, to: string): Promise<void> {
	const object = await bucket.get(from);
	if (object === null) throw new AppError("CONFLICT", { message: "The task's test suite was replaced while it was copied. Try again." });
	await bucket.put(to, await object.arrayBuffer(), { httpMetadata: { contentType: "application/json" } });
}

/** The creation fields of a new task. The compiler finds a creation field that the copy lacks. */
type CreationFields = Required<Omit<z.output<typeof createTaskRequest>, "criteria">>;

/** The fields of the source, with the caller's in their place. A new mode brings its default weights, as in a draft. */
export function mergeFields(source: TaskRow, input: Omit<CloneInput, "criteria">, now: number): CreationFields {
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
