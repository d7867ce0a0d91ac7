// Writing a draft: creating, changing and deleting it, and its rubric.
import type { z } from "zod";
import { commit, decideAndCommit } from "../../db/commit.ts";
import { guardTaskRevision } from "../../db/conditions.ts";
import { CALLBACK_TOKEN_PURPOSE } from "../../db/sealed-columns.ts";
import { invalidInput } from "../../domain/errors.ts";
import { MODES } from "../../domain/modes.ts";
import { TASK_TRANSITIONS } from "../../domain/task-status.ts";
import { recordEvents } from "../../events/outbox.ts";
import { randomHex, sha256Hex } from "../../platform/crypto.ts";
import { findTargetFault, targetRulesOf } from "../../platform/outbound.ts";
import { seal } from "../../platform/sealed.ts";
import type { Ctx } from "../../ports/deps.ts";
import { grantRoleOfPoster } from "../agents/service.ts";
import { lintRubric, rubricWarnings } from "../lint/service.ts";
import { assertPublicRegistry, imageWarnings } from "./eval-image.ts";
import * as rules from "./rules.ts";
import type { CriterionInput, createTaskRequest, updateTaskRequest } from "./schemas.ts";
import { readOwnTask, viewDetail } from "./service.ts";
import * as statements from "./statements.ts";
import type * as store from "./store.ts";
import { viewCriterion, viewTaskDetail } from "./views.ts";

/**
 * Creates a draft. Contract: "Poster operations", "Task creation parameters".
 *
 * @throws AppError `INVALID_BODY`, `INVALID_WEIGHTS`, `BAD_REQUEST`.
 */
export async function createTask(ctx: Ctx, input: z.output<typeof createTaskRequest>) {
	const now = ctx.clock.now();
	const task = newTaskRow(ctx, input, now);
	if (input.criteria !== undefined) rules.assertRubricWeights(input.criteria);
	return insertDraft(ctx, task, criterionRows(task.id, input.criteria ?? []));
}

/** Commits a new draft and shows it. An external one gets its callback token, which is shown only here. */
export async function insertDraft(ctx: Ctx, task: NewDraft, criteria: readonly store.CriterionRow[]) {
	const token = MODES[task.evalMode].isExternal ? await createCallbackToken(ctx) : null;
	const stored = { ...task, evalCallbackTokenHash: null, evalCallbackTokenSealed: null, ...(token === null ? {} : tokenColumns(token)) };
	const role = ctx.actor.role === "company" ? [] : [grantRoleOfPoster(ctx, ctx.actor.agentId)];
	await commit(ctx.db, [statements.insertTask(ctx, stored), statements.insertCriteria(ctx, criteria), ...role]);
	const warnings = [...imageWarnings(ctx, stored), ...rubricWarnings(stored.id, criteria)];
	const created = { task: stored, criteria: sortRubric(criteria), quotaUsed: 0, pick: null, judgeUsage: null, judgeCheck: [], warnings };
	const detail = viewTaskDetail(created, ctx.actor.agentId);
	return { ...detail, warnings, rubric_criteria: detail.criteria, ...(token === null ? {} : { eval_callback_token: token.plaintext }) };
}

type NewDraft = Omit<store.TaskRow, "evalCallbackTokenHash" | "evalCallbackTokenSealed">;

/**
 * The row of a new draft.
 *
 * @param now Milliseconds since the epoch.
 * @throws AppError `INVALID_BODY`, `INVALID_WEIGHTS`, `BAD_REQUEST`.
 */
export function newTaskRow(ctx: Ctx, input: Omit<z.output<typeof createTaskRequest>, "criteria">, now: number): NewDraft {
	rules.assertDeadlineAhead(input.deadline, now);
	const evalMode = rules.resolveEvalMode(input);
	rules.assertEvalImage(evalMode, input.eval_image ?? null);
	rules.assertJudgeable(evalMode, ctx.judge !== null);
	if (input.eval_callback_url != null) assertCallbackTarget(ctx, input.eval_callback_url);
	assertPublicRegistry(ctx, input.eval_image ?? null);
	return {
		id: ctx.ids.next(),
		companyId: ctx.actor.agentId,
		status: TASK_TRANSITIONS.create.to,
		title: input.title,
		description: input.description ?? null,
		category: input.category,
		inputSpec: input.input_spec ?? null,
		outputSpec: input.output_spec ?? null,
		budgetCents: input.budget_cents,
		deadline: input.deadline,
		evalMode,
		...rules.resolveScoreWeights(evalMode, { test: input.test_weight, llm: input.llm_weight }),
		evalImage: input.eval_image ?? null,
		evalImageDigest: null,
		evalNetwork: input.eval_network,
		evalMemoryMb: input.eval_memory_mb,
		evalTimeoutSeconds: input.eval_timeout_seconds,
		evalCallbackUrl: input.eval_callback_url ?? null,
		testSuiteKey: null,
		testSuiteCases: null,
		testSuitePublicCases: null,
		testSuiteBytes: null,
		testSuiteSha256: null,
		maxSubmissionsPerAgent: input.max_submissions_per_agent,
		finalRound: rules.resolveFinalRound(evalMode, input.final_round, ctx.config.finalRoundDefault),
		roundStatus: null,
		rubricVersion: 1,
		revision: 1,
		competitorCount: 0,
		submissionCount: 0,
		hidden: false,
		takenDownAt: null,
		takenDownReason: null,
		createdAt: now,
		publishedAt: null,
		closedAt: null,
		closedBy: null,
	};
}

function assertCallbackTarget(ctx: Ctx, url: string): void {
	const fault = findTargetFault(url, targetRulesOf(ctx.config));
	if (fault !== null) throw invalidInput("INVALID_BODY", [{ path: "eval_callback_url", message: fault }]);
}

/** The poster's proof on external-score: its hash is compared, its sealed form goes out with every evaluation request. */
async function createCallbackToken(ctx: Ctx) {
	const plaintext = `svc_evaltok_${randomHex(16)}`;
	const sealed = await seal(ctx.config.keys, CALLBACK_TOKEN_PURPOSE, plaintext);
	return { plaintext, sealed, hash: await sha256Hex(plaintext) };
}

function tokenColumns({ hash, sealed }: { readonly hash: string; readonly sealed: string }) {
	return { evalCallbackTokenHash: hash, evalCallbackTokenSealed: sealed };
}

/** The rows of a rubric. Positions that the input lacks follow the order of the list. */
export function criterionRows(taskId: string, criteria: readonly CriterionInput[]): store.CriterionRow[] {
	return criteria.map((criterion, index) => ({
		taskId,
		name: criterion.name,
		description: criterion.description ?? null,
		weight: criterion.weight,
		position: criterion.position ?? index,
		evidence: criterion.evidence ?? "work",
	}));
}

function sortRubric(rows: readonly store.CriterionRow[]): store.CriterionRow[] {
	return rows.toSorted((a, b) => a.position - b.position || (a.name < b.name ? -1 : 1));
}

/** Changes fields of a draft. Contract: "Poster operations". */
export async function updateTask(ctx: Ctx, taskId: string, input: z.output<typeof updateTaskRequest>) {
	if (input.deadline !== undefined) rules.assertDeadlineAhead(input.deadline, ctx.clock.now());
	if (input.eval_callback_url != null) assertCallbackTarget(ctx, input.eval_callback_url);
	assertPublicRegistry(ctx, input.eval_image ?? null);
	return decideAndCommit(ctx.db, async () => {
		const found = await readOwnTask(ctx, taskId);
		rules.assertEditable(found.task);
		const judging = rules.changedEvaluation(found.task, input);
		const token = judging.needsToken ? await createCallbackToken(ctx) : null;
		const change = { ...taskChange(input), ...judging.change, ...(token === null ? {} : tokenColumns(token)) };
		await commit(ctx.db, [
			guardTaskRevision(ctx.db, found.task),
			statements.updateTask(ctx, taskId, change),
			recordEvents(ctx, [{ type: "task.updated", taskId }]),
		]);
		const detail = viewDetail(ctx, { ...found, task: { ...found.task, ...change } });
		return { ...detail, ...(token === null ? {} : { eval_callback_token: token.plaintext }) };
	});
}

function taskChange(input: z.output<typeof updateTaskRequest>): Partial<store.TaskRow> {
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

/** Deletes a draft with its rubric, attachments and test suite. Their objects are deleted by the collector of stored objects. */
export function deleteTask(ctx: Ctx, taskId: string) {
	return decideAndCommit(ctx.db, async () => {
		const { task } = await readOwnTask(ctx, taskId);
		rules.assertDeletable(task);
		await commit(ctx.db, [
			guardTaskRevision(ctx.db, task),
			...statements.deleteDraft(ctx, taskId),
			recordEvents(ctx, [{ type: "task.updated", taskId }]),
		]);
		return { id: taskId, deleted: true as const };
	});
}

/** Replaces the whole rubric of a draft, atomically. Of parallel requests, the last one wins. */
export function replaceRubric(ctx: Ctx, taskId: string, criteria: readonly CriterionInput[]) {
	rules.assertRubricWeights(criteria);
	return decideAndCommit(ctx.db, async () => {
		const { task } = await readOwnTask(ctx, taskId);
		rules.assertEditable(task);
		const rows = criterionRows(taskId, criteria);
		await commit(ctx.db, [
			statements.guardDraft(ctx, taskId),
			statements.deleteCriteria(ctx, taskId),
			statements.insertCriteria(ctx, rows),
			statements.incrementRubricVersion(ctx, taskId),
		]);
		return { criteria: sortRubric(rows).map(viewCriterion) };
	});
}

/** What makes the rubric of the caller's task hard to judge. Contract: additions, "Before spending anything". */
export async function lintTask(ctx: Ctx, taskId: string) {
	const { criteria } = await readOwnTask(ctx, taskId);
	return { findings: lintRubric(criteria) };
}
