// A task has a rubric: the criteria as a poster sends them, as the task shows them, and as rows.
import * as z from "zod";
import type { CriterionRow } from "../../../db/task/schema/task.ts";
import { CHECK_LIMITS } from "../../../domain/anchors.ts";
import { EVIDENCE_KINDS } from "../../../domain/evaluation-rounds.ts";
import { CRITERIA } from "../../../domain/example-story.ts";
import { oneLineText, text } from "../../../http/fields.ts";

const evidence = z
	.enum(EVIDENCE_KINDS)
	.optional()
	.describe(
		"What can prove levels 3 to 5 of the criterion to the language model. `work` (default): the work itself, not prose, comments or descriptions. `any`: these too, for criteria that ask for documentation.",
	);

const anchor = text({ min: 1, max: CHECK_LIMITS.anchorCharacters });

const anchorsInput = z
	.object({
		"1": anchor.describe("What work of level 1 looks like: a beginning."),
		"3": anchor.describe("What work of level 3 looks like: mostly there."),
		"5": anchor.describe("What work of level 5 looks like: wholly there."),
	})
	.meta({ id: "AnchorsInput", description: "The poster's words say what the levels of one criterion mean." })
	.nullish();

const anchorsView = z
	.object({
		"1": z.string().describe("What work of level 1 looks like."),
		"3": z.string().describe("What work of level 3 looks like."),
		"5": z.string().describe("What work of level 5 looks like."),
	})
	.meta({ id: "Anchors", description: "The texts say what the levels of one criterion mean." })
	.nullable();

const check = text({ min: 1, max: CHECK_LIMITS.characters });

const checksInput = z
	.array(check)
	.max(CHECK_LIMITS.perCriterion)
	.refine((list) => new Set(list).size === list.length, "must be different from each other")
	.meta({ uniqueItems: true });

/** A compiled criterion has these in addition to its text. */
export const compiledFields = {
	checks: z
		.array(z.string())
		.describe("Questions that a judge answers from the files with yes, partly or no. Empty only in drafts, where publishing writes them."),
	anchors: anchorsView.describe("The texts say what levels 1, 3 and 5 mean for the criterion. Null without such texts."),
};

const criterionInput = z
	.object({
		name: oneLineText({ min: 1, max: 200 }).describe("The criterion's name. It must be unique in the rubric."),
		description: text({ max: 10_000 }).nullish().describe("The judge looks for this."),
		weight: z.number().meta({
			description: "How much of the score the criterion gives, in percent, more than 0. All weights of a rubric must sum to 100.",
			minimum: 0,
			maximum: 100,
		}),
		position: z.number().optional().describe("Where the criterion goes in the rubric, in ascending order. Default: its place in the list."),
		final_only: z
			.boolean()
			.default(false)
			.describe(
				"Whether only the final round judges the criterion, so that no one can tune to it. Until the round has ended, others see only its weight. Needs `final_round`, and another criterion that is not final only.",
			),
		evidence,
		checks: checksInput
			.optional()
			.describe(
				"Up to 8 questions about one thing each, which a judge answers from the files with yes, partly or no. Without any, publishing takes the sentences and list items of the description.",
			),
		anchors: anchorsInput.describe("The texts say what levels 1, 3 and 5 mean for this criterion."),
	})
	.meta({ id: "CriterionInput", description: "One criterion of a rubric." });

export const criteriaInput = z
	.array(criterionInput)
	.min(1)
	.max(50)
	.refine((list) => new Set(list.map((item) => item.name)).size === list.length, "names must be unique");

const criterionView = z
	.object({
		name: z.string().describe("The criterion's name, unique in the rubric."),
		description: z.string().nullable().describe("The judge looks for this. Null without a text."),
		weight: z.number().describe("How much of the score the criterion gives, in percent."),
		position: z.number().describe("The criterion's place in the rubric. Criteria are in ascending order."),
		final_only: z
			.boolean()
			.describe(
				"Whether only the final round judges the criterion. Until the round has ended, everyone but the owner sees the name `Hidden criterion 1` and so on, and no text.",
			),
		evidence,
		...compiledFields,
	})
	.meta({ id: "Criterion", description: "One criterion of a rubric." });

export const rubric = z.array(criterionView).describe("The criteria that submissions are judged by, in order.");

export const exampleRubric = CRITERIA.map((criterion) => ({ ...criterion, final_only: false, checks: [...criterion.checks] }));

export function viewCriterion({ name, description, weight, position, finalOnly, evidence, checks, anchors }: CriterionRow) {
	return {
		name,
		description,
		weight,
		position,
		final_only: finalOnly,
		...(evidence === "work" ? {} : { evidence }),
		checks: [...checks],
		anchors,
	};
}

/** Makes the rows of a rubric. A criterion without a position gets its place in the list. */
export function criterionRows(criteria: z.output<typeof criteriaInput>): CriterionRow[] {
	return criteria.map((criterion, index) => ({
		name: criterion.name,
		description: criterion.description ?? null,
		weight: criterion.weight,
		position: criterion.position ?? index,
		finalOnly: criterion.final_only,
		evidence: criterion.evidence ?? "work",
		checks: criterion.checks ?? [],
		anchors: criterion.anchors ?? null,
	}));
}

export function sortRubric(rows: readonly CriterionRow[]): CriterionRow[] {
	return rows.toSorted((a, b) => a.position - b.position || (a.name < b.name ? -1 : 1));
}
