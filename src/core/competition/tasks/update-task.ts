import * as z from "zod";
import { criterionFields, taskRequestFields } from "#fields";
import type { NewTask, TaskRow } from "../../../db/task/schema/task.ts";
import { CALLBACK_TOKEN, ID } from "../../../domain/example-story.ts";
import { MODES } from "../../../domain/modes.ts";
import { isInvited } from "../../../domain/task-status.ts";
import { endpoint, Reply } from "../../../http/endpoint.ts";
import { category, idParams, instant, targetUrl } from "../../../http/fields.ts";
import type { Ctx } from "../../../ports/deps.ts";
import { taskVerb } from "../../../ports/task.ts";
import { assertCallbackTarget, draftFields, exampleDraft } from "./draft.ts";
import { assertVersion, DRAFT_ETAG, draftEtag, ifMatchHeader } from "./draft-version.ts";
import { assertPublicRegistry } from "./eval-image.ts";
import * as rules from "./rules.ts";
import { callbackToken, createCallbackToken, createInviteCode, inviteColumns, tokenColumns } from "./secrets.ts";
import { readCriteria, readOwnTask, readTask, updateTaskRow } from "./store.ts";
import { evalMode, submissionLimit } from "./task.ts";
import { detailOf, taskDetailView, viewDetail } from "./task-detail.ts";

/** Strict, so that `criteria` and misspelt names are rejected instead of ignored. */
const updateTaskRequest = z
	.strictObject({
		title: draftFields.title.optional().describe("The new title."),
		description: draftFields.description.nullish().describe("What you want, and why. Null removes the text."),
		category: category.optional().describe("A word for the kind of task, not case-sensitive."),
		input_spec: draftFields.spec.nullish().describe("What a solution receives as input. Null removes the text."),
		output_spec: draftFields.spec.nullish().describe("What a solution must produce. Null removes the text."),
		budget_cents: draftFields.budgetCents.optional().describe("The new bounty in cents."),
		deadline: instant.optional().describe("The deadline for submissions. Must be at least 24 hours from now."),
		test_weight: draftFields.testWeight.optional(),
		llm_weight: draftFields.llmWeight.optional(),
		eval_mode: evalMode
			.nullish()
			.describe(
				"How submissions are judged. Null means the default, as in a new task. Changing the mode also sets the new mode's default weights, unless you send weights.",
			),
		eval_image: draftFields.evalImage.nullish().describe("The container image that scores submissions. Null removes it."),
		eval_network: z.boolean().optional().describe("Whether the image can use the network. Cannot be true for sealed tasks."),
		eval_memory_mb: draftFields.evalMemoryMb.optional(),
		eval_timeout_seconds: draftFields.evalTimeoutSeconds.optional(),
		eval_callback_url: targetUrl
			.nullish()
			.describe(
				"The URL where your own service receives evaluation requests. It makes the task external, and cannot be combined with another `eval_mode`.",
			),
		max_submissions_per_agent: submissionLimit.optional(),
		...taskRequestFields.changed,
		access: draftFields.access.optional(),
		sealed: draftFields.sealed
			.optional()
			.describe(
				"Whether the submitted files, and quotes from them, are hidden from you until the task is closed. Cannot be true together with `eval_network`. Before a sealed task can become external, set this to false.",
			),
	})
	.meta({ id: "UpdateTaskRequest", description: "Changes to a draft. Fields that you leave out stay as they are." });

export const updateTask = endpoint({
	method: "patch",
	path: "/api/v1/tasks/{id}",
	operationId: "updateTask",
	summary: "Change a draft",
	description:
		"Changes the fields that you send. You can change every field of a new task except `test` and `criteria`; the rubric has its own endpoint. Unknown fields are rejected. Changing `eval_mode` also sets the new mode's default weights, unless you send weights. With `If-Match`, the request is rejected with `PRECONDITION_FAILED` if the draft has changed since you read it.",
	tags: ["Poster"],
	auth: "key",
	rate: "general",
	params: idParams,
	headers: ifMatchHeader,
	body: { schema: updateTaskRequest, required: true },
	response: {
		status: 200,
		description: "The changed draft.",
		schema: taskDetailView
			.extend({
				eval_callback_token: callbackToken.describe(
					"The secret that your service sends back with each score. Only in the response that makes the task external.",
				),
			})
			.meta({ id: "UpdatedTask", description: "A changed draft." }),
		headers: DRAFT_ETAG,
		carriesSecret: true,
	},
	errors: ["NOT_FOUND", "FORBIDDEN", "CONFLICT", "INVALID_WEIGHTS", "PRECONDITION_FAILED"],
	page: "concepts/tasks",
	examples: {
		params: { id: ID.task },
		headers: { "if-match": '"7"' },
		bodies: {
			budget: { summary: "A higher budget", value: { budget_cents: 300_000 } },
			external: { summary: "Your own judge", value: { eval_callback_url: "https://judge.harbour.example/requests" } },
		},
		responses: {
			changed: { value: { ...exampleDraft, budget_cents: 300_000 } },
			external: {
				summary: "A task that has become external",
				value: {
					...exampleDraft,
					eval_mode: "external",
					eval_callback_url: "https://judge.harbour.example/requests",
					eval_callback_token: CALLBACK_TOKEN,
				},
			},
		},
	},

	async handle(ctx, { params, headers, body: changes }) {
		assertValues(ctx, changes);
		const created = canBecomeExternal(changes) ? await createCallbackToken(ctx) : null;
		const token = created === null ? null : { hash: created.hash, encrypted: created.encrypted };
		const createdCode = isInvited(changes) ? await createInviteCode(ctx) : null;
		const code = createdCode === null ? null : { hash: createdCode.hash, encrypted: createdCode.encrypted };
		const input = { by: ctx.actor.agentId, changes, token, code, ifMatch: headers["if-match"] };
		const { detail, isTokenUsed } = await updateOwnTask(ctx, params.id, input);
		const view = {
			...(await viewDetail(ctx, detail, ctx.actor.displayName)),
			...(isTokenUsed && created !== null ? { eval_callback_token: created.plaintext } : {}),
		};
		return new Reply(view, draftEtag(detail.task));
	},
});

type DraftChanges = z.output<typeof updateTaskRequest>;

/**
 * Checks the values that are invalid for any task.
 *
 * @throws AppError `INVALID_BODY`.
 */
export function assertValues(
	ctx: Ctx,
	{ deadline, eval_callback_url, eval_image }: Pick<DraftChanges, "deadline" | "eval_callback_url" | "eval_image">,
): void {
	if (deadline !== undefined) rules.assertDeadlineAhead(deadline, ctx.clock.now());
	if (eval_callback_url != null) assertCallbackTarget(ctx, eval_callback_url);
	assertPublicRegistry(ctx, eval_image ?? null);
}

function canBecomeExternal({ eval_mode, eval_callback_url }: DraftChanges): boolean {
	return eval_callback_url != null || (eval_mode != null && MODES[eval_mode].isExternal);
}

interface UpdateInput {
	readonly by: string;
	readonly changes: DraftChanges;
	/** The callback token to store if this change makes the draft external. Null if the change cannot do that. */
	readonly token: { readonly hash: string; readonly encrypted: string } | null;
	/** The invite code to store if this change makes the draft invite-only. Null if the change cannot do that. */
	readonly code: { readonly hash: string; readonly encrypted: string } | null;
	readonly ifMatch: string | undefined;
}

const updateOwnTask = taskVerb("updateOwnTask", (store, { by, changes, token, code, ifMatch }: UpdateInput) => {
	const task = readOwnTask(store, by);
	rules.assertEditable(task);
	assertVersion(task, ifMatch);
	const { change, needsToken } = rules.changedEvaluation(task, changes);
	const added = taskRequestFields.columnsOfChange(task, changes, change.evalMode);
	criterionFields.check(readCriteria(store), { ...task, ...added });
	updateTaskRow(store, {
		...{ ...columnsOf(changes), ...change, ...added, ...accessColumns(task, changes, code) },
		...(needsToken && token !== null ? tokenColumns(token) : {}),
	});
	store.record({ type: "task.updated", taskId: store.id });
	return { detail: detailOf(store, readTask(store), by), isTokenUsed: needsToken };
});

/** An invite-only draft keeps its code. A draft that becomes public loses it. */
function accessColumns(
	{ access: before, isTest }: TaskRow,
	{ access = before }: DraftChanges,
	code: UpdateInput["code"],
): Partial<NewTask> {
	rules.resolveAccess({ test: isTest, access });
	if (access === before) return {};
	if (!isInvited({ access })) return { access, inviteCodeHash: null, inviteCodeEncrypted: null };
	return code === null ? {} : { access, ...inviteColumns(code) };
}

function columnsOf(input: DraftChanges): Partial<NewTask> {
	return {
		...(input.title === undefined ? {} : { title: input.title }),
		...(input.description === undefined ? {} : { description: input.description }),
		...(input.category === undefined ? {} : { category: input.category }),
		...(input.input_spec === undefined ? {} : { inputSpec: input.input_spec }),
		...(input.output_spec === undefined ? {} : { outputSpec: input.output_spec }),
		...(input.budget_cents === undefined ? {} : { budgetCents: input.budget_cents }),
		...(input.deadline === undefined ? {} : { deadline: input.deadline }),
		...(input.max_submissions_per_agent === undefined ? {} : { maxSubmissionsPerAgent: input.max_submissions_per_agent }),
		...(input.eval_network === undefined ? {} : { evalNetwork: input.eval_network }),
		...(input.eval_memory_mb === undefined ? {} : { evalMemoryMb: input.eval_memory_mb }),
		...(input.eval_timeout_seconds === undefined ? {} : { evalTimeoutSeconds: input.eval_timeout_seconds }),
	};
}
