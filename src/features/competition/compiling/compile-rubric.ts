import * as z from "zod";
import { SAMPLE_COUNTS } from "../../../domain/checks.ts";
import { EvaluationFault } from "../../../domain/evaluation-fault.ts";
import { CRITERIA, ID } from "../../../domain/example-story.ts";
import { MODES } from "../../../domain/modes.ts";
import { sumUsage, taskCeilingOf, type Usage } from "../../../domain/spend.ts";
import { endpoint } from "../../../http/endpoint.ts";
import { idParams } from "../../../http/fields.ts";
import { MINUTE_MS } from "../../../platform/clock.ts";
import type { Ctx } from "../../../ports/deps.ts";
import type { Judge, TaskBrief } from "../../../ports/judge.ts";
import { taskVerb, unlessDeleted } from "../../../ports/task.ts";
import { findPayer } from "../../identity/network-caps/payer.ts";
import { compileByModel, compileByRules } from "../../judging/checks/criterion-checks.ts";
import { findPause } from "../evaluation/pause.ts";
import { addTaskUsage } from "../judgements/usage.ts";
import { divideEstimate } from "../spend/rules.ts";
import { readLimits, reserveDay, settleDay } from "../spend/service.ts";
import { findRoom } from "../spend/task-scope.ts";
import { compiledFields } from "../tasks/rubric.ts";
import { assertEditable } from "../tasks/rules.ts";
import { readCriteria, readOwnTask } from "../tasks/store.ts";

const compiledRubric = z
	.object({
		criteria: z
			.array(z.object({ name: z.string().describe("The name of the criterion."), ...compiledFields }))
			.describe("The proposal for each criterion, in the order of the rubric."),
		source: z
			.enum(["model", "rules"])
			.describe(
				"`model`: the deployment's model has written the proposal. `rules`: it follows from the descriptions, because no model was asked or none replied.",
			),
	})
	.meta({ id: "CompiledRubric", description: "A proposal for the checks and anchors of a rubric." });

export const compileRubric = endpoint({
	method: "post",
	path: "/api/v1/tasks/{id}/compile-rubric",
	operationId: "compileRubric",
	summary: "Propose checks for a draft's rubric",
	description: [
		"For each criterion, proposes checks that a judge can answer from the files, and what levels 1, 3 and 5 mean. Stores nothing: edit the proposal and send it with `PUT /api/v1/tasks/{id}/rubric`.",
		"Where a model judges, it writes the proposal, which counts as judging of the task. Otherwise, and when the model fails or a spending ceiling leaves no room, the proposal has the sentences and list items of the descriptions. Can take a minute.",
	].join("\n\n"),
	tags: ["Poster"],
	auth: "key",
	rate: "mutation",
	params: idParams,
	response: { status: 200, description: "The proposal.", schema: compiledRubric },
	errors: ["NOT_FOUND", "FORBIDDEN", "CONFLICT"],
	page: "concepts/rubrics",
	examples: {
		params: { id: ID.task },
		responses: {
			proposal: {
				value: { criteria: CRITERIA.map(({ name, checks, anchors }) => ({ name, checks: [...checks], anchors })), source: "model" },
			},
		},
	},

	async handle(ctx, { params: { id } }) {
		const { task, criteria } = await readForCompiling(ctx, id, { by: ctx.actor.agentId });
		const { judge } = ctx;
		if (judge === null || !MODES[task.evalMode].usesJudge || criteria.length === 0) return compileByRules(criteria);
		if ((await findPause(ctx)) !== null) return compileByRules(criteria);
		const reservation = await reserve(ctx, { task, criteria, judge });
		if (reservation === null) return compileByRules(criteria);
		const compiled = compileAndSettle(ctx, { task, criteria, judge }, reservation);
		// The runtime ends a request whose client goes away, but the provider still charges for its calls.
		ctx.background(compiled);
		return compiled;
	},
});

const readForCompiling = taskVerb("readForCompiling", (store, { by }: { by: string }) => {
	const task = readOwnTask(store, by);
	assertEditable(task);
	return { task, criteria: readCriteria(store) };
});

interface Compiling extends Awaited<ReturnType<typeof readForCompiling>> {
	readonly judge: Judge;
}

function briefOf({ title, description, inputSpec, outputSpec }: Compiling["task"]): TaskBrief {
	return { title, description, inputSpec, outputSpec, attachments: [] };
}

interface Reservation {
	readonly id: string;
	/** The amount is in millionths of a US dollar. */
	readonly amount: number;
}

/** Reserves what the calls are expected to cost. Returns null if a spending ceiling leaves no room. */
async function reserve(ctx: Ctx, { task, criteria, judge }: Compiling): Promise<Reservation | null> {
	const [id, limits] = [ctx.ids.next(), await readLimits(ctx)];
	const amount = judge.estimate({
		...{ task: briefOf(task), criteria, files: [], unreadPaths: [], missingSections: [], facts: [] },
		samples: SAMPLE_COUNTS.usual,
	}).costMicroUsd;
	if (!(await beginCompiling(ctx, task.id, { amount, ceiling: taskCeilingOf(limits.ceilings, task.budgetCents) }))) return null;
	const { ofDay: payer } = await findPayer(ctx, task.id);
	const payers = { submitter: payer, poster: null, posterId: task.companyId };
	const parts = divideEstimate({ amount, criteria: criteria.length, checks: 0 }, payers, { ...limits, isFirst: false });
	try {
		await reserveDay(ctx, { job: id, claim: 1 }, { taskId: task.id, parts });
		return { id, amount };
	} catch (error) {
		await endCompiling(ctx, task.id, { amount, used: sumUsage([]) });
		if (error instanceof EvaluationFault) return null;
		throw error;
	}
}

/** Settles in any case, because a provider charges for what it has answered. */
async function compileAndSettle(ctx: Ctx, { task, criteria, judge }: Compiling, { id, amount }: Reservation) {
	const calls: Usage[] = [];
	try {
		return await compileByModel(criteria, {
			judge,
			task: briefOf(task),
			requestId: ctx.requestId,
			signal: AbortSignal.timeout(MINUTE_MS),
			onCall: (call) => calls.push({ calls: 1, ...call }),
		});
	} finally {
		const used = sumUsage(calls);
		await settleDay(ctx, { job: id, claim: 1 }, { ...used, evaluations: 0 });
		await unlessDeleted(endCompiling(ctx, task.id, { amount, used }));
	}
}

/** Counts the estimate for the task at once, if its ceiling has room. If the request dies, the estimate stays counted. */
const beginCompiling = taskVerb("beginCompiling", (task, { amount, ceiling }: { amount: number; ceiling: number | null }) => {
	if (findRoom(task, { amount, fund: "poster", isFirst: false, agentId: null, jobId: null, ceiling }) !== "room") return false;
	addTaskUsage(task, { ...sumUsage([]), costMicroUsd: amount }, { posterMicroUsd: amount, posterRuns: 1 });
	return true;
});

/** Replaces the estimate by what the calls have cost. */
const endCompiling = taskVerb("endCompiling", (task, { amount, used }: { amount: number; used: Usage }): void => {
	const costMicroUsd = (used.costMicroUsd ?? 0) - amount;
	addTaskUsage(task, { ...used, costMicroUsd }, { posterMicroUsd: costMicroUsd, posterRuns: used.calls === 0 ? -1 : 0 });
});
