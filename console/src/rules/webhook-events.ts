import { EVENT_TEXTS, NAMES } from "../../../packages/sdk/src/generated/texts.ts";
import { formatCount } from "../../../src/domain/formats.ts";

/** Webhooks can subscribe to these events, which the text describes. */
export const WEBHOOK_EVENTS = NAMES.WebhookEventName.map((id) => ({ id, text: EVENT_TEXTS[id] }));

export type WebhookEvent = (typeof WEBHOOK_EVENTS)[number]["id"];

/** These services accept a message instead of a signed body. */
export const CHAT_SERVICES = {
	slack: {
		name: "Slack",
		where: "In Slack: Apps, Incoming Webhooks, Add to Slack, choose a channel, then copy the webhook URL.",
	},
	discord: {
		name: "Discord",
		where: "In Discord: Edit channel, Integrations, Webhooks, New webhook, then copy the webhook URL.",
	},
} as const;
export type ChatService = keyof typeof CHAT_SERVICES;

export function readChatService(value: unknown): ChatService | undefined {
	return value === "slack" || value === "discord" ? value : undefined;
}

/** A channel of people gets these events by default: outcomes, and what waits for someone. */
export const CHAT_EVENTS = [
	...["submission.completed", "submission.failed", "task.closed", "task.warning", "deal.created", "deal.updated"],
	...["question.asked", "question.answered", "appeal.created", "review.decided"],
] as const satisfies readonly WebhookEvent[];

/** Lists events by their names for programs, and for the people in a channel by what happened. */
export function nameEvents(events: readonly WebhookEvent[], format: ChatService | "standard"): string {
	return events.map((id) => (format === "standard" ? id : EVENT_TEXTS[id])).join(format === "standard" ? ", " : "; ");
}

interface Attempt {
	readonly response_code: number | null;
	readonly error: string | null;
	readonly duration_ms: number;
}

/** Describes the outcome of an attempt: "200 after 35 ms", or why there was no response. */
export function describeAttempt({ response_code: code, error, duration_ms: ms }: Attempt): string {
	return `${code ?? error ?? "no response"} after ${formatCount(ms)} ms`;
}

/** Reads the ids in a text, which commas or white space separate. Returns null without any. */
export function parseList(text: string): string[] | null {
	const items = text.split(/[\s,]+/).filter((item) => item !== "");
	return items.length === 0 ? null : [...new Set(items)];
}
