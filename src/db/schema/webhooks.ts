import { sql } from "drizzle-orm";
import { check, index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import type { WebhookEvent } from "../../domain/events.ts";
import { agents } from "./agents.ts";
import { isOneOf } from "./one-of.ts";

export const INACTIVE_REASONS = ["deleted", "gone", "failing"] as const;
export const DELIVERY_STATUSES = ["pending", "delivered", "failed", "cancelled"] as const;

/** A subscription. Its secrets are kept encrypted, because every delivery is signed with them. */
export const webhooks = sqliteTable(
	"webhooks",
	{
		id: text("id").primaryKey(),
		agentId: text("agent_id")
			.notNull()
			.references(() => agents.id),
		url: text("url").notNull(),
		/** The URL's host as `readTargetHost` normalises it. */
		host: text("host").notNull(),
		/** Whether it counts toward the limit of its host. The tier of its agent decides; a trigger follows changes of the tier. */
		isCapped: integer("is_capped", { mode: "boolean" }).notNull(),
		/** When the receiver passed a test. Until then it gets no events of other agents' tasks. */
		verifiedAt: integer("verified_at"),
		events: text("events", { mode: "json" }).$type<WebhookEvent[]>().notNull(),
		taskIds: text("task_ids", { mode: "json" }).$type<string[]>(),
		categories: text("categories", { mode: "json" }).$type<string[]>(),
		secretSealed: text("secret_sealed").notNull(),
		/** The secret before the last rotation, which signs along until its time is over. */
		previousSecretSealed: text("previous_secret_sealed"),
		previousSecretExpiresAt: integer("previous_secret_expires_at"),
		active: integer("active", { mode: "boolean" }).notNull().default(true),
		inactiveReason: text("inactive_reason", { enum: INACTIVE_REASONS }),
		/** When the first attempt failed after the last success; null while all is well. */
		failingSince: integer("failing_since"),
		createdAt: integer("created_at").notNull(),
	},
	(table) => [
		check("webhook_inactive_reason", sql`(active = 1) = (inactive_reason is null)`),
		index("webhooks_active").on(table.agentId, table.id).where(sql`active = 1`),
		index("webhooks_agent").on(table.agentId, table.id),
		index("webhooks_capped").on(table.host).where(sql`active = 1 and is_capped = 1`),
	],
);

/** The tasks and categories that subscriptions are scoped to, for finding the subscriptions of a task. */
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

/** The body of an event, written once: every retry, replay and receiver gets the same bytes. */
export const webhookPayloads = sqliteTable("webhook_payloads", {
	eventId: text("event_id").primaryKey(),
	eventType: text("event_type").notNull(),
	body: text("body").notNull(),
});

/** One attempt at a delivery, and what came back. */
export interface LoggedAttempt {
	/** From 1. */
	readonly number: number;
	readonly startedAt: number;
	readonly durationMs: number;
	/** Null when no response arrived. */
	readonly responseCode: number | null;
	readonly responseBody: string | null;
	readonly error: string | null;
}

/** One event on its way to one subscription. The holder of the unexpired lease sends it. */
export const webhookDeliveries = sqliteTable(
	"webhook_deliveries",
	{
		id: text("id").primaryKey(),
		webhookId: text("webhook_id")
			.notNull()
			.references(() => webhooks.id),
		eventId: text("event_id").notNull(),
		/** The delivery that this one repeats on request. */
		replayOf: text("replay_of"),
		status: text("status", { enum: DELIVERY_STATUSES }).notNull().default("pending"),
		attempts: integer("attempts").notNull().default(0),
		dueAt: integer("due_at").notNull(),
		leaseToken: text("lease_token"),
		leaseExpiresAt: integer("lease_expires_at"),
		/** The host that the holder of the lease sends to. */
		leaseHost: text("lease_host"),
		createdAt: integer("created_at").notNull(),
		finishedAt: integer("finished_at"),
		/** What was tried, oldest first. In the row, because a page of the log would read a table of attempts twice for each delivery. */
		attemptLog: text("attempt_log", { mode: "json" }).$type<readonly LoggedAttempt[]>().notNull().default([]),
	},
	(table) => [
		check("delivery_status", isOneOf("status", DELIVERY_STATUSES)),
		uniqueIndex("webhook_deliveries_event").on(table.webhookId, table.eventId).where(sql`replay_of is null`),
		index("webhook_deliveries_webhook").on(table.webhookId, table.id),
		index("webhook_deliveries_pending").on(table.webhookId).where(sql`status = 'pending'`),
		index("webhook_deliveries_due").on(table.dueAt).where(sql`status = 'pending'`),
		index("webhook_deliveries_failed").on(table.id).where(sql`status = 'failed'`),
		index("webhook_deliveries_in_flight")
			.on(table.leaseHost, table.leaseExpiresAt)
			.where(sql`status = 'pending' and lease_expires_at is not null`),
	],
);
