import * as z from "zod";
import { taskRequestFields } from "#fields";
import type { TaskRow } from "../../../db/task/schema/task.ts";
import { AppError } from "../../../domain/errors.ts";
import { ID } from "../../../domain/example-story.ts";
import { endpoint } from "../../../http/endpoint.ts";
import { idParams, LAST_INSTANT_MS } from "../../../http/fields.ts";
import { answerOnce } from "../../../http/repeated-calls.ts";
import { partOf } from "../../../platform/ids.ts";
import type { Ctx } from "../../../ports/deps.ts";
import { commitUse } from "../../identity/network-caps/service.ts";
import { type createTask, newDraft } from "./create-task.ts";
import { createdTaskView, exampleDraft, insertDraft } from "./draft.ts";
import { copyRubric, criteriaInput, criterionRows, exampleRubric } from "./rubric.ts";
import * as rules from "./rules.ts";
import { getOwnTask } from "./store.ts";
import { newSuiteKey, storeSuite, viewTestSuite } from "./test-suite.ts";
import { assertValues, updateTask } from "./update-task.ts";

const { deadline, ...otherFields } = updateTask.body.schema.shape;

/** The fields of a new task, all of them optional and without defaults. */
const cloneTaskRequest = z
	.object({
		...otherFields,
		deadline: deadline.describe(
			"The new task's deadline for submissions. Must be at least 24 hours from now. Default: the copy gets as much time as the original had between creation and deadline, but at least 24 hours.",
		),
		criteria: criteriaInput.optional().describe("The rubric. Default: the rubric of the original."),
		test: z
			.boolean()
			.optional()
			.describe("Whether the new task is a test task. Default: the same as the original. A new test task's clock starts at the real time."),
	})
	.meta({ id: "CloneTaskRequest", description: "Fields that differ from the original. Fields that you leave out are copied." });

export const cloneTask = endpoint({
	method: "post",
	path: "/api/v1/tasks/{id}/clone",
	operationId: "cloneTask",
	summary: "Copy one of your tasks to a new draft",
	description: [
		"Copies all fields that you can set for a new task, the rubric and the test suite, but not the attachments. Fields that you send replace the copied ones. Works in every state of the task.",
		"Without `deadline`, the copy gets as much time as the original had between creation and deadline, but at least 24 hours.",
		"A copy of an external task gets a new `eval_callback_token`, which only this response contains. If you change `eval_mode`, the weights become the new mode's defaults, unless you send weights.",
	].join("\n\n"),
	tags: ["Poster"],
	auth: "key",
	rate: "mutation",
	idempotent: true,
	params: idParams,
	body: { schema: cloneTaskRequest, required: false },
	response: { status: 201, description: "The new draft.", schema: createdTaskView, carriesSecret: true },
	errors: ["NOT_FOUND", "FORBIDDEN", "INVALID_WEIGHTS", "BAD_REQUEST"],
	page: "concepts/tasks",
	examples: {
		params: { id: ID.task },
		bodies: {
			copy: { summary: "The same task again", value: {} },
			changed: { summary: "With another title and budget", value: { title: "Merge bank exports, part two", budget_cents: 300_000 } },
		},
		responses: { draft: { value: { ...exampleDraft, id: ID.externalTask, rubric_criteria: exampleRubric } } },
	},

	handle: (ctx, { params, body: { criteria, ...changes }, repeatable }) =>
		answerOnce(ctx, repeatable, {
			make: async (replies) => {
				if (criteria !== undefined) rules.assertRubricWeights(criteria);
				assertValues(ctx, changes);
				const { task: source, criteria: sourceCriteria } = await getOwnTask(ctx, params.id);
				const now = ctx.clock.now();
				const draft = newDraft(ctx, mergeFields(source, changes, now), now);
				const rows = criteria === undefined ? copyRubric(sourceCriteria) : criterionRows(criteria);
				const bytes = source.testSuiteKey === null ? null : await readSuite(ctx, source.testSuiteKey);
				if (bytes !== null) await commitUse(ctx, { agentId: ctx.actor.agentId, kind: "bytes", amount: bytes.byteLength });
				const { response: created, facts } = await insertDraft(
					ctx,
					{ ...draft, id: await replies.claimId(partOf(ctx.actor.agentId)) },
					rows,
				);
				const cloned = bytes === null ? created : { ...created, test_suite: await copySuite(ctx, created.id, { source, bytes }) };
				await replies.save(cloned, facts);
				return cloned;
			},
		}),
});

async function copySuite(ctx: Ctx, taskId: string, { source, bytes }: { readonly source: TaskRow; readonly bytes: Uint8Array }) {
	const { testSuiteCases, testSuitePublicCases, testSuiteBytes, testSuiteSha256 } = source;
	const key = newSuiteKey(ctx, taskId);
	const suite = { testSuiteKey: key, testSuiteCases, testSuitePublicCases, testSuiteBytes, testSuiteSha256 };
	await storeSuite(ctx, taskId, { key, bytes, suite });
	return viewTestSuite(suite);
}

/**
 * Reads the original's suite, at most 5 MB. Each version of a suite has its own key, so the bytes are those that the row describes.
 *
 * @throws AppError `CONFLICT` if the suite was replaced after the row was read.
 */
async function readSuite({ bucket }: Ctx, key: string): Promise<Uint8Array> {
	const object = await bucket.get(key);
	if (object === null)
		throw new AppError("CONFLICT", { message: "The task's test suite was replaced while it was being copied. Try again." });
	return new Uint8Array(await object.arrayBuffer());
}

/** Requires every field of a new task, so that the compiler reports any field that the copy lacks. */
type CreationFields = Required<Omit<z.output<typeof createTask.body.schema>, "criteria">>;

/** Replaces the source's fields with the caller's. A new mode brings its default weights, as when a draft changes. */
function mergeFields(source: TaskRow, input: Omit<z.output<typeof cloneTaskRequest>, "criteria">, now: number): CreationFields {
	const { change } = rules.changedEvaluation(source, input);
	const test = input.test ?? source.isTest;
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
		...taskRequestFields.ofClone(source, input, change.evalMode),
		test,
		access: input.access ?? (test ? "invited" : source.access),
		sealed: change.sealed,
	};
}

/** Null removes the text, and undefined copies it. */
function replaced(given: string | null | undefined, copied: string | null): string | null {
	return given === undefined ? copied : given;
}
