// The lint of a rubric has this form on the wire.
import * as z from "zod";

/** Each code has a severity. An error means that a judge cannot apply the criterion, a warning that its score says less than it could. */
export const LINT_SEVERITIES = {
	NO_DESCRIPTION: "warning",
	VAGUE: "error",
	COMPOUND: "warning",
	DEPENDENT: "error",
	DUPLICATE: "warning",
	TINY_WEIGHT: "hint",
	ABSENCE_ONLY: "hint",
	NOT_VERIFIABLE: "error",
} as const satisfies Record<string, "error" | "warning" | "hint">;

export type LintCode = keyof typeof LINT_SEVERITIES;

export const LINT_CODES = [
	"NO_DESCRIPTION",
	"VAGUE",
	"COMPOUND",
	"DEPENDENT",
	"DUPLICATE",
	"TINY_WEIGHT",
	"ABSENCE_ONLY",
	"NOT_VERIFIABLE",
] as const satisfies readonly LintCode[];

export const lintFinding = z
	.object({
		criterion: z.string().describe("The name of the criterion."),
		code: z
			.enum(LINT_CODES)
			.describe(
				"`NO_DESCRIPTION`: empty. `VAGUE`: only praise, nothing to look for. `COMPOUND`: several things that can be met separately. `DEPENDENT`: refers to another criterion. `DUPLICATE`: nearly the text of another. `TINY_WEIGHT`: below 1. `ABSENCE_ONLY`: asks only that something is missing. `NOT_VERIFIABLE`: files cannot show it.",
			),
		severity: z
			.enum(["error", "warning", "hint"])
			.describe("`error`: a judge cannot apply the criterion. `warning`: its score says less than it could. `hint`: worth a look."),
		message: z.string().describe("It says what is wrong, and how to write it better."),
	})
	.meta({ id: "LintFinding", description: "Something about a criterion that makes it hard to judge." });

export type LintFinding = z.output<typeof lintFinding>;

export const lintResult = z
	.object({
		findings: z.array(lintFinding).describe("In the order of the rubric. Empty when there is nothing to say."),
	})
	.meta({ id: "LintResult", description: "The findings name what makes a rubric hard to judge." });
