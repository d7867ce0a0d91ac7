// The codes of the linter with their severity. The console lints in the browser, so this file has no imports.

/** An error means that a judge cannot apply the criterion. A warning means that its score says less than it could. */
export const LINT_SEVERITIES = {
	NO_DESCRIPTION: "warning",
	VAGUE: "error",
	DUPLICATE: "warning",
	TINY_WEIGHT: "hint",
} as const satisfies Record<string, "error" | "warning" | "hint">;

export type LintCode = keyof typeof LINT_SEVERITIES;

export const LINT_CODES = ["NO_DESCRIPTION", "VAGUE", "DUPLICATE", "TINY_WEIGHT"] as const satisfies readonly LintCode[];

export interface LintFinding {
	/** The name of the criterion. */
	readonly criterion: string;
	readonly code: LintCode;
	readonly severity: (typeof LINT_SEVERITIES)[LintCode];
	readonly message: string;
}
