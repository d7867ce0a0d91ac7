// Asks the judge about a rubric before there are submissions: when the poster requests a proposal, and when the task is published. The
// poster pays.
import type { CriterionRow, TaskRow } from "../../../db/task/schema/task.ts";
import { EvaluationFault } from "../../../domain/evaluation-fault.ts";
import { MODES } from "../../../domain/modes.ts";
import { sumUsage, taskCeilingOf, type Usage } from "../../../domain/spend.ts";
import type { Ctx, Deps } from "../../../ports/deps.ts";
import type { CallWatch, Judge, SupplierReports, TaskBrief } from "../../../ports/judge.ts";
import { taskVerb, unlessDeleted } from "../../../ports/task.ts";
import { findPayer } from "../../identity/network-caps/payer.ts";
import { findWait, openReports } from "../../judging/breaker/reports.ts";
import { withChecks } from "../../judging/checks/criterion-checks.ts";
import { judgeOf } from "../../judging/engine/judge-of-task.ts";
import { addTaskUsage } from "../judgements/usage.ts";
import { divideEstimate } from "../spend/rules.ts";
import { readLimits, reserveDay, settleDay } from "../spend/service.ts";
import { findRoom } from "../spend/task-scope.ts";
import { findPause } from "../tasks/hold-ups.ts";

interface AskedRubric {
	readonly task: TaskRow;
	readonly criteria: readonly CriterionRow[];
}

type Watch = Pick<CallWatch, "requestId" | "onCall" | "suppliers">;

/**
 * Reserves the cost, then asks the judge's first model. Returns null if there is nothing to ask, no model judges the task, judging is
 * paused, the model's supplier is down, or a spending ceiling is reached.
 */
export async function askAboutRubric<Answer>(
	ctx: Ctx,
	{ task, criteria }: AskedRubric,
	ask: (judge: Judge, watch: Watch) => Promise<Answer>,
): Promise<Answer | null> {
	const judge = judgeOf(ctx, task);
	if (judge === null || !MODES[task.evalMode].usesJudge || criteria.length === 0) return null;
	const estimate = judge.estimate({
		...{ task: briefOf(task), criteria: withChecks(criteria) },
		...{ files: [], unreadPaths: [], missingSections: [], facts: [], samples: 1 },
	});
	if (estimate.calls === 0 || (await findPause(ctx)) !== null) return null;
	const suppliers = await openFirst(ctx, task, judge);
	if (suppliers === null) return null;
	const reservation = await reserve(ctx, task, { amount: estimate.costMicroUsd, criteria: criteria.length });
	if (reservation === null) return null;
	const answered = askAndSettle(ctx, task, { reservation, ask: (watch) => ask(judge, { ...watch, suppliers }) });
	// If the client disconnects, the runtime cancels the request, but the supplier still charges for its calls, so they must still be
	// settled.
	ctx.background(answered);
	return answered;
}

/**
 * Returns null while the circuit breaker of the first model's supplier is open. Once the supplier may be probed, this question is the
 * probe.
 */
async function openFirst(ctx: Ctx, { id: subjectId }: TaskRow, { models }: Judge): Promise<SupplierReports | null> {
	const judges = [{ models: models.slice(0, 1), confirmer: null }];
	const reports = await openReports(ctx, { subjectId, judges });
	// Faults of this question are not reported, because the circuit breaker only counts faults in judging submissions.
	return findWait(judges, reports) === null ? { ...reports, noteFault() {} } : null;
}

/** Returns what the judge reads besides the rubric: the task's texts, without attachments. */
export function briefOf({ title, description, inputSpec, outputSpec }: TaskRow): TaskBrief {
	return { title, description, inputSpec, outputSpec, attachments: [] };
}

/** Aborts the calls after a time limit in milliseconds. */
export async function within<Result>(
	{ clock }: Pick<Deps, "clock">,
	ms: number,
	run: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
	const controller = new AbortController();
	const cancel = clock.after(ms, () => controller.abort(new Error("The model took too long to answer a question about the rubric.")));
	try {
		return await run(controller.signal);
	} finally {
		cancel();
	}
}

interface Reservation {
	readonly id: string;
	/** The expected cost, in millionths of a US dollar. */
	readonly amount: number;
}

/** Reserves the expected cost of the calls. Returns null if a spending ceiling does not allow it. */
async function reserve(
	ctx: Ctx,
	task: TaskRow,
	{ amount, criteria }: { readonly amount: number; readonly criteria: number },
): Promise<Reservation | null> {
	const [id, limits] = [ctx.ids.next(), await readLimits(ctx)];
	if (!(await beginAsking(ctx, task.id, { amount, ceiling: taskCeilingOf(limits.ceilings, task.budgetCents) }))) return null;
	const { ofDay: payer } = await findPayer(ctx, task.id);
	const payers = { submitter: payer, poster: null, posterId: task.companyId };
	const parts = divideEstimate({ amount, criteria, checks: 0 }, payers, { ...limits, isFirst: false });
	try {
		await reserveDay(ctx, { job: id, claim: 1 }, { taskId: task.id, parts });
		return { id, amount };
	} catch (error) {
		await endAsking(ctx, task.id, { amount, used: sumUsage([]) });
		if (error instanceof EvaluationFault) return null;
		throw error;
	}
}

/** Settles the cost even after a failure, because the supplier has charged for every call that it completed. */
async function askAndSettle<Answer>(
	ctx: Ctx,
	{ id: taskId }: TaskRow,
	{ reservation, ask }: { readonly reservation: Reservation; readonly ask: (watch: Watch) => Promise<Answer> },
): Promise<Answer> {
	const calls: Usage[] = [];
	try {
		return await ask({ requestId: ctx.requestId, onCall: (call) => calls.push({ calls: 1, ...call }) });
	} finally {
		const used = sumUsage(calls);
		await settleDay(ctx, { job: reservation.id, claim: 1 }, { ...used, evaluations: 0 });
		await unlessDeleted(endAsking(ctx, taskId, { amount: reservation.amount, used }));
	}
}

/** Adds the estimate to the task's cost up front, if the task's ceiling allows it. If the request dies, the estimate stays in the cost. */
const beginAsking = taskVerb("beginAsking", (task, { amount, ceiling }: { amount: number; ceiling: number | null }) => {
	if (findRoom(task, { amount, fund: "poster", isFirst: false, agentId: null, jobId: null, ceiling }) !== "room") return false;
	addTaskUsage(task, { ...sumUsage([]), costMicroUsd: amount }, { posterMicroUsd: amount, posterRuns: 1 });
	return true;
});

/** Replaces the estimate with the actual cost. */
const endAsking = taskVerb("endAsking", (task, { amount, used }: { amount: number; used: Usage }): void => {
	const costMicroUsd = (used.costMicroUsd ?? 0) - amount;
	addTaskUsage(task, { ...used, costMicroUsd }, { posterMicroUsd: costMicroUsd, posterRuns: used.calls === 0 ? -1 : 0 });
});
