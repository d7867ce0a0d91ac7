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
	/** True if the delivery is a test. Tests do not count as failures, because the receiver may not be running yet. */
	readonly isTest: boolean;
	/** True if the response to a test contains its challenge. */
	readonly isVerified: boolean;
	/** Why the attempt ends the webhook. Null if the webhook continues. */
	readonly stop: "gone" | "failing" | null;
}

/**
 * Sends a delivery, and decides what to do next.
 *
 * @param number From 1, including interrupted attempts.
 * @param isUnasked True if the host has not agreed to deliveries.
 * @param failingSince Time of the first failure since the last success. Null if there is none.
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
	const result = number > MAX_DELIVERY_ATTEMPTS ? INTERRUPTED : await sendDelivery(deps, delivery, target);
	const now = deps.clock.now();
	const status = result.kind === "responded" ? result.status : null;
	const retryAfterMs = result.kind === "responded" ? parseRetryAfter(result.headers.get("Retry-After"), now) : null;
	const isTest = isTestDelivery(delivery);
	// A test has only one attempt, so that each test request causes one request to the receiver's host.
	const maxAttempts = isTest ? 1 : isUnasked ? rules.MAX_UNASKED_ATTEMPTS : MAX_DELIVERY_ATTEMPTS;
	const step = rules.decideNextStep({ status, retryAfterMs, number, now, random: deps.random(), maxAttempts });
	deps.metrics.write("delivery", { result: step.kind, ms: result.durationMs, attempt: number, status: status ?? 0 });
	const isHopeless = !isTest && step.kind !== "delivered" && rules.hasFailedTooLong(failingSince, now);
	const stop = step.kind === "gone" ? "gone" : isHopeless ? "failing" : null;
	const isVerified = isTest && step.kind === "delivered" && result.kind === "responded" && answersChallenge(delivery, target, result.body);
	return { log: logAttempt(number, startedAt, result), step, isTest, isVerified, stop };
}

export function isTestDelivery({ eventType }: Pick<NewDelivery, "eventType">): boolean {
	return eventType === TEST_EVENT.name;
}

/** The result if every attempt was interrupted and none is left. */
const INTERRUPTED: OutboundResult = { kind: "failed", reason: "unreachable", message: "Every attempt was interrupted.", durationMs: 0 };

/** Slack and Discord cannot repeat a challenge. */
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

/** Updates the webhook's record after an attempt. Most attempts change nothing. Idempotent. */
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

/** Writes the body of a delivery in a service's format. Costs one read of D1, for the task's title. */
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

/** Cuts a text between characters, never inside one. */
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
 * Slack reads commands such as `<!channel>` only between angle brackets. Its other markup cannot be escaped, but works only directly next to text, so an invisible character disables it. An escaped `>` still begins a quote.
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
