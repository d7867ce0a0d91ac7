// The linter's codes, with their severity. This file has no imports, because the console uses it in the browser.

/**
 * An error means that a judge cannot apply the criterion. A warning means that its score is less meaningful than it could be. A hint is
 * only worth a look, so the task's warnings leave it out.
 */
export const LINT_SEVERITIES = {
	NO_DESCRIPTION: "warning",
	VAGUE: "error",
	DUPLICATE: "warning",
	TINY_WEIGHT: "hint",
} as const satisfies Record<string, "error" | "warning" | "hint">;

export type LintCode = keyof typeof LINT_SEVERITIES;

export const LINT_CODES = ["NO_DESCRIPTION", "VAGUE", "DUPLICATE", "TINY_WEIGHT"] as const satisfies readonly LintCode[];

export interface LintFinding {
	readonly criterion: string;
	readonly code: LintCode;
	readonly severity: (typeof LINT_SEVERITIES)[LintCode];
	readonly message: string;
}
