import type { z } from "zod";
import { commit, decideAndCommit } from "../../db/commit.ts";
import { lacksWarning } from "../../db/conditions.ts";
import type { JudgeIdentity } from "../../domain/comparison.ts";
import { AppError, invalidInput } from "../../domain/errors.ts";
import { isProvisional } from "../../domain/evaluation-rounds.ts";
import { type EvalMode, MODES } from "../../domain/modes.ts";
import { TASK_TRANSITIONS } from "../../domain/task-status.ts";
import type { StoredTaskWarning, TaskWarning } from "../../domain/task-warnings.ts";
import { recordEventIf, recordEvents } from "../../events/outbox.ts";
import { decodeCursor, encodeCursor, pageRows } from "../../http/pagination.ts";
import { toIso } from "../../platform/clock.ts";
import { randomHex, sha256Hex } from "../../platform/crypto.ts";
import { findTargetFault } from "../../platform/outbound.ts";
import { seal } from "../../platform/sealed.ts";
import type { CommitItem, Statement } from "../../ports/database.ts";
import type { Ctx, Deps, PublicCtx } from "../../ports/deps.ts";
import { grantRoleOfPoster } from "../agents/service.ts";
import { enqueueTrial, newJudgeCheck } from "../judge-check/service.ts";
import { lintRubric, rubricWarnings } from "../lint/service.ts";
import { parseTaskCursor, publicCursor } from "./cursor.ts";
import { assertPublicRegistry, createImagePinner, imageWarnings } from "./eval-image.ts";
import * as rules from "./rules.ts";
import type { CriterionInput, createTaskRequest, updateTaskRequest } from "./schemas.ts";
import * as statements from "./statements.ts";
import * as store from "./store.ts";
import { viewCriterion, viewTask, viewTaskDetail, viewWatchedTask } from "./views.ts";

export { viewTask } from "./views.ts";

/**
 * Creates a draft. Contract: "Poster operations", "Task creation parameters".
 *
 * @throws AppError `INVALID_BODY`, `INVALID_WEIGHTS`, `BAD_REQUEST`.
 */
export async function createTask(ctx: Ctx, input: z.output<typeof createTaskRequest>) {
	const now = ctx.clock.now();
	const task = newTaskRow(ctx, input, now);
	const rows = criterionRows(task.id, input.criteria ?? []);
	if (input.criteria !== undefined) rules.assertRubricWeights(input.criteria);
	const token = MODES[task.evalMode].isExternal ? await createCallbackToken(ctx) : null;
	const stored = { ...task, evalCallbackTokenHash: null, evalCallbackTokenSealed: null, ...(token === null ? {} : tokenColumns(token)) };
	const role = ctx.actor.role === "company" ? [] : [grantRoleOfPoster(ctx, ctx.actor.agentId)];
	await commit(ctx.db, [statements.insertTask(ctx, stored), statements.insertCriteria(ctx, rows), ...role]);
	const warnings = [...imageWarnings(ctx, stored), ...rubricWarnings(rows)];
	const created = { task: stored, criteria: sortRubric(rows), quotaUsed: 0, pick: null, judgeUsage: null, judgeCheck: [], warnings };
	const detail = viewTaskDetail(created, ctx.actor.agentId);
	return { ...detail, warnings, rubric_criteria: detail.criteria, ...(token === null ? {} : { eval_callback_token: token.plaintext }) };
}

function newTaskRow(
	ctx: Ctx,
	input: z.output<typeof createTaskRequest>,
	now: number,
): Omit<store.TaskRow, "evalCallbackTokenHash" | "evalCallbackTokenSealed"> {
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
		createdAt: now,
		publishedAt: null,
		closedAt: null,
		closedBy: null,
	};
}

function assertCallbackTarget(ctx: Ctx, url: string): void {
	const fault = findTargetFault(url, { allowInsecure: ctx.config.allowInsecureTargets });
	if (fault !== null) throw invalidInput("INVALID_BODY", [{ path: "eval_callback_url", message: fault }]);
}

/** The poster's proof on external-score: its hash is compared, its sealed form goes out with every evaluation request. */
async function createCallbackToken(ctx: Ctx) {
	const plaintext = `svc_evaltok_${randomHex(16)}`;
	const sealed = await seal(ctx.config.secretsKey, "eval-callback-token", plaintext);
	return { plaintext, sealed, hash: await sha256Hex(plaintext) };
}

function tokenColumns({ hash, sealed }: { readonly hash: string; readonly sealed: string }) {
	return { evalCallbackTokenHash: hash, evalCallbackTokenSealed: sealed };
}

function criterionRows(taskId: string, criteria: readonly CriterionInput[]): store.CriterionRow[] {
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
			statements.guardRevision(ctx, found.task),
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

/** Replaces the whole rubric of a draft, atomically. Of several at once, the last one wins. */
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

/**
 * Opens a draft, pins what its image means now, queues the judge check, and sets the alarm at its deadline. Contract: "Task states";
 * ruling "Images".
 *
 * @throws AppError as {@link rules.assertPublishable} and {@link rules.assertJudgeable} do.
 */
export function publishTask(ctx: Ctx, taskId: string) {
	const pinImage = createImagePinner(ctx);
	return decideAndCommit(ctx.db, async () => {
		const { task, criteria } = await readOwnTask(ctx, taskId);
		const now = ctx.clock.now();
		rules.assertPublishable(task, criteria, now);
		rules.assertJudgeable(task.evalMode, ctx.judge !== null);
		const image = await pinImage(task);
		const check = newJudgeCheck(ctx, task);
		await commit(ctx.db, [
			statements.guardRevision(ctx, task),
			statements.updateTask(ctx, taskId, { status: TASK_TRANSITIONS.publish.to, publishedAt: now, evalImageDigest: image.digest }),
			...pinJudge(ctx, task),
			...check.statements,
			recordEvents(ctx, [
				{ type: "task.opened", taskId },
				{ type: "task.matched", taskId },
				{ type: "task.status_changed", taskId, from: "draft", to: "open" },
			]),
		]);
		ctx.background(ctx.hubs.scheduleDeadline(taskId, task.deadline));
		for (const trialId of check.trialIds) ctx.background(enqueueTrial(ctx, trialId));
		return { id: taskId, status: "open" as const, title: task.title, warnings: [...image.warnings, ...rubricWarnings(criteria)] };
	});
}

/** The task's first comparison group: judge, models and prompt version as they are at publish. */
function pinJudge(ctx: Ctx, { id, evalMode }: store.TaskRow): CommitItem[] {
	if (ctx.judge === null || !MODES[evalMode].usesJudge) return [];
	const { name, models, promptVersion } = ctx.judge;
	return [recordJudge(ctx, id, { judge: name, models, promptVersion })];
}

/** The statement that notes who judges on a task. A judge that the task does not know yet begins a comparison group. */
export function recordJudge(deps: Deps, taskId: string, judge: JudgeIdentity): Statement {
	return statements.insertComparisonGroup(deps, taskId, judge);
}

/** Closes an open or evaluating task for its owner. A final round begins in the same change, or goes on. */
export function closeTask(ctx: Ctx, taskId: string) {
	return decideAndCommit(ctx.db, async () => {
		const { task } = await readOwnTask(ctx, taskId);
		rules.assertClosable(task);
		await commit(ctx.db, [
			statements.guardRevision(ctx, task),
			statements.updateTask(ctx, taskId, {
				status: TASK_TRANSITIONS.close.to,
				closedAt: ctx.clock.now(),
				closedBy: "owner",
				roundStatus: rules.roundAtEnd(task),
			}),
			recordEvents(ctx, [
				{ type: "task.closed", taskId },
				{ type: "task.status_changed", taskId, from: task.status, to: "closed" },
			]),
		]);
		return { id: taskId, status: "closed" as const };
	});
}

/**
 * Moves a task on by itself: at its deadline, and when the last evaluation or the final round after it has ended.
 * Safe to call at any time and any number of times.
 */
export function settleTask(deps: Deps, taskId: string): Promise<void> {
	return decideAndCommit(deps.db, async () => {
		const task = await store.findSettling(deps, taskId);
		if (task === null) return;
		const now = deps.clock.now();
		const status = rules.settledStatus(task, task.hasRunning, now);
		if (status === null) return;
		const closing = status === "closed" ? { closedAt: now, closedBy: "deadline" as const } : {};
		const change = { type: "task.status_changed", taskId, from: task.status, to: status } as const;
		await commit(deps.db, [
			statements.guardRevision(deps, task),
			...(task.finalRound && status === "evaluating" ? [] : [statements.guardRunning(deps, taskId, status === "evaluating")]),
			statements.updateTask(deps, taskId, { status, ...closing, roundStatus: rules.roundAtEnd(task) }),
			recordEvents(deps, status === "closed" ? [{ type: "task.closed", taskId }, change] : [change]),
		]);
	});
}

const SWEEP_BATCH = 100;

/** The safety net under the deadline alarms. */
export async function settleOverdueTasks(deps: Deps): Promise<void> {
	for (const taskId of await store.selectUnsettled(deps, { now: deps.clock.now(), limit: SWEEP_BATCH })) {
		await settleTask(deps, taskId);
	}
}

/**
 * Reads a task that the caller may see.
 *
 * @throws AppError `NOT_FOUND`, also for another owner's draft.
 */
async function readVisibleTask(ctx: Ctx, taskId: string): Promise<store.TaskWithRubric> {
	const found = await store.findTask(ctx, taskId, ctx.actor.agentId);
	if (found === null || !rules.canSeeTask(found.task, ctx.actor.agentId)) throw taskNotFound();
	return found;
}

export function taskNotFound(): AppError {
	return new AppError("NOT_FOUND", { message: "There is no such task. GET /api/v1/tasks lists the open ones." });
}

/**
 * Reads a task of the caller's.
 *
 * @throws AppError `NOT_FOUND` if the caller cannot see it, `FORBIDDEN` if it belongs to another agent.
 */
export async function readOwnTask(ctx: Ctx, taskId: string): Promise<store.TaskWithRubric> {
	const found = await readVisibleTask(ctx, taskId);
	rules.assertOwner(found.task, ctx.actor.agentId);
	return found;
}

export async function getTask(ctx: Ctx, taskId: string) {
	return viewDetail(ctx, await readVisibleTask(ctx, taskId));
}

function viewDetail(ctx: Ctx, found: store.TaskWithRubric) {
	const warnings = [...imageWarnings(ctx, found.task), ...found.warnings];
	return viewTaskDetail({ ...found, warnings }, ctx.actor.agentId);
}

interface StoredWarning extends TaskWarning {
	readonly code: StoredTaskWarning;
}

/**
 * The statements that give a task a warning and notify its owner, unless it has that warning already. Contract: ruling "Blame".
 */
export function warnOwner(deps: Deps, taskId: string, warning: StoredWarning): CommitItem[] {
	const isNew = lacksWarning(taskId, warning.code);
	return [
		recordEventIf(deps, { type: "task.warning", taskId, ...warning }, isNew),
		statements.insertWarning(deps, { taskId, ...warning, createdAt: deps.clock.now() }),
	];
}

/** Withdraws a warning. A later one of the same code notifies the owner again. */
export function withdrawWarning(deps: Deps, taskId: string, code: StoredTaskWarning): CommitItem {
	return statements.deleteWarning(deps, taskId, code);
}

/**
 * A task as streams show it to all who may see it, with what decides who may; null when there is none.
 * With `after`, also how it looked after each later change.
 */
export async function findWatchedTask(deps: Deps, taskId: string, after: number | null = null) {
	const found = await store.findWatchedTask(deps, taskId, after);
	if (found === null) return null;
	const { task, number, changes } = found;
	return {
		companyId: task.companyId,
		number,
		view: viewWatchedTask(task),
		provisional: isProvisional(task),
		changes: changes.map(({ number, state }) => {
			return { number, view: viewWatchedTask({ ...task, ...state }), provisional: isProvisional({ ...task, ...state }) };
		}),
	};
}

interface ListTasksInput {
	readonly category?: string | undefined;
	readonly eval_mode?: EvalMode | undefined;
	readonly min_budget_cents?: number | undefined;
	readonly limit: number;
	readonly cursor?: string | undefined;
}

/** Open tasks by deadline, soonest first. Contract: "Tasks (agent side)". */
export async function listTasks(ctx: Ctx, { category, eval_mode, min_budget_cents, limit, cursor }: ListTasksInput) {
	const after = parseTaskCursor(cursor);
	const filter = { category, evalMode: eval_mode, minBudgetCents: min_budget_cents };
	const rows = await store.selectOpenTasks(ctx, { ...filter, after, limit: limit + 1, now: ctx.clock.now() });
	const page = pageRows(rows, limit, (last) => `${toIso(last.deadline)}_${last.id}`);
	return { data: page.rows.map(viewTask), pagination: page.pagination, next_cursor: page.pagination.next_cursor };
}

export async function listPublicTasks(ctx: PublicCtx, { limit, cursor }: { limit: number; cursor?: string | undefined }) {
	const place = decodeCursor(cursor, publicCursor);
	const after = place === null ? null : { deadline: place[0], id: place[1] };
	const rows = await store.selectOpenTasks(ctx, { after, limit: limit + 1, now: ctx.clock.now() });
	const page = pageRows(rows, limit, (last) => encodeCursor([last.deadline, last.id]));
	const data = page.rows.map((row) => ({ ...viewTask(row), competitor_count: row.competitorCount }));
	return { data, next_cursor: page.pagination.next_cursor };
}
