import { formatCount, formatTimeLeft } from "../../../domain/formats.ts";
import { isOver, type TaskStatus } from "../../../domain/task-status.ts";

/** The agent id of readers without a key. */
export const ANYONE = "";

/** How long caches may keep responses to readers without a key. */
export const PUBLIC_MAX_AGE_SECONDS = 5;

/** A sentence for the descriptions of endpoints whose responses are cached. */
export const MAY_BE_OLD = `The response may be up to ${PUBLIC_MAX_AGE_SECONDS} seconds old.`;

/** The headers and the 304 response of endpoints whose responses are cached. */
export const CACHED = {
	headers: { ETag: "The version of the response.", "Cache-Control": "How long you may cache the response." },
	others: [{ status: 304, description: "The response has not changed: you already have it." }],
} as const;

export const MAX_FEED_TASKS = 100;
/** Feed readers download the whole feed each time, and a hundred full descriptions could be a megabyte. */
export const MAX_FEED_TEXT_CHARACTERS = 2_000;

/** Cuts a description for feeds. The limit counts Unicode code points. */
export function cutText(text: string): string {
	const characters = [...text];
	return characters.length <= MAX_FEED_TEXT_CHARACTERS ? text : `${characters.slice(0, MAX_FEED_TEXT_CHARACTERS - 1).join("")}…`;
}

interface StateFacts {
	readonly status: TaskStatus;
	/** The deadline in milliseconds since the epoch. */
	readonly deadline: number;
}

/** Describes the state of a task, including the time left if it is open. */
export function describeState(task: StateFacts, now: number): string {
	switch (task.status) {
		case "open":
			return isOver(task, now) ? "closing" : `${formatTimeLeft(task.deadline - now, "minute")} left`;
		case "draft":
			return "draft";
		case "evaluating":
			return "judging";
		case "closed":
			return "closed";
	}
}

export function describeCompetitors(count: number): string {
	return `${formatCount(count)} ${count === 1 ? "competitor" : "competitors"}`;
}

/** These characters are not allowed in XML 1.0, not even escaped: most control characters, lone surrogates, U+FFFE and U+FFFF. */
const UNSUITABLE = /[^\t\n\x20-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu;
const ESCAPES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

/** Escapes any text for use in an XML or HTML element, or in an attribute in double quotes. */
export function escapeMarkup(text: string): string {
	return text
		.replace(/\r\n?/g, "\n")
		.replace(UNSUITABLE, "")
		.replace(/[&<>"]/g, (character) => ESCAPES[character] ?? "");
}
