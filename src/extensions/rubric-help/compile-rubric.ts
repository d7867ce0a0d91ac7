import * as z from "zod";
import { askAboutRubric, briefOf, within } from "../../core/competition/compiling/ask-judge.ts";
import * as rules from "../../core/competition/compiling/rules.ts";
import { compiledFields } from "../../core/competition/tasks/rubric.ts";
import { assertEditable } from "../../core/competition/tasks/rules.ts";
import { readCriteria, readOwnTask } from "../../core/competition/tasks/store.ts";
import {
	type CriterionProposal,
	describeProposal,
	fitProposals,
	proposeByModel,
	proposeByRules,
} from "../../core/judging/checks/criterion-checks.ts";
import { findWholeChecks } from "../../core/judging/checks/whole-checks.ts";
import { type CriterionRow, type TaskRow, tasks } from "../../db/task/schema/task.ts";
import { CRITERIA, ID } from "../../domain/example-story.ts";
import { endpoint } from "../../http/endpoint.ts";
import { idParams } from "../../http/fields.ts";
import { MINUTE_MS } from "../../platform/clock.ts";
import type { Ctx } from "../../ports/deps.ts";
import { taskVerb } from "../../ports/task.ts";

const SOURCES = ["model", "rules"] as const;

const compiledRubric = z
	.object({
		criteria: z
			.array(
				z.object({
					name: z.string().describe("The name of the criterion."),
					...compiledFields,
					notes: z
						.array(z.string())
						.describe(
							"What a judge would have to guess because it sees only files, and which checks a quote of a few lines cannot prove. If `source` is `rules`: what `POST /api/v1/tasks/{id}/lint` finds.",
						),
					source: z
						.enum(SOURCES)
						.describe(
							"`model`: the deployment's model wrote this proposal. `rules`: the proposal consists of the sentences and list items of the description.",
						),
				}),
			)
			.describe("The proposal for each criterion, in the order of the rubric."),
		source: z
			.enum(SOURCES)
			.describe(
				"`model`: the deployment's model wrote the proposal of at least one criterion. `rules`: no model wrote a proposal, because none was used or it did not reply.",
			),
	})
	.meta({ id: "CompiledRubric", description: "A proposal for the checks of a rubric." });

export const compileRubric = endpoint({
	method: "post",
	path: "/api/v1/tasks/{id}/compile-rubric",
	operationId: "compileRubric",
	owner: "rubric-help",
	summary: "Propose checks for a draft's rubric",
	description: [
		"Proposes checks that a judge can answer from the files, for each criterion, even if it already has checks. Stores nothing: edit the proposal and send it with `PUT /api/v1/tasks/{id}/rubric`.",
		"If the deployment has a model, it writes the proposal, and the cost counts toward the task's judging cost. Otherwise, or if the model fails or a spending ceiling is reached, the proposal consists of the sentences and list items of the descriptions. This can take a minute.",
		`A draft gets ${rules.COMPILATIONS_PER_HOUR} proposals an hour.`,
	].join("\n\n"),
	tags: ["Poster"],
	auth: "key",
	rate: "mutation",
	params: idParams,
	response: { status: 200, description: "The proposal.", schema: compiledRubric },
	errors: ["NOT_FOUND", "FORBIDDEN", "CONFLICT", "RATE_LIMITED"],
	page: "concepts/rubrics",
	examples: {
		params: { id: ID.task },
		responses: {
			proposal: {
				value: {
					criteria: CRITERIA.map(({ name, checks, evidence }, index) => ({
						...{ name, checks: [...checks], evidence },
						notes: index === 0 ? ["The judge cannot run the program, so a test or a sample of its output has to show the amounts."] : [],
						source: "model" as const,
					})),
					source: "model",
				},
			},
		},
	},

	async handle(ctx, { params: { id } }) {
		const rubric = await beginCompiling(ctx, id, { by: ctx.actor.agentId });
		const { task, criteria } = rubric;
		const { proposals, wholeChecks } = (await proposeByJudge(ctx, rubric)) ?? {
			proposals: fitProposals(proposeByRules(criteria), 0),
			wholeChecks: [],
		};
		return {
			criteria: criteria.flatMap((criterion, index) => {
				const proposal = proposals[index];
				const facts = { criterion, outputSpec: task.outputSpec, wholeChecks: wholeChecks[index] ?? [] };
				return proposal === undefined ? [] : [describeProposal(proposal, facts)];
			}),
			source: proposals.some(({ source }) => source === "model") ? ("model" as const) : ("rules" as const),
		};
	},
});

/** Counts the proposal in the draft's own row, without changing the draft's version. */
const beginCompiling = taskVerb("beginCompiling", (store, { by }: { by: string }) => {
	const task = readOwnTask(store, by);
	assertEditable(task);
	const compiledAt = rules.addCompilation(task.compiledAt, store.now);
	store.db.update(tasks).set({ compiledAt }).run();
	return { task, criteria: readCriteria(store) };
});

interface Compilation {
	readonly proposals: readonly CriterionProposal[];
	readonly wholeChecks: readonly (readonly number[])[];
}

function proposeByJudge(
	ctx: Ctx,
	{ task, criteria }: { readonly task: TaskRow; readonly criteria: readonly CriterionRow[] },
): Promise<Compilation | null> {
	return askAboutRubric(ctx, { task, criteria }, (judge, calls) =>
		within(ctx, MINUTE_MS, async (signal): Promise<Compilation> => {
			const watch = { ...calls, signal };
			const proposals = fitProposals(await proposeByModel(criteria, { judge, task: briefOf(task), watch }), 0);
			if (proposals.every(({ source }) => source === "rules")) return { proposals, wholeChecks: [] };
			const proposed = criteria.map((criterion, index) => ({ ...criterion, checks: proposals[index]?.checks ?? [] }));
			return { proposals, wholeChecks: await findWholeChecks(judge, proposed, watch) };
		}),
	);
}
