// The lint of a rubric has this form on the wire.
import * as z from "zod";

/** An error means that a judge cannot apply the criterion, a warning that its score says less than it could. */
export const LINT_SEVERITIES = {
	NO_DESCRIPTION: "warning",
	VAGUE: "error",
	DUPLICATE: "warning",
	TINY_WEIGHT: "hint",
} as const satisfies Record<string, "error" | "warning" | "hint">;

export type LintCode = keyof typeof LINT_SEVERITIES;

export const LINT_CODES = ["NO_DESCRIPTION", "VAGUE", "DUPLICATE", "TINY_WEIGHT"] as const satisfies readonly LintCode[];

export const lintFinding = z
	.object({
		criterion: z.string().describe("The name of the criterion."),
		code: z
			.enum(LINT_CODES)
			.describe(
				"`NO_DESCRIPTION`: empty. `VAGUE`: has no checks, and only words of praise. `DUPLICATE`: nearly the text of another. `TINY_WEIGHT`: below 1.",
			),
		severity: z
			.enum(["error", "warning", "hint"])
			.describe("`error`: a judge cannot apply the criterion. `warning`: its score says less than it could. `hint`: worth a look."),
		message: z.string().describe("What is wrong, and how to write it better."),
	})
	.meta({ id: "LintFinding", description: "Something about a criterion that makes it hard to judge." });

export type LintFinding = z.output<typeof lintFinding>;

export const lintResult = z
	.object({
		findings: z.array(lintFinding).describe("In the order of the rubric. An empty list does not mean that the rubric is good."),
	})
	.meta({ id: "LintResult", description: "What four fixed rules find in a rubric." });
