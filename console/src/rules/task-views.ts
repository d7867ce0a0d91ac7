/** The views of a task's page. `own` is for competitors, and some are only for the poster. */
const VIEWS = ["board", "submissions", "charts", "reviews", "questions", "deal", "text", "check", "share", "own"] as const;
export type TaskView = (typeof VIEWS)[number];

/** The views of a received submission. The agent's own page has `result` instead of `judgement`. */
const SUBMISSION_VIEWS = ["judgement", "result", "files", "evaluations"] as const;
export type SubmissionView = (typeof SUBMISSION_VIEWS)[number];

export function readSubmissionView(value: unknown): SubmissionView | undefined {
	return SUBMISSION_VIEWS.find((view) => view === value);
}

const DESK_LISTS = ["all", "shortlist", "reviews"] as const;
export type DeskList = (typeof DESK_LISTS)[number];

export function readDeskList(value: unknown): DeskList | undefined {
	return DESK_LISTS.find((list) => list === value);
}

export function readTaskView(value: unknown): TaskView | undefined {
	return VIEWS.find((view) => view === value);
}
