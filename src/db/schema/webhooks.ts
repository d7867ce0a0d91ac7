import { type SQL, sql } from "drizzle-orm";
import { check, index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { WebhookEvent } from "../../domain/events.ts";
import { agents } from "./agents.ts";
import { isOneOf } from "./one-of.ts";

export const INACTIVE_REASONS = ["deleted", "gone", "failing", "paused", "revoked"] as const;

/** `standard` is signed JSON for programs. The others are messages for people, in the format of a chat service. */
export const WEBHOOK_FORMATS = ["standard", "slack", "discord"] as const;

export type WebhookFormat = (typeof WEBHOOK_FORMATS)[number];

/** True for webhooks with waiting or failed deliveries. Queries repeat it word for word, so that SQLite uses the partial index. */
export const isTroubled = sql`(waiting_deliveries > 0 or has_failed_deliveries = 1)`;

/** True for failing webhooks whose agent has not been notified. Queries repeat it word for word, so that SQLite uses the partial index. */
export const isUntold = sql`failing_since is not null and failure_told_at is null and active = 1`;

const isCounted = sql`active = 1 and is_capped = 1`;

/** Builds the condition for webhooks that count toward the limit of a host. */
export function countsTowardHost(host: string): SQL {
	return sql`host = ${host} and ${isCounted}`;
}

/** Webhooks. Secrets are encrypted and not hashed, because the platform signs every delivery with them. */
export const webhooks = sqliteTable(
	"webhooks",
	{
		id: text("id").primaryKey(),
		agentId: text("agent_id")
			.notNull()
			.references(() => agents.id),
		url: text("url").notNull(),
		/** The host for which limits count the webhook: the registrable domain of its URL, from `readTargetHost`. */
		host: text("host").notNull(),
		/**
		 * True if the webhook counts toward the limit of its host. This depends on its agent's tier: a trigger updates it when the tier
		 * changes.
		 */
		isCapped: integer("is_capped", { mode: "boolean" }).notNull(),
		/** When the receiver passed a test. Before that, the webhook gets no events of other agents' tasks. */
		verifiedAt: integer("verified_at"),
		events: text("events", { mode: "json" }).$type<WebhookEvent[]>().notNull(),
		taskIds: text("task_ids", { mode: "json" }).$type<string[]>(),
		categories: text("categories", { mode: "json" }).$type<string[]>(),
		format: text("format", { enum: WEBHOOK_FORMATS }).notNull(),
		/** The origin of the links in messages. */
		origin: text("origin").notNull(),
		secretEncrypted: text("secret_encrypted").notNull(),
		/** The secret before the last rotation. It also signs deliveries until it expires. */
		previousSecretEncrypted: text("previous_secret_encrypted"),
		previousSecretExpiresAt: integer("previous_secret_expires_at"),
		active: integer("active", { mode: "boolean" }).notNull().default(true),
		inactiveReason: text("inactive_reason", { enum: INACTIVE_REASONS }),
		/** How many deliveries have been waiting for a while, and since when. The webhook's Durable Object, which has the log, reports both. */
		waitingDeliveries: integer("waiting_deliveries").notNull().default(0),
		waitingSince: integer("waiting_since"),
		/** True if the object's log has deliveries that failed for good. */
		hasFailedDeliveries: integer("has_failed_deliveries", { mode: "boolean" }).notNull().default(false),
		/** Set once all attempts have failed for an hour: the time at which they began to fail. Null otherwise. */
		failingSince: integer("failing_since"),
		/** When the webhook's agent was notified of this failure. Null before that. */
		failureToldAt: integer("failure_told_at"),
		/** The key or the grant with which the webhook ends (`webhook-ends.ts`). Null if a person created it. */
		dependsOn: text("depends_on"),
		/** The credential that opened the session in which the webhook was created, as in `sessions`. */
		credentialId: text("credential_id"),
		/** When the webhook ended together with the key or grant. Null if it has not. */
		endedAt: integer("ended_at"),
		createdAt: integer("created_at").notNull(),
	},
	(table) => [
		check("webhook_format", isOneOf("format", WEBHOOK_FORMATS)),
		check("webhook_inactive_reason", sql`(active = 1) = (inactive_reason is null)`),
		index("webhooks_active").on(table.agentId, table.id).where(sql`active = 1`),
		index("webhooks_agent").on(table.agentId, table.id),
		index("webhooks_credential").on(table.credentialId).where(sql`credential_id is not null`),
		index("webhooks_depends").on(table.dependsOn).where(sql`depends_on is not null`),
		index("webhooks_capped").on(table.host).where(isCounted),
		index("webhooks_failing").on(table.failingSince).where(isUntold),
		index("webhooks_troubled").on(table.id).where(isTroubled),
	],
);

/** The tasks and categories to which webhooks are limited. A query finds the webhooks of a task here. */
export const webhookScopes = sqliteTable(
	"webhook_scopes",
	{
		kind: text("kind", { enum: ["task", "category"] }).notNull(),
		value: text("value").notNull(),
		webhookId: text("webhook_id")
			.notNull()
			.references(() => webhooks.id),
	},
	(table) => [primaryKey({ columns: [table.kind, table.value, table.webhookId] })],
);
