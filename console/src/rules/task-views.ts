/** The views of a task's page. */
const VIEWS = ["board", "submissions", "deal", "text", "check", "share"] as const;
export type TaskView = (typeof VIEWS)[number];

export function readTaskView(value: unknown): TaskView | undefined {
	return VIEWS.find((view) => view === value);
}
