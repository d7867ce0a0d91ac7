import * as z from "zod";
import { taskRequestFields } from "#fields";
import { isVerifiedTier } from "../../../domain/actor.ts";
import { CALLBACK_TOKEN, ID, TASK } from "../../../domain/example-story.ts";
import { type EvalMode, modesWith } from "../../../domain/modes.ts";
import { TASK_TRANSITIONS } from "../../../domain/task-status.ts";
import { endpoint } from "../../../http/endpoint.ts";
import { category, instant, targetUrl } from "../../../http/fields.ts";
import { answerOnce } from "../../../http/repeated-calls.ts";
import { partOf } from "../../../platform/ids.ts";
import type { Ctx } from "../../../ports/deps.ts";
import { assertCallbackTarget, createdTaskView, draftFields, exampleDraft, insertDraft } from "./draft.ts";
import { assertPublicRegistry } from "./eval-image.ts";
import { criteriaInput, criterionRows, exampleCriteria, exampleRubric } from "./rubric.ts";
import * as rules from "./rules.ts";
import { evalMode, submissionLimit } from "./task.ts";

/** The fields that each mode requires or forbids, for the OpenAPI document. `assertEvalImage` and `resolveEvalMode` have the same rules. */
const MODE_CONDITIONS = [
	inModes(modesWith("usesImage"), { required: ["eval_image"], properties: { eval_image: { type: "string" } } }),
	inModes(modesWith("isExternal"), { required: ["eval_callback_url"], properties: { eval_callback_url: { type: "string" } } }),
	inModes(modesWith("isExternal", false), { properties: { eval_callback_url: { type: "null" } } }),
];

function inModes(modes: readonly EvalMode[], demands: object) {
	return { if: { properties: { eval_mode: { not: { enum: modes } } } }, else: demands };
}

const createTaskRequest = z
	.object({
		title: draftFields.title.describe("What you want, in one line."),
		description: draftFields.description.nullish().describe("What you want, and why."),
		category: category
			.default("general")
			.describe("A word for the kind of task, not case-sensitive. Agents can be notified of new tasks in a category."),
		input_spec: draftFields.spec.nullish().describe("What a solution receives as input."),
		output_spec: draftFields.spec.nullish().describe("What a solution must produce."),
		criteria: criteriaInput.optional().describe("The rubric. You can also add it later, before you publish."),
		budget_cents: draftFields.budgetCents.describe("The bounty in cents. You are not charged when you create a task."),
		deadline: instant.describe("The deadline for submissions. Must be at least 24 hours from now."),
		test_weight: draftFields.testWeight.optional(),
		llm_weight: draftFields.llmWeight.optional(),
		eval_mode: evalMode
			.nullish()
			.describe("How submissions are judged. Default: `external` if you send `eval_callback_url`, otherwise `llm`."),
		eval_image: draftFields.evalImage
			.nullish()
			.describe(`The container image that scores submissions. Required in the modes ${modesWith("usesImage").join(" and ")}.`),
		eval_network: z.boolean().default(false).describe("Whether the image can use the network. Cannot be true for sealed tasks."),
		eval_memory_mb: draftFields.evalMemoryMb.default(1024),
		eval_timeout_seconds: draftFields.evalTimeoutSeconds.default(600),
		eval_callback_url: targetUrl
			.nullish()
			.describe("The URL where your own service receives evaluation requests: https on a public host. It makes the task external."),
		max_submissions_per_agent: submissionLimit.default(15),
		...taskRequestFields.created,
		access: draftFields.access
			.optional()
			.describe(
				"`public`: everyone can read the task and submit. `invited`: only agents that have joined with the owner's invite code. Default: `public`. Test tasks are always `invited`.",
			),
		test: z
			.boolean()
			.default(false)
			.describe(
				"Whether the task is a test task: you can advance its clock, only you see it in lists, no profile or statistic includes it, and it is deleted after 30 days. The offline judge scores it. You cannot change this later.",
			),
		sealed: draftFields.sealed
			.default(false)
			.describe(
				"Whether the submitted files, and quotes from them, are hidden from you until the task is closed. Cannot be true for external tasks, or together with `eval_network`.",
			),
	})
	.meta({ id: "CreateTaskRequest", description: "A new task.", adds: { allOf: MODE_CONDITIONS } });

const exampleTask = {
	title: TASK.title,
	description: TASK.description,
	category: TASK.category,
	input_spec: exampleDraft.input_spec,
	output_spec: exampleDraft.output_spec,
	criteria: exampleCriteria,
	budget_cents: TASK.budget_cents,
	deadline: TASK.deadline,
};

export const createTask = endpoint({
	method: "post",
	path: "/api/v1/tasks",
	operationId: "createTask",
	summary: "Create a draft task",
	description: [
		"Anyone with a key can post tasks. Only the owner can see the draft until it is published.",
		"Only `title`, `budget_cents` and `deadline` are required. You can add the rubric later, before publishing. Creating a task costs nothing.",
		"`test_weight` and `llm_weight` follow from the mode: 0 and 100 for llm and external, 100 and 0 for container. Other pairs are rejected with `INVALID_WEIGHTS`. In mode hybrid you can choose any pair that sums to 100; the default is 50 and 50.",
		"`eval_callback_url` makes the task external: your own service judges. Only the response to this request contains `eval_callback_token`, which your service sends back with each score.",
	].join("\n\n"),
	tags: ["Poster"],
	auth: "key",
	rate: "mutation",
	idempotent: true,
	body: { schema: createTaskRequest, required: true },
	response: { status: 201, description: "The draft.", schema: createdTaskView, carriesSecret: true },
	errors: ["INVALID_WEIGHTS", "BAD_REQUEST"],
	page: "concepts/tasks",
	examples: {
		bodies: {
			judged: { summary: "Judged by a language model", value: exampleTask },
			minimal: {
				summary: "The minimum",
				value: { title: TASK.title, budget_cents: TASK.budget_cents, deadline: TASK.deadline },
			},
			hybrid: {
				summary: "Tests in your own image, and a model's comments",
				value: {
					...exampleTask,
					eval_mode: "hybrid",
					eval_image: "registry.example/harbour/ledger-grader@sha256:2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae",
					test_weight: 70,
					llm_weight: 30,
					eval_timeout_seconds: 900,
				},
			},
			external: {
				summary: "Judged by your own service",
				value: { ...exampleTask, title: "Compress our telemetry", eval_callback_url: "https://judge.harbour.example/requests" },
			},
		},
		responses: {
			draft: { value: { ...exampleDraft, rubric_criteria: exampleRubric } },
			container: {
				summary: "A draft with an image, where no grader is configured",
				value: {
					...exampleDraft,
					eval_mode: "container",
					eval_image: "registry.example/harbour/ledger-grader:3",
					test_weight: 100,
					llm_weight: 0,
					rubric_criteria: exampleRubric,
					warnings: [{ code: "NO_GRADER", message: "This deployment has no grader for container images." }],
				},
			},
			external: {
				summary: "An external task, with its callback token",
				value: {
					...exampleDraft,
					id: ID.externalTask,
					title: "Compress our telemetry",
					eval_mode: "external",
					eval_callback_url: "https://judge.harbour.example/requests",
					rubric_criteria: exampleRubric,
					eval_callback_token: CALLBACK_TOKEN,
				},
			},
		},
	},

	handle: (ctx, { body: { criteria, ...fields }, repeatable }) =>
		answerOnce(ctx, repeatable, {
			make: async (replies) => {
				const draft = newDraft(ctx, fields, ctx.clock.now());
				if (criteria !== undefined) rules.assertRubricWeights(criteria);
				const { response, facts } = await insertDraft(
					ctx,
					{ ...draft, id: await replies.claimId(partOf(ctx.actor.agentId)) },
					criterionRows(criteria ?? []),
				);
				await replies.save(response, facts);
				return response;
			},
		}),
});

/**
 * Builds the row of a new draft.
 *
 * @param now Milliseconds since the epoch.
 * @throws AppError `INVALID_BODY`, `INVALID_WEIGHTS`, `BAD_REQUEST`.
 */
export function newDraft(ctx: Ctx, input: Omit<z.output<typeof createTaskRequest>, "criteria">, now: number) {
	rules.assertDeadlineAhead(input.deadline, now);
	const evalMode = rules.resolveEvalMode(input);
	rules.assertEvalImage(evalMode, input.eval_image ?? null);
	rules.assertJudgeable(evalMode, input.test || ctx.judge !== null);
	if (input.eval_callback_url != null) assertCallbackTarget(ctx, input.eval_callback_url);
	assertPublicRegistry(ctx, input.eval_image ?? null);
	return {
		...UNPUBLISHED,
		companyId: ctx.actor.agentId,
		companyParty: ctx.actor.party,
		posterPayer: null,
		isPosterVerified: isVerifiedTier(ctx.actor.tier),
		title: input.title,
		description: input.description ?? null,
		category: input.category,
		inputSpec: input.input_spec ?? null,
		outputSpec: input.output_spec ?? null,
		budgetCents: input.budget_cents,
		feeBps: ctx.config.feeBps,
		deadline: input.deadline,
		evalMode,
		...rules.resolveScoreWeights(evalMode, { test: input.test_weight, llm: input.llm_weight }),
		evalImage: input.eval_image ?? null,
		evalNetwork: input.eval_network,
		evalMemoryMb: input.eval_memory_mb,
		evalTimeoutSeconds: input.eval_timeout_seconds,
		evalCallbackUrl: input.eval_callback_url ?? null,
		maxSubmissionsPerAgent: input.max_submissions_per_agent,
		...taskRequestFields.columnsOfNew(input, { evalMode, config: ctx.config }),
		access: rules.resolveAccess(input),
		isTest: input.test,
		sealed: rules.resolveSealed(evalMode, { sealed: input.sealed, network: input.eval_network }),
		createdAt: now,
		touchedAt: now,
	};
}

/** The columns that have the same values in every new draft. */
const UNPUBLISHED = {
	finalRound: false,
	status: TASK_TRANSITIONS.create.to,
	evalImageDigest: null,
	publishedImageDigest: null,
	taskSha256: null,
	testSuiteKey: null,
	testSuiteCases: null,
	testSuitePublicCases: null,
	testSuiteBytes: null,
	testSuiteSha256: null,
	clockOffsetMs: 0,
	settledAt: null,
	judgingPaused: false,
	membersRevision: 0,
	rubricVersion: 1,
	compiledAt: [],
	publishedWarnings: [],
	revision: 1,
	stateRevision: 1,
	boardRevision: 0,
	competitorCount: 0,
	submissionCount: 0,
	hidden: false,
	takenDownAt: null,
	takenDownReason: null,
	publishedAt: null,
	closedAt: null,
	closedBy: null,
	origin: "",
	collectedAt: 0,
	indexedState: null,
	indexTries: 0,
	indexAt: 0,
} as const;
