import * as z from "zod";
import { AppError } from "../../../domain/errors.ts";
import { CRITERIA, ID } from "../../../domain/example-story.ts";
import { MODES } from "../../../domain/modes.ts";
import { CEILING_SCOPES, NO_SPEND, scaleSpend, type Usage } from "../../../domain/spend.ts";
import { endpoint } from "../../../http/endpoint.ts";
import { idParams } from "../../../http/fields.ts";
import { MINUTE_MS } from "../../../platform/clock.ts";
import { describeError } from "../../../platform/log.ts";
import type { Ctx } from "../../../ports/deps.ts";
import type { Judge } from "../../../ports/judge.ts";
import { taskVerb } from "../../../ports/task.ts";
import { countForNetwork } from "../../identity/network-caps/service.ts";
import { compileByModel, compileByRules } from "../../judging/checks/criterion-checks.ts";
import { findPause } from "../evaluation/pause.ts";
import { spendLevel } from "../evaluation/record.ts";
import { addTaskUsage } from "../judgements/usage.ts";
import { ceilingsOf, hasCeiling, hasRoomFor } from "../spend/rules.ts";
import { findLevels, readCeilings, recordUsage } from "../spend/service.ts";
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
		"Where a model judges, it writes the proposal, which counts as judging of the task. Otherwise, and when the model fails, a spending ceiling leaves no room or an anonymous poster's network has used its evaluations of the day, the proposal has the sentences and list items of the descriptions. Can take a minute.",
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
		const draft = await readDraft(ctx, id);
		const { task, criteria } = draft;
		const { judge } = ctx;
		if (judge?.proposeChecks === undefined || !MODES[task.evalMode].usesJudge) return compileByRules(criteria);
		if (!(await hasRoom(ctx, draft)) || !(await isWithinCap(ctx))) return compileByRules(criteria);
		const compiled = compileAndCount(ctx, draft, judge);
		// The runtime ends a request whose client goes away, but the provider still charges for its calls.
		ctx.background(compiled);
		return compiled;
	},
});

const readForCompiling = taskVerb("readForCompiling", (store, { by }: { by: string }) => {
	const task = readOwnTask(store, by);
	assertEditable(task);
	return { task, criteria: readCriteria(store), level: spendLevel(store) };
});

type Draft = Awaited<ReturnType<typeof readDraft>>;

function readDraft(ctx: Ctx, id: string) {
	return readForCompiling(ctx, id, { by: ctx.actor.agentId });
}

/** Returns false while judging is paused, and when the calls could exceed a spending ceiling. */
async function hasRoom(ctx: Ctx, { task, criteria, level }: Draft): Promise<boolean> {
	const [criterion] = criteria;
	if (criterion === undefined || (await findPause(ctx)) !== null) return false;
	const ceilings = ceilingsOf(task, await readCeilings(ctx));
	if (!hasCeiling(ceilings)) return true;
	const estimate = ctx.judge?.estimateCall?.({ task, criterion, files: [], unreadPaths: [], missingSections: [] });
	const wanted = estimate === undefined ? NO_SPEND : scaleSpend(estimate, criteria.length);
	const levels = await findLevels(ctx, task, { ceilings, ofTask: level });
	return CEILING_SCOPES.every((scope) => hasRoomFor(wanted, levels[scope], ceilings[scope]));
}

/** Counts the proposal as an evaluation for the network of an anonymous poster. Returns false if the day's cap allows no further one. */
async function isWithinCap(ctx: Ctx): Promise<boolean> {
	if (ctx.actor.tier !== "anonymous") return true;
	try {
		await countForNetwork(ctx, ctx.actor.agentId, { evaluations: 1 });
		return true;
	} catch (error) {
		if (error instanceof AppError && error.code === "RATE_LIMITED") return false;
		throw error;
	}
}

/** Counts each call at once, because a request without a client is ended after 30 seconds. */
async function compileAndCount(ctx: Ctx, { task, criteria }: Draft, judge: Judge) {
	const counts: Promise<void>[] = [];
	const compiled = await compileByModel(criteria, {
		judge,
		task,
		signal: AbortSignal.timeout(MINUTE_MS),
		onCall: (call) => counts.push(countUsage(ctx, task, { calls: 1, ...call })),
	});
	await Promise.all(counts);
	return compiled;
}

const countCompiling = taskVerb("countCompiling", (task, { used }: { used: Usage }): void => {
	addTaskUsage(task, used);
});

/** A failure is only logged, because the proposal is ready and its calls cannot be undone. */
async function countUsage(ctx: Ctx, task: Draft["task"], used: Usage): Promise<void> {
	try {
		await countCompiling(ctx, task.id, { used });
		await recordUsage(ctx, task.companyId, used);
	} catch (error) {
		ctx.log.error("usage_not_recorded", { task_id: task.id, ...describeError(error) });
	}
}
