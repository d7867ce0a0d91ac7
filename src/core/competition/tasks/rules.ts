import type { CriterionRow, TaskRow } from "../../../db/task/schema/task.ts";
import { AppError, type FieldFault, invalidInput } from "../../../domain/errors.ts";
import { foldName } from "../../../domain/look.ts";
import { CALLBACK_MODE, DEFAULT_MODE, type EvalMode, MODES, type ScoreWeights } from "../../../domain/modes.ts";
import { isOneLine, ONE_LINE_RULE } from "../../../domain/one-line.ts";
import { findPatternFault } from "../../../domain/re2.ts";
import { canTaskMove, isInvited, isOver, TASK_TRANSITIONS } from "../../../domain/task-status.ts";
import type { TestCase } from "../../../ports/grading.ts";

export const MAX_TEST_SUITE_BYTES = 5 * 1_048_576;
export const MAX_TEST_CASES = 1_000;
export const MAX_TEST_NAME_CHARACTERS = 200;

export const MAX_PATTERN_CHARACTERS = 1_000;
/** All patterns of a suite together. Parsing hostile ones of this length takes seconds. */
export const MAX_SUITE_PATTERN_CHARACTERS = 100_000;

interface SuiteFault {
	readonly path: readonly (string | number)[];
	readonly message: string;
}

/** Finds the faults of a test suite that has passed the schema, at most one in each case. */
export function findSuiteFaults(cases: readonly TestCase[]): SuiteFault[] {
	const patterns = cases.filter(({ match_type }) => match_type === "regex");
	if (patterns.reduce((sum, { expected_output }) => sum + expected_output.length, 0) > MAX_SUITE_PATTERN_CHARACTERS) {
		return [{ path: ["test_cases"], message: `must have patterns of at most ${MAX_SUITE_PATTERN_CHARACTERS} characters together` }];
	}
	return cases.flatMap((testCase, index) => {
		const fault = findCaseFault(testCase);
		return fault === null ? [] : [{ path: ["test_cases", index, fault.field], message: fault.message }];
	});
}

function findCaseFault({ name, expected_output, match_type }: TestCase): { field: string; message: string } | null {
	if (name.length > 2 * MAX_TEST_NAME_CHARACTERS || [...name].length > MAX_TEST_NAME_CHARACTERS) {
		return { field: "name", message: `must have at most ${MAX_TEST_NAME_CHARACTERS} characters` };
	}
	if (!isOneLine(name)) return { field: "name", message: ONE_LINE_RULE };
	if (match_type !== "regex") return null;
	if (expected_output.length > MAX_PATTERN_CHARACTERS) {
		return { field: "expected_output", message: `must have at most ${MAX_PATTERN_CHARACTERS} characters if it is a pattern` };
	}
	const fault = findPatternFault(expected_output);
	if (fault === null) return null;
	return { field: "expected_output", message: `must be an RE2 pattern, which has no lookaround and no backreferences: ${fault}` };
}

/** The minimum time between now and the deadline of a draft. */
export const MIN_LEAD_MS = 24 * 60 * 60 * 1000;
/** For rubrics only. The two weights of a mode can always be given exactly. */
const WEIGHT_TOLERANCE = 0.01;
/** Floating-point sums of weights such as 33.33 + 33.33 + 33.34 differ from 100 by less than this. */
const FLOAT_NOISE = 1e-9;

/** @throws AppError `INVALID_BODY` when the deadline is less than 24 hours ahead. Times are milliseconds since the epoch. */
export function assertDeadlineAhead(deadline: number, now: number): void {
	if (deadline >= now + MIN_LEAD_MS) return;
	throw invalidInput("INVALID_BODY", [{ path: "deadline", message: "must be at least 24 hours from now" }]);
}

/**
 * Returns a deadline that gives the clone as much time as the original had from creation to deadline, but at least 24 hours. Times are
 * milliseconds since the epoch.
 */
export function deadlineOfClone(original: Pick<TaskRow, "deadline" | "createdAt">, now: number): number {
	return now + Math.max(MIN_LEAD_MS, original.deadline - original.createdAt);
}

/** @throws AppError `INVALID_WEIGHTS` unless every weight is positive and they sum to 100 within 0.01. */
export function assertRubricWeights(criteria: readonly { readonly weight: number }[]): void {
	const faults: FieldFault[] = criteria.flatMap(({ weight }, index) =>
		weight > 0 ? [] : [{ path: `criteria[${index}].weight`, message: "must be positive" }],
	);
	const sum = criteria.reduce((total, { weight }) => total + weight, 0);
	if (!sumsToHundred(sum, WEIGHT_TOLERANCE))
		faults.push({ path: "criteria", message: `weights must sum to 100, these sum to ${Math.round(sum * 100) / 100}` });
	if (faults.length > 0) throw invalidInput("INVALID_WEIGHTS", faults.slice(0, 20));
}

function sumsToHundred(sum: number, tolerance = 0): boolean {
	return Math.abs(sum - 100) <= tolerance + FLOAT_NOISE;
}

/**
 * Returns the rubric as others see it before the final round has ended: hidden criteria show only their weight, position and commitment.
 */
export function hideCriteria(criteria: readonly CriterionRow[]): CriterionRow[] {
	// Names are unique in a rubric. The names of hidden criteria are not skipped, because that would reveal them.
	const taken = new Set(criteria.flatMap(({ held, name }) => (held ? [] : [foldName(name)])));
	let hidden = 0;
	return criteria.map((criterion) => {
		if (!criterion.held) return criterion;
		do hidden += 1;
		while (taken.has(`Hidden criterion ${hidden}`));
		const name = `Hidden criterion ${hidden}`;
		return { ...criterion, name, description: null, evidence: "work", checks: [], wholeChecks: [] };
	});
}

/** @throws AppError `INVALID_WEIGHTS` if there is no rubric, or its weights are invalid. */
export function assertRubric(criteria: readonly { readonly weight: number }[]): void {
	if (criteria.length === 0) {
		throw new AppError("INVALID_WEIGHTS", {
			message: "The task has no rubric. PUT /api/v1/tasks/{id}/rubric sets one whose weights sum to 100.",
		});
	}
	assertRubricWeights(criteria);
}

interface EvaluationInput {
	readonly eval_mode?: EvalMode | null | undefined;
	readonly eval_callback_url?: string | null | undefined;
}

/**
 * Determines the mode of a new task. A callback URL makes the task external.
 *
 * @throws AppError `INVALID_BODY` when mode and callback URL contradict each other.
 */
export function resolveEvalMode({ eval_mode, eval_callback_url }: EvaluationInput): EvalMode {
	const hasCallback = eval_callback_url !== null && eval_callback_url !== undefined;
	const mode = eval_mode ?? (hasCallback ? CALLBACK_MODE : DEFAULT_MODE);
	if (MODES[mode].isExternal && !hasCallback) {
		throw invalidInput("INVALID_BODY", [{ path: "eval_callback_url", message: `is required when eval_mode is ${mode}` }]);
	}
	if (!MODES[mode].isExternal && hasCallback) {
		throw invalidInput("INVALID_BODY", [{ path: "eval_callback_url", message: `cannot be combined with eval_mode ${mode}` }]);
	}
	return mode;
}

/**
 * Determines the weights of test_score and llm_score in the final score. If only one is given, the other is 100 minus that. If none is
 * given, the mode's default applies.
 *
 * @throws AppError `INVALID_WEIGHTS` when the pair does not sum to 100 or contradicts the mode.
 */
export function resolveScoreWeights(mode: EvalMode, given: { test?: number | undefined; llm?: number | undefined }): ScoreWeights {
	const expected = MODES[mode].defaultWeights;
	if (given.test === undefined && given.llm === undefined) return expected;
	const testWeight = given.test ?? 100 - (given.llm ?? 0);
	const llmWeight = given.llm ?? 100 - testWeight;
	if (!sumsToHundred(testWeight + llmWeight)) {
		throw invalidInput("INVALID_WEIGHTS", [{ path: "test_weight", message: "test_weight and llm_weight must sum to 100" }]);
	}
	if (!MODES[mode].hasFreeWeights && (testWeight !== expected.testWeight || llmWeight !== expected.llmWeight)) {
		const pair = `${expected.testWeight}/${expected.llmWeight}`;
		throw invalidInput("INVALID_WEIGHTS", [{ path: "test_weight", message: `eval_mode ${mode} requires test_weight/llm_weight ${pair}` }]);
	}
	return { testWeight, llmWeight };
}

/** @throws AppError `INVALID_BODY` when a mode that runs an image has none. */
export function assertEvalImage(mode: EvalMode, image: string | null): void {
	if (!MODES[mode].usesImage || image !== null) return;
	throw invalidInput("INVALID_BODY", [{ path: "eval_image", message: `is required when eval_mode is ${mode}` }]);
}

/**
 * @throws AppError `INVALID_BODY` for a sealed task whose poster would get the files anyway: an external task sends every submission to the
 * poster's service, and an image with network access can send it anywhere.
 */
export function resolveSealed(mode: EvalMode, { sealed, network }: { readonly sealed: boolean; readonly network: boolean }): boolean {
	if (!sealed) return false;
	const rival = MODES[mode].isExternal ? `eval_mode ${mode}` : network ? "eval_network" : null;
	if (rival === null) return true;
	throw invalidInput("INVALID_BODY", [{ path: "sealed", message: `cannot be combined with ${rival}` }]);
}

type DraftJudging = Pick<TaskRow, "sealed" | "evalMode" | "evalImage" | "evalNetwork" | "evalCallbackUrl" | "testWeight" | "llmWeight">;

/**
 * Decides how a draft is judged after a change. Leaving external mode removes the callback. A task that becomes external needs a callback
 * token and must not be sealed. If the change sets a mode that runs an image, the draft must have one.
 *
 * @throws AppError `INVALID_BODY`, `INVALID_WEIGHTS`, as for a new task.
 */
export function changedEvaluation(
	draft: DraftJudging,
	input: EvaluationInput & {
		readonly sealed?: boolean | undefined;
		readonly eval_image?: string | null | undefined;
		readonly eval_network?: boolean | undefined;
		readonly test_weight?: number | undefined;
		readonly llm_weight?: number | undefined;
	},
) {
	const evalMode = changedMode(draft, input);
	const evalImage = input.eval_image === undefined ? draft.evalImage : input.eval_image;
	if (input.eval_mode !== undefined) assertEvalImage(evalMode, evalImage);
	const { isExternal } = MODES[evalMode];
	const evalCallbackUrl = isExternal ? (input.eval_callback_url ?? draft.evalCallbackUrl) : null;
	const network = input.eval_network ?? draft.evalNetwork;
	const sealed = resolveSealed(evalMode, { sealed: input.sealed ?? draft.sealed, network });
	const noToken = isExternal ? {} : { evalCallbackTokenHash: null, evalCallbackTokenEncrypted: null };
	const keepsWeights = evalMode === draft.evalMode && input.test_weight === undefined && input.llm_weight === undefined;
	const weights = keepsWeights
		? { testWeight: draft.testWeight, llmWeight: draft.llmWeight }
		: resolveScoreWeights(evalMode, { test: input.test_weight, llm: input.llm_weight });
	return {
		needsToken: isExternal && !MODES[draft.evalMode].isExternal,
		change: { evalMode, evalImage, evalCallbackUrl, sealed, ...weights, ...noToken },
	};
}

/**
 * A callback URL without a mode makes a draft external, as it does for a new task. An external draft keeps its callback URL, unless the
 * change has another.
 */
function changedMode(draft: DraftJudging, { eval_mode, eval_callback_url }: EvaluationInput): EvalMode {
	if (eval_mode === undefined && eval_callback_url == null) {
		const isDropped = eval_callback_url === null && MODES[draft.evalMode].isExternal;
		return isDropped ? resolveEvalMode({ eval_mode: draft.evalMode, eval_callback_url }) : draft.evalMode;
	}
	const staysExternal = eval_mode != null && MODES[eval_mode].isExternal && eval_callback_url === undefined;
	return resolveEvalMode({ eval_mode, eval_callback_url: staysExternal ? draft.evalCallbackUrl : eval_callback_url });
}

/**
 * @param hasJudge True if this deployment has a judge, or the task is a test task.
 * @throws AppError `BAD_REQUEST` if nothing could score submissions in this mode.
 */
export function assertJudgeable(mode: EvalMode, hasJudge: boolean): void {
	if (hasJudge || !MODES[mode].usesJudge) return;
	throw new AppError("BAD_REQUEST", {
		message: `This deployment has no judge configured, and eval_mode ${mode} needs one. Use eval_mode container or external, or ask its operator to configure a judge.`,
	});
}

/**
 * Decides who can read a new task. A test task is always invite-only.
 *
 * @throws AppError `INVALID_BODY` for a public test task.
 */
export function resolveAccess({
	test,
	access,
}: {
	readonly test: boolean;
	readonly access?: TaskRow["access"] | undefined;
}): TaskRow["access"] {
	if (test && access !== undefined && !isInvited({ access }))
		throw invalidInput("INVALID_BODY", [{ path: "access", message: "must have the value invited for a test task" }]);
	return access ?? (test ? "invited" : "public");
}

/** How an agent takes part in a task, which decides whether it can see a task that is not public. */
export interface Participation {
	/** True if the agent has submitted. */
	readonly hasEntered: boolean;
	/** True if the agent has joined with the invite code. */
	readonly isMember: boolean;
}

/** A reader without a key, or an agent that has neither joined nor submitted. */
export const NO_PART: Participation = { hasEntered: false, isMember: false };

/**
 * Only the owner can see a draft. Besides the owner, only agents that have submitted can see a hidden task, and only agents that have
 * joined can see an invite-only task.
 */
export function canSeeTask(
	task: Pick<TaskRow, "companyId" | "status" | "hidden" | "access">,
	agentId: string,
	part: Participation,
): boolean {
	if (task.companyId === agentId) return true;
	return task.status !== "draft" && (!task.hidden || part.hasEntered) && (!isInvited(task) || part.isMember);
}

/** Returns true while the owner of the task may not read the submitted work. */
export function isSealed({ sealed, status }: Pick<TaskRow, "sealed" | "status">): boolean {
	return sealed && status !== "closed";
}

/** Returns true while the seal keeps this reader from the submitted work. It only affects the owner, except for the owner's own work. */
export function isSealedFor(
	task: Pick<TaskRow, "sealed" | "status" | "companyId">,
	{ readerId, authorId }: { readerId: string; authorId: string | null },
) {
	return isSealed(task) && readerId === task.companyId && readerId !== authorId;
}

export function workIsSealed(): AppError {
	const message = "The task is sealed, so its owner can read the submitted work only after the task has closed.";
	return new AppError("TASK_NOT_CLOSED", { message });
}

/** Returns true unless everyone can see the published task. */
export function isRestricted(task: Pick<TaskRow, "hidden" | "access">): boolean {
	return task.hidden || isInvited(task);
}

/** @throws AppError `FORBIDDEN` unless the agent is the poster. */
export function assertOwner(task: Pick<TaskRow, "companyId">, agentId: string): void {
	if (task.companyId !== agentId) throw new AppError("FORBIDDEN", { message: "Only the task's owner may do this." });
}

/** @throws AppError `CONFLICT` once the task is published. */
export function assertEditable(task: Pick<TaskRow, "status">): void {
	if (task.status === "draft") return;
	throw new AppError("CONFLICT", { message: "The task is published, and only drafts can be edited. Create a new task instead." });
}

/**
 * @param now Milliseconds since the epoch.
 * @throws AppError `INVALID_TRANSITION`, `INVALID_WEIGHTS`, `BAD_REQUEST` or `DEADLINE_PASSED`, in this order.
 */
export function assertPublishable(
	task: Pick<TaskRow, "status" | "hidden" | "deadline" | "evalMode" | "evalImage">,
	criteria: readonly { weight: number }[],
	now: number,
): void {
	if (!canTaskMove(task.status, TASK_TRANSITIONS.publish))
		throw new AppError("INVALID_TRANSITION", { message: `The task is ${task.status}; only a draft can be published.` });
	if (task.hidden) {
		throw new AppError("INVALID_TRANSITION", {
			message: "An operator of this platform has taken the task down, so it cannot be published.",
		});
	}
	assertRubric(criteria);
	if (MODES[task.evalMode].usesImage && task.evalImage === null) {
		throw new AppError("BAD_REQUEST", {
			message: `eval_mode ${task.evalMode} needs an eval_image. PATCH the task with one, then publish.`,
		});
	}
	if (isOver(task, now))
		throw new AppError("DEADLINE_PASSED", { message: "The deadline has passed. PATCH the task with a later one, then publish." });
}

/** @throws AppError `INVALID_TRANSITION` unless the task is a draft. */
export function assertDeletable(task: Pick<TaskRow, "status">): void {
	if (task.status === "draft") return;
	throw new AppError("INVALID_TRANSITION", { message: `The task is ${task.status}; only a draft can be deleted.` });
}

/**
 * @param deadline The new deadline. Times are milliseconds since the epoch.
 * @throws AppError `INVALID_TRANSITION` unless the task still accepts submissions, `INVALID_BODY` unless the new deadline is later.
 */
export function assertExtendable(task: Pick<TaskRow, "status" | "deadline">, deadline: number, now: number): void {
	if (!canTaskMove(task.status, TASK_TRANSITIONS.deadline)) {
		const hint = task.status === "draft" ? " To change the deadline of a draft, PATCH the task." : "";
		throw new AppError("INVALID_TRANSITION", { message: `The task is ${task.status}; only an open task can be extended.${hint}` });
	}
	if (isOver(task, now)) throw new AppError("INVALID_TRANSITION", { message: "The deadline has passed, so it can no longer be moved." });
	if (deadline <= task.deadline) {
		throw invalidInput("INVALID_BODY", [{ path: "deadline", message: "must be later than the current deadline" }]);
	}
}

/**
 * A task may have at most this number of deadlines, because everyone can read them, and each change notifies all agents that have
 * submitted.
 */
const MAX_DEADLINES = 50;

/** @throws AppError `CONFLICT` if the task has had the maximum number of deadlines. */
export function assertDeadlinesLeft(deadlines: number): void {
	if (deadlines < MAX_DEADLINES) return;
	throw new AppError("CONFLICT", {
		message: `The deadline cannot be moved again: it has already been moved ${MAX_DEADLINES - 1} times, which is the maximum.`,
	});
}

/** @throws AppError `INVALID_TRANSITION` unless the task is open or evaluating. */
export function assertClosable(task: Pick<TaskRow, "status">): void {
	if (canTaskMove(task.status, TASK_TRANSITIONS.close)) return;
	throw new AppError("INVALID_TRANSITION", { message: `The task is ${task.status}; only an open or evaluating task can be closed.` });
}

/**
 * Decides which status a task moves to by itself. Returns null if it does not move.
 *
 * @param isJudging True if a submission is being evaluated, or an extension is still working on the ranks.
 * @param now Milliseconds since the epoch.
 */
export function nextStatus(task: Pick<TaskRow, "status" | "deadline">, isJudging: boolean, now: number): "evaluating" | "closed" | null {
	const { lastJudged, deadline, deadlineWhileJudging } = TASK_TRANSITIONS;
	if (canTaskMove(task.status, lastJudged)) return isJudging ? null : lastJudged.to;
	if (!canTaskMove(task.status, deadline) || !isOver(task, now)) return null;
	return isJudging ? deadlineWhileJudging.to : deadline.to;
}

/** Counts the submission slots of one agent on one task. */
export function quotaOf(used: number, limit: number) {
	return { used, limit, remaining: Math.max(0, limit - used) };
}
