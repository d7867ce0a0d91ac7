// The fields of a draft that posters write, and the code that stores a new draft.

import * as z from "zod";
import { criterionFields, taskFields } from "#fields";
import { type CriterionRow, type NewTask, type TaskRow, tasks } from "../../../db/task/schema/task.ts";
import { invalidInput } from "../../../domain/errors.ts";
import { IMAGE_REFERENCE, IMAGE_REFERENCE_FAULT, MAX_IMAGE_REFERENCE_CHARACTERS } from "../../../domain/image-reference.ts";
import { MODES } from "../../../domain/modes.ts";
import { isInvited } from "../../../domain/task-status.ts";
import { oneLineText, text } from "../../../http/fields.ts";
import { findTargetFault, targetRulesOf } from "../../../platform/outbound.ts";
import type { Ctx } from "../../../ports/deps.ts";
import { creatingVerb } from "../../../ports/task.ts";
import { becomePoster } from "../../identity/agents/service.ts";
import { fewChecksWarnings, lintWarnings } from "../../judging/checks/rubric-warnings.ts";
import { admitDraft } from "../directory/anonymous-drafts.ts";
import { imageWarnings } from "./eval-image.ts";
import { rubric, sortRubric } from "./rubric.ts";
import {
	callbackToken,
	createCallbackToken,
	createInviteCode,
	inviteColumns,
	openCallbackToken,
	tokenColumns,
	viewInviteCode,
} from "./secrets.ts";
import { insertCriteria, readTask } from "./store.ts";
import { markerKey, storeThenRefer } from "./stored-objects.ts";
import { submissionLimit, taskWarnings } from "./task.ts";
import { exampleDetail, isSealed, percent, taskAccess, taskDetailView, viewTaskDetail } from "./task-detail.ts";

/** Ten billion dollars, as for deals, so that sums of budgets stay exact. */
const MAX_BUDGET_CENTS = 1_000_000_000_000;

/** The fields that posters write. Each request defines which ones are required, and what a missing one means. */
export const draftFields = {
	title: oneLineText({ min: 1, max: 200 }),
	description: text({ max: 10_000 }),
	spec: text({ max: 100_000 }),
	budgetCents: z.number().int().min(10_000).max(MAX_BUDGET_CENTS),
	testWeight: percent.describe("The tests' share of the final score, in percent. `test_weight` and `llm_weight` must sum to 100."),
	llmWeight: percent.describe("The language model's share of the final score, in percent. `test_weight` and `llm_weight` must sum to 100."),
	evalImage: text({ min: 1, max: MAX_IMAGE_REFERENCE_CHARACTERS }).regex(IMAGE_REFERENCE, IMAGE_REFERENCE_FAULT),
	evalMemoryMb: z.number().int().min(512).max(4096).describe("Memory limit for the image, in MB."),
	evalTimeoutSeconds: z
		.number()
		.int()
		.min(600)
		.max(3600)
		.describe("Time limit for a run of the image with all its test cases, in seconds."),
	submissionLimit,
	access: taskAccess,
	sealed: isSealed,
};

export const createdTaskView = taskDetailView
	.extend({
		rubric_criteria: rubric.describe("The same as `criteria`."),
		warnings: taskWarnings.describe("Warnings about the draft. Often empty."),
		eval_callback_token: callbackToken.describe(
			"The secret that your service sends back with each score. Only for external tasks, and shown only once.",
		),
	})
	.meta({ id: "CreatedTask", description: "A new draft." });

/** A draft as its poster sees it. */
export const exampleDraft = {
	...exampleDetail,
	status: "draft" as const,
	eval_image: null,
	task_sha256: null,
	judged_attachments: [],
	warnings: [],
	eval_callback_url: null,
	test_suite: null,
	judge_usage: { calls: 0, input_tokens: 0, output_tokens: 0, cost_usd: null },
	competitor_count: 0,
	deadline_history: [],
	...taskFields.exampleOfDraft,
	quota: { used: 0, limit: 15, remaining: 15 },
};

/** Stores a new draft. If the request is repeated, returns the draft of the first request, with `isNew` false. */
export const storeDraft = creatingVerb("storeDraft", (task, { row, criteria }: { row: NewTask; criteria: readonly CriterionRow[] }) => {
	const added = task.db.insert(tasks).values(row).onConflictDoNothing().returning({ id: tasks.id }).all();
	if (added.length > 0) {
		insertCriteria(task, criteria);
		task.markTask();
	}
	return { task: readTask(task), isNew: added.length > 0 };
});

/** Stores a new draft and returns its view. An external draft's callback token is only in this response. */
export async function insertDraft(
	ctx: Ctx,
	draft: Omit<TaskRow, "evalCallbackTokenHash" | "evalCallbackTokenEncrypted" | "inviteCodeHash" | "inviteCodeEncrypted">,
	criteria: readonly CriterionRow[],
) {
	criterionFields.check(criteria, draft);
	const token = MODES[draft.evalMode].isExternal ? await createCallbackToken(ctx) : null;
	const invite = isInvited(draft) ? await createInviteCode(ctx) : null;
	const row = { ...draft, ...(token === null ? {} : tokenColumns(token)), ...(invite === null ? {} : inviteColumns(invite)) };
	const key = markerKey(row.id);
	const { task, isNew } = await storeThenRefer(ctx, { key, store: () => ctx.bucket.put(key, "") }, () =>
		admitDraft(ctx, row, () => storeDraft(ctx, row.id, { row, criteria })),
	);
	await becomePoster(ctx, ctx.actor);
	// A repeated request returns the first request's draft and its token.
	const plaintext = task.evalCallbackTokenEncrypted === null ? null : await openCallbackToken(ctx, task.evalCallbackTokenEncrypted);
	const warnings = [...imageWarnings(ctx, task), ...lintWarnings(task.id, criteria), ...fewChecksWarnings(task.evalMode, criteria)];
	const nothingYet = {
		quotaUsed: 0,
		deadlines: [],
		judgedAttachments: [],
		judgeUsage: null,
		endedAt: null,
		heldUpBy: null,
		added: taskFields.ofDraft(task),
	};
	const created = { ...nothingYet, posterName: ctx.actor.displayName, task, criteria: sortRubric(criteria), warnings };
	const detail = viewTaskDetail(created, ctx.actor.agentId);
	const response = {
		...{ ...detail, ...(await viewInviteCode(ctx, task)), warnings, rubric_criteria: detail.criteria },
		...(plaintext === null ? {} : { eval_callback_token: plaintext }),
	};
	const facts = { showsSecret: "eval_callback_token" in response || "invite_code" in response, isRepeated: !isNew };
	return { response, facts };
}

/** @throws AppError `INVALID_BODY` if the platform must not send requests to the URL. */
export function assertCallbackTarget(ctx: Ctx, url: string): void {
	const fault = findTargetFault(url, targetRulesOf(ctx.config));
	if (fault !== null) throw invalidInput("INVALID_BODY", [{ path: "eval_callback_url", message: fault }]);
}
