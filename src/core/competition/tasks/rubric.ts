// The rubric of a task: its criteria as posters send them, as views show them, and as rows.
import * as z from "zod";
import { criterionFields } from "#fields";
import type { CriterionRow } from "../../../db/task/schema/task.ts";
import { CHECKS_BOUNDS } from "../../../domain/checks.ts";
import { EVIDENCE_KINDS } from "../../../domain/evaluation-rounds.ts";
import { CRITERIA } from "../../../domain/example-story.ts";
import { foldName } from "../../../domain/look.ts";
import { oneLineText, text, visibleText } from "../../../http/fields.ts";

const evidence = z
	.enum(EVIDENCE_KINDS)
	.describe(
		"Which files the language model accepts as evidence for the criterion. `work`: all files except SUBMISSION.md and the README at the root. `any`: these two as well, for criteria that ask for documentation.",
	);

const wholeChecks = z
	.array(
		z
			.int()
			.min(0)
			.max(CHECKS_BOUNDS.perCriterion - 1),
	)
	.describe(
		"The positions (from 0) of checks that a few lines cannot prove. For these, the judge needs to see the whole work. Set when the task is published; empty in drafts.",
	);

/**
 * Returns true if all texts look different. People cannot tell texts apart that look the same, and models may change the spelling of a text
 * that they repeat.
 */
function areDistinct(texts: readonly string[]): boolean {
	return new Set(texts.map(foldName)).size === texts.length;
}

const check = visibleText({ min: 1, max: CHECKS_BOUNDS.characters });

const checksInput = z
	.array(check)
	.max(CHECKS_BOUNDS.perCriterion)
	.refine(areDistinct, "no two checks may look the same")
	.meta({ uniqueItems: true });

const checks = z
	.array(z.string())
	.describe(
		"Sentences about the files, which the judge answers with yes, partly or no. Empty only in drafts: publishing adds missing ones.",
	);

/** The fields of a proposal for a criterion, in addition to its name. */
export const compiledFields = { checks, evidence };

const criterionInput = z
	.object({
		name: oneLineText({ min: 1, max: 200 }).describe("The criterion's name. It must be unique in the rubric."),
		description: text({ max: 10_000 }).nullish().describe("What the judge looks for."),
		weight: z.number().meta({
			description: "The criterion's share of the score, in percent, more than 0. All weights of a rubric must sum to 100.",
			minimum: 0,
			maximum: 100,
		}),
		position: z
			.number()
			.optional()
			.describe("The criterion's position in the rubric. Criteria are sorted by it. Default: the criterion's index in the list, from 0."),
		...criterionFields.input,
		evidence: evidence.default("work"),
		checks: checksInput
			.optional()
			.describe(
				"Up to 8 sentences about the files, one for each thing to check. The judge answers each with yes, partly or no. If there are none, publishing asks the deployment's model for checks, or uses the sentences and list items of the criterion's description.",
			),
	})
	.meta({ id: "CriterionInput", description: "One criterion of a rubric." });

export const criteriaInput = z
	.array(criterionInput)
	.min(1)
	.max(50)
	.refine((list) => areDistinct(list.map(({ name }) => name)), "no two names may look the same")
	.refine(
		(list) => list.reduce((sum, { checks: given }) => sum + Math.max(1, given?.length ?? 0), 0) <= CHECKS_BOUNDS.perRubric,
		`must have at most ${CHECKS_BOUNDS.perRubric} checks in total. A criterion without checks counts as one check`,
	);

const criterionView = z
	.object({
		name: z.string().describe("The criterion's name, unique in the rubric."),
		description: z.string().nullable().describe("What the judge looks for. Null without a description."),
		weight: z.number().describe("The criterion's share of the score, in percent."),
		position: z.number().describe("The criterion's position in the rubric. Criteria are sorted by it."),
		...compiledFields,
		whole_checks: wholeChecks,
		...criterionFields.shape,
	})
	.meta({ id: "Criterion", description: "One criterion of a rubric." });

export const rubric = z.array(criterionView).describe("The criteria that submissions are judged by, in order.");

export const exampleCriteria = CRITERIA.map((criterion) => ({ ...criterion, ...criterionFields.example, checks: [...criterion.checks] }));

export const exampleRubric = exampleCriteria.map((criterion) => ({ ...criterion, whole_checks: [] }));

export function viewCriterion(criterion: CriterionRow) {
	const { name, description, weight, position, evidence, checks, wholeChecks } = criterion;
	return {
		...{ name, description, weight, position, evidence },
		checks: [...checks],
		whole_checks: [...wholeChecks],
		...criterionFields.read(criterion),
	};
}

/** Builds the rows of a rubric. A criterion without a position gets its place in the list. */
export function criterionRows(criteria: z.output<typeof criteriaInput>): CriterionRow[] {
	return criteria.map((criterion, index) => ({
		...NEW,
		name: criterion.name,
		description: criterion.description ?? null,
		weight: criterion.weight,
		position: criterion.position ?? index,
		...criterionFields.columns(criterion),
		evidence: criterion.evidence,
		checks: criterion.checks ?? [],
	}));
}

const NOT_FIXED = { wholeChecks: [], commitment: null, salt: null } as const;
const NEW = { ...NOT_FIXED, held: false };

/** Builds the rows for a new draft with the same rubric. Publishing that draft freezes its rubric again. */
export function copyRubric(criteria: readonly CriterionRow[]): CriterionRow[] {
	return criteria.map((criterion) => ({ ...criterion, ...NOT_FIXED }));
}

/** Sorts a rubric as SQLite does, which compares names by their UTF-8 bytes. */
export function sortRubric(rows: readonly CriterionRow[]): CriterionRow[] {
	return rows.toSorted((a, b) => a.position - b.position || (utf8Hex(a.name) < utf8Hex(b.name) ? -1 : 1));
}

const utf8Hex = (text: string): string => new TextEncoder().encode(text).toHex();
