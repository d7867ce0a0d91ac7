// Makes one attempt at a delivery, and decides what follows for the delivery and the webhook.

import { eq } from "drizzle-orm";
import { commit } from "../../../db/commit.ts";
import { ENCRYPTED_COLUMNS } from "../../../db/encrypted-columns.ts";
import { taskCards } from "../../../db/schema/cards.ts";
import type { WebhookFormat } from "../../../db/schema/webhooks.ts";
import { EVENTS, WEBHOOK_EVENTS } from "../../../domain/events.ts";
import { formatCents } from "../../../domain/formats.ts";
import { MAX_DELIVERY_ATTEMPTS, parseRetryAfter } from "../../../domain/retries.ts";
import { isInvited } from "../../../domain/task-status.ts";
import { TEST_EVENT } from "../../../domain/test-event.ts";
import { decrypt } from "../../../platform/encryption.ts";
import { type OutboundResult, sendOutbound } from "../../../platform/outbound.ts";
import { signMessage } from "../../../platform/webhook-signature.ts";
import type { Deps } from "../../../ports/deps.ts";
import type { LoggedAttempt, NewDelivery, WebhookTarget } from "../../../ports/webhook-sender.ts";
import * as rules from "./rules.ts";
import { readBody } from "./rules.ts";
import * as statements from "./statements.ts";

export interface AttemptOutcome {
	readonly log: LoggedAttempt;
	readonly step: rules.NextStep;
	/** It is true if the delivery tests the webhook. The receiver of a first test may not run yet, so tests do not count as failures. */
	readonly isTest: boolean;
	/** It is true if the response to a test contains its challenge. */
	readonly isVerified: boolean;
	/** The attempt ends the webhook for this reason. It is null if the webhook continues. */
	readonly stop: "gone" | "failing" | null;
}

/**
 * Sends a delivery, and decides what follows.
 *
 * @param number From 1. Interrupted attempts count.
 * @param isUnasked The host has not agreed to deliveries.
 * @param failingSince The first failure after the last success was at this time. Null while all is well.
 */
export async function makeAttempt(
	deps: Deps,
	{
		delivery,
		number,
		target,
		failingSince,
		isUnasked,
	}: { delivery: NewDelivery; number: number; target: WebhookTarget; failingSince: number | null; isUnasked: boolean },
): Promise<AttemptOutcome> {
	const startedAt = deps.clock.now();
	const response = number > MAX_DELIVERY_ATTEMPTS ? INTERRUPTED : await sendDelivery(deps, delivery, target);
	const now = deps.clock.now();
	const status = response.kind === "responded" ? response.status : null;
	const retryAfterMs = response.kind === "responded" ? parseRetryAfter(response.headers.get("Retry-After"), now) : null;
	const isTest = isTestDelivery(delivery);
	// A test is attempted once, so that a request for a test causes one request to the receiver's host.
	const maxAttempts = isTest ? 1 : isUnasked ? rules.MAX_UNASKED_ATTEMPTS : MAX_DELIVERY_ATTEMPTS;
	const step = rules.decideNextStep({ status, retryAfterMs, number, now, random: deps.random(), maxAttempts });
	deps.metrics.write("delivery", { result: step.kind, ms: response.durationMs, attempt: number, status: status ?? 0 });
	const isHopeless = !isTest && step.kind !== "delivered" && rules.hasFailedTooLong(failingSince, now);
	const stop = step.kind === "gone" ? "gone" : isHopeless ? "failing" : null;
	const isVerified =
		isTest && step.kind === "delivered" && response.kind === "responded" && answersChallenge(delivery, target, response.body);
	return { log: logAttempt(number, startedAt, response), step, isTest, isVerified, stop };
}

export function isTestDelivery({ eventType }: Pick<NewDelivery, "eventType">): boolean {
	return eventType === TEST_EVENT.name;
}

/** The result when no further attempt is made because all earlier ones were interrupted. */
const INTERRUPTED: OutboundResult = { kind: "failed", reason: "unreachable", message: "Every attempt was interrupted.", durationMs: 0 };

/** Slack and Discord cannot answer a challenge. */
function answersChallenge(delivery: NewDelivery, { format }: WebhookTarget, response: string): boolean {
	const { challenge } = rules.readBody(delivery.body);
	return format === "standard" && typeof challenge === "string" && response.includes(challenge);
}

async function sendDelivery(deps: Deps, delivery: NewDelivery, target: WebhookTarget): Promise<OutboundResult> {
	const isMessage = target.format !== "standard";
	const body = isMessage ? await writeMessage(deps, delivery, target) : delivery.body;
	return sendOutbound(deps, {
		url: target.url,
		headers: {
			"Content-Type": "application/json",
			"User-Agent": "bounty-platform-webhooks/1",
			...(isMessage ? {} : await signedHeaders(deps, delivery, target)),
		},
		body,
		timeoutMs: rules.ATTEMPT_TIMEOUT_MS,
		maxResponseBytes: rules.MAX_RESPONSE_BYTES,
	});
}

async function signedHeaders(deps: Deps, delivery: NewDelivery, target: WebhookTarget): Promise<Record<string, string>> {
	const now = deps.clock.now();
	const isOverlapping = target.previousSecretExpiresAt !== null && target.previousSecretExpiresAt > now;
	const { keys } = deps.config;
	const [secret, previousSecret] = await Promise.all([
		decrypt(keys, ENCRYPTED_COLUMNS.webhookSecret.purpose, target.secretEncrypted),
		isOverlapping && target.previousSecretEncrypted !== null
			? decrypt(keys, ENCRYPTED_COLUMNS.webhookSecret.purpose, target.previousSecretEncrypted)
			: null,
	]);
	return {
		"X-Svc-Event": delivery.eventType,
		"X-Svc-Delivery": delivery.id,
		...(await signMessage({ id: delivery.eventId, now, body: delivery.body, secret, previousSecret })),
	};
}

function logAttempt(number: number, startedAt: number, result: OutboundResult): LoggedAttempt {
	const hasResponse = result.kind === "responded";
	return {
		number,
		startedAt,
		durationMs: result.durationMs,
		responseCode: hasResponse ? result.status : null,
		responseBody: hasResponse ? result.body.replaceAll("\0", "") : null,
		error: hasResponse ? null : result.message,
	};
}

/** Updates the webhook's record after an attempt. Most attempts change nothing, and a repeated call changes nothing more. */
export async function updateRecord(
	deps: Deps,
	{ isVerified, stop, target }: AttemptOutcome & { readonly target: WebhookTarget },
): Promise<void> {
	if (stop !== null) await commit(deps.db, [statements.deactivateWebhook(deps, target, stop)]);
	if (isVerified) await commit(deps.db, [statements.verifyWebhook(deps, target)]);
}

// Deliveries to Slack and Discord are messages for people.

/** Both services cut or reject longer messages. */
export const MAX_MESSAGE_CHARACTERS = 2_000;
const MAX_DETAIL_CHARACTERS = 500;

/** Writes the body of a delivery in the form of a service. It costs one read of D1, for the task's title. */
async function writeMessage(deps: Deps, delivery: NewDelivery, { format, origin }: WebhookTarget): Promise<string> {
	const { taskId } = delivery;
	const [task] =
		taskId === null
			? []
			: await deps.db.query.select({ title: taskCards.title, access: taskCards.access }).from(taskCards).where(eq(taskCards.id, taskId));
	// An invited task has no public page.
	const page = task !== undefined && isInvited(task) ? "/console/tasks/" : "/tasks/";
	const link = taskId === null ? null : `${deps.config.publicUrl ?? origin}${page}${taskId}`;
	const { event, ...fields } = readBody(delivery.body);
	return formatMessage(format, { sentence: sentenceOfEvent(String(event)), title: task?.title ?? null, fields, link });
}

function sentenceOfEvent(event: string): string {
	const name = WEBHOOK_EVENTS.find((one) => one === event);
	return name === undefined ? TEST_EVENT.message : (EVENTS[name].webhook.payload.description ?? event);
}

/** Returns the JSON of a message. What users have written can neither format it, nor link, nor mention anyone. */
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

/** A message shows these fields of a body. None of them names an agent. */
const DETAILS: readonly { readonly field: string; readonly label: string; readonly show: (value: unknown) => string }[] = [
	{ field: "category", label: "Category", show: String },
	{ field: "budget_cents", label: "Offered", show: asMoney },
	{ field: "winner_gets_cents", label: "The chosen agent would get", show: asMoney },
	{ field: "final_score", label: "Score", show: String },
	{ field: "error_message", label: "Reason", show: String },
	{ field: "to", label: "Status", show: String },
	{ field: "status", label: "Status", show: String },
	{ field: "decision", label: "Decision", show: String },
	{ field: "deal_value_cents", label: "Value", show: asMoney },
	{ field: "message", label: "Warning", show: String },
];

/** Cuts text between characters, never within one. */
function cut(text: string, characters: number): string {
	return text.length <= characters
		? text
		: `${text
				.slice(0, characters - 1)
				.toWellFormed()
				.replace(/\uFFFD$/, "")}…`;
}

/** Puts text on one line. An invisible character after `@` and before `//` keeps mentions and links from working. */
function defuse(text: string): string {
	return text
		.replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, " ")
		.replaceAll("@", "@\u200b")
		.replaceAll("://", ":\u200b//");
}

/**
 * Slack reads commands such as `<!channel>` only between angle brackets. It has no escape for its other marks, which work only next to the
 * text that they format. An escaped `>` still begins a quote.
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
