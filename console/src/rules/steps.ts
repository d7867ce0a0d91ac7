/** The steps of the wizard, in order. */
export const STEPS = [
	{ id: "task", name: "Task" },
	{ id: "rubric", name: "Rubric" },
	{ id: "judging", name: "Judging" },
	{ id: "dry-run", name: "Dry run" },
	{ id: "publish", name: "Publish" },
] as const;
export type Step = (typeof STEPS)[number]["id"];

export function readStep(value: unknown): Step | undefined {
	return STEPS.find(({ id }) => id === value)?.id;
}

/** Returns the next or previous step, or null at the ends. */
export function neighbourOf(step: Step, by: 1 | -1): Step | null {
	return STEPS[STEPS.findIndex(({ id }) => id === step) + by]?.id ?? null;
}
