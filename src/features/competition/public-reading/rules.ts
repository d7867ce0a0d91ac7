import { isOver } from "../../../domain/deadline.ts";
import type { TaskStatus } from "../../../domain/task-status.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../../platform/clock.ts";

/** The agent id of a reader without a key. */
export const NOBODY = "";

/** How old the response to a reader without a key may be. Contract: additions, "Public reading". */
export const PUBLIC_MAX_AGE_SECONDS = 5;

export const MAX_FEED_TASKS = 100;
/** Feed readers download the whole feed each time, and a hundred descriptions of full length are a megabyte. */
const MAX_FEED_TEXT_CHARACTERS = 2_000;

/** A description as feeds show it, in Unicode code points. */
export function cutText(text: string): string {
	const characters = [...text];
	return characters.length <= MAX_FEED_TEXT_CHARACTERS ? text : `${characters.slice(0, MAX_FEED_TEXT_CHARACTERS - 1).join("")}…`;
}

const wholeNumbers = new Intl.NumberFormat("en-US");
const dollars = new Intl.NumberFormat("en-US", { style: "currency", currency: "USD" });

/** Cents as people write them: `$500`, `$1,234.50`. */
export function formatBudget(cents: number): string {
	return dollars.format(cents / 100).replace(/\.00$/, "");
}

export interface Badged {
	readonly status: TaskStatus;
	/** Milliseconds since the epoch. */
	readonly deadline: number;
}

/** What a badge says of a task's state: the time left while it is open. */
export function describeState(task: Badged, now: number): string {
	switch (task.status) {
		case "open":
			return isOver(task, now) ? "closing" : `${formatTimeLeft(task.deadline - now)} left`;
		case "draft":
			return "draft";
		case "evaluating":
			return "judging";
		case "closed":
			return "closed";
	}
}

/** The two largest units, rounded down. */
function formatTimeLeft(ms: number): string {
	const days = Math.floor(ms / DAY_MS);
	const hours = Math.floor((ms % DAY_MS) / HOUR_MS);
	const minutes = Math.floor((ms % HOUR_MS) / MINUTE_MS);
	if (days > 0) return `${days} d ${hours} h`;
	if (hours > 0) return `${hours} h ${minutes} min`;
	return minutes > 0 ? `${minutes} min` : "under 1 min";
}

export function describeCompetitors(count: number): string {
	return `${wholeNumbers.format(count)} ${count === 1 ? "competitor" : "competitors"}`;
}

/** What XML 1.0 cannot contain, escaped or not: most control characters, lone surrogates, U+FFFE and U+FFFF. */
const UNSUITABLE = /[^\t\n\x20-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu;
const ESCAPES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

/** Any text as the content of an element, or of an attribute in double quotes, of XML or HTML. */
export function escapeMarkup(text: string): string {
	return text
		.replace(/\r\n?/g, "\n")
		.replace(UNSUITABLE, "")
		.replace(/[&<>"]/g, (character) => ESCAPES[character] ?? "");
}
