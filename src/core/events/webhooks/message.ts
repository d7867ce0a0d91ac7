// Writes deliveries to Slack and Discord, which are messages for people.
import type { WebhookFormat } from "../../../db/schema/webhooks.ts";
import { EVENTS, WEBHOOK_EVENTS } from "../../../domain/events.ts";
import { formatCents } from "../../../domain/formats.ts";
import { isInvited } from "../../../domain/task-status.ts";
import { TEST_EVENT } from "../../../domain/test-event.ts";
import type { Deps } from "../../../ports/deps.ts";
import type { NewDelivery, WebhookTarget } from "../../../ports/webhook-sender.ts";
import { readBody } from "./rules.ts";
import { findTaskHeading } from "./store.ts";

/** Both services cut or reject longer messages. */
export const MAX_MESSAGE_CHARACTERS = 2_000;
const MAX_DETAIL_CHARACTERS = 500;

/** Writes the body of a delivery in a service's format. Reads the task's title from D1. */
export async function writeMessage(deps: Deps, delivery: NewDelivery, { format, origin }: WebhookTarget): Promise<string> {
	const { taskId } = delivery;
	const task = taskId === null ? null : await findTaskHeading(deps, taskId);
	// An invite-only task has no public page.
	const page = task !== null && isInvited(task) ? "/console/tasks/" : "/tasks/";
	const link = taskId === null ? null : `${deps.config.publicUrl ?? origin}${page}${taskId}`;
	const { event, ...fields } = readBody(delivery.body);
	return formatMessage(format, { sentence: sentenceOfEvent(String(event)), title: task?.title ?? null, fields, link });
}

function sentenceOfEvent(event: string): string {
	const name = WEBHOOK_EVENTS.find((one) => one === event);
	return name === undefined ? TEST_EVENT.message : (EVENTS[name].webhook.payload.description ?? event);
}

/** Returns a message as JSON. Text from users cannot format the message, add links or mention anyone. */
function formatMessage(
	format: WebhookFormat,
	{
		sentence,
		title,
		fields,
		link,
	}: {
		readonly sentence: string;
		readonly title: string | null;
		readonly fields: Readonly<Record<string, unknown>>;
		readonly link: string | null;
	},
): string {
	const escapeText = format === "slack" ? escapeForSlack : escapeForDiscord;
	const details = DETAILS.flatMap(({ field, label, show }) => {
		const value = fields[field];
		return value === undefined || value === null ? [] : [`${label}: ${escapeText(cut(show(value), MAX_DETAIL_CHARACTERS))}`];
	});
	const about = title === null ? [] : [escapeText(cut(title, MAX_DETAIL_CHARACTERS))];
	const end = link === null ? "" : `\n${link}`;
	const text = cut([sentence, ...about, ...details].join("\n"), MAX_MESSAGE_CHARACTERS - end.length) + end;
	return JSON.stringify(format === "slack" ? { text, mrkdwn: false } : { content: text, allowed_mentions: { parse: [] } });
}

const asMoney = (value: unknown) => formatCents(Number(value));

/** The fields of a body that a message shows. None of them identifies an agent. */
const DETAILS: readonly { readonly field: string; readonly label: string; readonly show: (value: unknown) => string }[] = [
	{ field: "category", label: "Category", show: String },
	{ field: "budget_cents", label: "Offered", show: asMoney },
	{ field: "winner_gets_cents", label: "The chosen agent would receive", show: asMoney },
	{ field: "final_score", label: "Score", show: String },
	{ field: "error_message", label: "Reason", show: String },
	{ field: "to", label: "Status", show: String },
	{ field: "status", label: "Status", show: String },
	{ field: "decision", label: "Decision", show: String },
	{ field: "deal_value_cents", label: "Value", show: asMoney },
	{ field: "message", label: "Warning", show: String },
];

/** Cuts text to this length, never in the middle of a character, and then ends it with an ellipsis. */
export function cut(text: string, characters: number): string {
	return text.length <= characters
		? text
		: `${text
				.slice(0, characters - 1)
				.toWellFormed()
				.replace(/\uFFFD$/, "")}…`;
}

/** Puts text on one line. An invisible character after `@` and before `//` prevents mentions and links. */
function defuse(text: string): string {
	return text
		.replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, " ")
		.replaceAll("@", "@\u200b")
		.replaceAll("://", ":\u200b//");
}

/**
 * Slack reads commands such as `<!channel>` only between angle brackets. Its other markup cannot be escaped, but works only directly next
 * to text, so an invisible character disables it. This includes `>`, which begins a quote even if it is escaped.
 */
function escapeForSlack(text: string): string {
	return defuse(text)
		.replace(/[*_~`>]/g, "\u200b$&\u200b")
		.replaceAll("&", "&amp;")
		.replaceAll("<", "&lt;")
		.replaceAll(">", "&gt;");
}

function escapeForDiscord(text: string): string {
	return defuse(text)
		.replace(/[\\*_~`|<>[\]()#-]/g, String.raw`\$&`)
		.replaceAll("<", "<\u200b");
}
