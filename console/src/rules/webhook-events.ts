import { EVENT_TEXTS, NAMES } from "../../../packages/sdk/src/generated/texts.ts";
import { formatCount } from "../../../src/domain/formats.ts";

/** The events that webhooks can subscribe to, with descriptions. */
export const WEBHOOK_EVENTS = NAMES.WebhookEventName.map((id) => ({ id, text: EVENT_TEXTS[id] }));

export type WebhookEvent = (typeof WEBHOOK_EVENTS)[number]["id"];

/** The chat services, which get a message instead of signed JSON. */
export const CHAT_SERVICES = {
	slack: {
		name: "Slack",
		where: "In Slack, open Apps, then Incoming Webhooks, and select Add to Slack. Choose a channel, then copy the webhook URL.",
	},
	discord: {
		name: "Discord",
		where: "In Discord, open Edit Channel, then Integrations, then Webhooks. Create a webhook, then copy its URL.",
	},
} as const;
export type ChatService = keyof typeof CHAT_SERVICES;

export function readChatService(value: unknown): ChatService | undefined {
	return value === "slack" || value === "discord" ? value : undefined;
}

/** The default events for a chat channel: outcomes, and what someone has to act on. */
export const CHAT_EVENTS = [
	...["submission.completed", "submission.failed", "task.closed", "task.warning", "deal.created", "deal.updated"],
	...["question.asked", "question.answered", "appeal.created", "review.decided"],
] as const satisfies readonly WebhookEvent[];

/** Labels events by name for programs, and by what happened for people in a channel. */
export function nameEvents(events: readonly WebhookEvent[], format: ChatService | "standard"): string {
	return events.map((id) => (format === "standard" ? id : EVENT_TEXTS[id])).join(format === "standard" ? ", " : "; ");
}

interface Attempt {
	readonly response_code: number | null;
	readonly error: string | null;
	readonly duration_ms: number;
}

/** Describes the outcome of an attempt, such as "200 after 35 ms". Without a response, the reason takes the place of the status. */
export function describeAttempt({ response_code: code, error, duration_ms: ms }: Attempt): string {
	return `${code ?? error ?? "no response"} after ${formatCount(ms)} ms`;
}

/** Parses ids that are separated by commas or white space. Returns null if there are none. */
export function parseList(text: string): string[] | null {
	const items = text.split(/[\s,]+/).filter((item) => item !== "");
	return items.length === 0 ? null : [...new Set(items)];
}
