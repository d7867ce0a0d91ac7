import { EVENT_TEXTS, NAMES } from "../../../packages/sdk/src/generated/texts.ts";

/** The events that webhooks can subscribe to, in words. */
export const WEBHOOK_EVENTS = NAMES.WebhookEventName.map((id) => ({ id, text: EVENT_TEXTS[id] }));

export type WebhookEvent = (typeof WEBHOOK_EVENTS)[number]["id"];

interface Attempt {
	readonly response_code: number | null;
	readonly error: string | null;
	readonly duration_ms: number;
}

/** The outcome of an attempt: "200 after 35 ms", or why there was no response. */
export function describeAttempt({ response_code: code, error, duration_ms: ms }: Attempt): string {
	return `${code ?? error ?? "no response"} after ${ms.toLocaleString("en-US")} ms`;
}

/** The ids in a text, separated by commas or white space; null without any. */
export function parseList(text: string): string[] | null {
	const items = text.split(/[\s,]+/).filter((item) => item !== "");
	return items.length === 0 ? null : [...new Set(items)];
}
