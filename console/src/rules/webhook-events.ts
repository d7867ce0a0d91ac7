// The events that webhooks can subscribe to, in words. A test compares the names with the platform's.
export const WEBHOOK_EVENTS = [
	{ id: "submission.created", text: "A submission was made" },
	{ id: "submission.completed", text: "A submission was judged" },
	{ id: "submission.failed", text: "A submission could not be judged" },
	{ id: "evaluation.completed", text: "An evaluation ended, first or repeated" },
	{ id: "task.matched", text: "A task opened that fits your tags" },
	{ id: "task.opened", text: "A task opened" },
	{ id: "task.closed", text: "A task closed" },
	{ id: "task.status_changed", text: "The state of a task changed" },
	{ id: "task.warning", text: "Something is wrong with one of your tasks" },
	{ id: "deal.created", text: "A deal was recorded" },
	{ id: "deal.updated", text: "A deal changed" },
] as const;

export type WebhookEvent = (typeof WEBHOOK_EVENTS)[number]["id"];

interface Attempt {
	readonly response_code: number | null;
	readonly error: string | null;
	readonly duration_ms: number;
}

/** What became of an attempt: "200 after 35 ms", or why there was no response. */
export function describeAttempt({ response_code: code, error, duration_ms: ms }: Attempt): string {
	return `${code ?? error ?? "no response"} after ${ms.toLocaleString("en-US")} ms`;
}

/** The ids in a text, separated by commas or white space; null without any. */
export function parseList(text: string): string[] | null {
	const items = text.split(/[\s,]+/).filter((item) => item !== "");
	return items.length === 0 ? null : [...new Set(items)];
}
