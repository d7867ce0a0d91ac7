import type { z } from "zod";
import { CALLBACK_TOKEN_PURPOSE } from "../../../db/sealed-columns.ts";
import { tasks } from "../../../db/task/schema/task.ts";
import { invalidInput } from "../../../domain/errors.ts";
import { MODES } from "../../../domain/modes.ts";
import { TASK_TRANSITIONS } from "../../../domain/task-status.ts";
import { randomHex, sha256Hex } from "../../../platform/crypto.ts";
import { findTargetFault, targetRulesOf } from "../../../platform/outbound.ts";
import { seal } from "../../../platform/sealed.ts";
import type { Ctx } from "../../../ports/deps.ts";
import { creatingVerb } from "../../../ports/task.ts";
import { becomePoster } from "../../identity/agents/service.ts";
import { rubricWarnings } from "../../judging/lint/service.ts";
import { assertPublicRegistry, imageWarnings } from "./eval-image.ts";
import * as rules from "./rules.ts";
import type { CriterionInput, createTaskRequest } from "./schemas.ts";
import { type CriterionRow, insertCriteria, type NewTask, readTask, type TaskRow } from "./store.ts";
import { markerKey, storeThenRefer } from "./stored-objects.ts";
import { viewTaskDetail } from "./views.ts";

/** Stores a new draft. A repeated call finds the first one's. */
export const storeDraft = creatingVerb("storeDraft", (task, { row, criteria }: { row: NewTask; criteria: readonly CriterionRow[] }) => {
	const added = task.db.insert(tasks).values(row).onConflictDoNothing().returning({ id: tasks.id }).all();
	if (added.length > 0) {
		insertCriteria(task, criteria);
		task.markTask();
	}
	return readTask(task);
});

/**
 * Creates a draft. Contract: "Poster operations", "Task creation parameters".
 *
 * @throws AppError `INVALID_BODY`, `INVALID_WEIGHTS`, `BAD_REQUEST`.
 */
export async function createTask(ctx: Ctx, input: z.output<typeof createTaskRequest>) {
	const task = newTaskRow(ctx, input, ctx.clock.now());
	if (input.criteria !== undefined) rules.assertRubricWeights(input.criteria);
	return insertDraft(ctx, task, criterionRows(input.criteria ?? []));
}

/** Stores a new draft and shows it. An external one gets its callback token, which is shown only here. */
export async function insertDraft(ctx: Ctx, draft: NewDraft, criteria: readonly CriterionRow[]) {
	const token = MODES[draft.evalMode].isExternal ? await createCallbackToken(ctx) : null;
	const row = { ...draft, ...(token === null ? {} : tokenColumns(token)) };
	const key = markerKey(row.id);
	const task = await storeThenRefer(ctx, { key, store: () => ctx.bucket.put(key, "") }, () =>
		ctx.hubs.callTask(row.id, storeDraft, { input: { row, criteria }, now: ctx.clock.now() }),
	);
	await becomePoster(ctx, ctx.actor);
	const warnings = [...imageWarnings(ctx, task), ...rubricWarnings(task.id, criteria)];
	const created = { task, criteria: sortRubric(criteria), quotaUsed: 0, pick: null, judgeUsage: null, judgeCheck: [], warnings };
	const detail = viewTaskDetail(created, ctx.actor.agentId);
	return { ...detail, warnings, rubric_criteria: detail.criteria, ...(token === null ? {} : { eval_callback_token: token.plaintext }) };
}

type NewDraft = Omit<TaskRow, "evalCallbackTokenHash" | "evalCallbackTokenSealed">;

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
		...UNPUBLISHED,
		id: ctx.ids.next(),
		companyId: ctx.actor.agentId,
		companyParty: ctx.actor.party,
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
		evalNetwork: input.eval_network,
		evalMemoryMb: input.eval_memory_mb,
		evalTimeoutSeconds: input.eval_timeout_seconds,
		evalCallbackUrl: input.eval_callback_url ?? null,
		maxSubmissionsPerAgent: input.max_submissions_per_agent,
		finalRound: rules.resolveFinalRound(evalMode, input.final_round, ctx.config.finalRoundDefault),
		createdAt: now,
	};
}

/** The columns of a draft that its poster does not choose. */
const UNPUBLISHED = {
	status: TASK_TRANSITIONS.create.to,
	evalImageDigest: null,
	testSuiteKey: null,
	testSuiteCases: null,
	testSuitePublicCases: null,
	testSuiteBytes: null,
	testSuiteSha256: null,
	roundStatus: null,
	rubricVersion: 1,
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
} as const;

export function assertCallbackTarget(ctx: Ctx, url: string): void {
	const fault = findTargetFault(url, targetRulesOf(ctx.config));
	if (fault !== null) throw invalidInput("INVALID_BODY", [{ path: "eval_callback_url", message: fault }]);
}

/** The poster's proof on external-score: its hash is compared, its sealed form goes out with every evaluation request. */
export async function createCallbackToken(ctx: Ctx) {
	const plaintext = `svc_evaltok_${randomHex(16)}`;
	const sealed = await seal(ctx.config.keys, CALLBACK_TOKEN_PURPOSE, plaintext);
	return { plaintext, sealed, hash: await sha256Hex(plaintext) };
}

export function tokenColumns({ hash, sealed }: { readonly hash: string; readonly sealed: string }) {
	return { evalCallbackTokenHash: hash, evalCallbackTokenSealed: sealed };
}

/** The rows of a rubric. Positions that the input lacks follow the order of the list. */
export function criterionRows(criteria: readonly CriterionInput[]): CriterionRow[] {
	return criteria.map((criterion, index) => ({
		name: criterion.name,
		description: criterion.description ?? null,
		weight: criterion.weight,
		position: criterion.position ?? index,
		evidence: criterion.evidence ?? "work",
	}));
}

function sortRubric(rows: readonly CriterionRow[]): CriterionRow[] {
	return rows.toSorted((a, b) => a.position - b.position || (a.name < b.name ? -1 : 1));
}
