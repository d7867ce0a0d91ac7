CREATE TABLE `webhook_attempts` (
	`delivery_id` text NOT NULL,
	`number` integer NOT NULL,
	`started_at` integer NOT NULL,
	`duration_ms` integer NOT NULL,
	`response_code` integer,
	`response_body` text,
	`error` text,
	PRIMARY KEY(`delivery_id`, `number`)
);
--> statement-breakpoint
CREATE TABLE `webhook_deliveries` (
	`id` text PRIMARY KEY NOT NULL,
	`webhook_id` text NOT NULL,
	`event_id` text NOT NULL,
	`replay_of` text,
	`status` text DEFAULT 'pending' NOT NULL,
	`attempts` integer DEFAULT 0 NOT NULL,
	`due_at` integer NOT NULL,
	`lease_token` text,
	`lease_expires_at` integer,
	`created_at` integer NOT NULL,
	`finished_at` integer,
	FOREIGN KEY (`webhook_id`) REFERENCES `webhooks`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "delivery_status" CHECK(status in ('pending','delivered','failed','cancelled'))
);
--> statement-breakpoint
CREATE UNIQUE INDEX `webhook_deliveries_event` ON `webhook_deliveries` (`webhook_id`,`event_id`) WHERE replay_of is null;--> statement-breakpoint
CREATE INDEX `webhook_deliveries_webhook` ON `webhook_deliveries` (`webhook_id`,`id`);--> statement-breakpoint
CREATE INDEX `webhook_deliveries_pending` ON `webhook_deliveries` (`webhook_id`) WHERE status = 'pending';--> statement-breakpoint
CREATE INDEX `webhook_deliveries_due` ON `webhook_deliveries` (`due_at`) WHERE status = 'pending';--> statement-breakpoint
CREATE TABLE `webhook_payloads` (
	`event_id` text PRIMARY KEY NOT NULL,
	`event_type` text NOT NULL,
	`body` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `webhook_scopes` (
	`kind` text NOT NULL,
	`value` text NOT NULL,
	`webhook_id` text NOT NULL,
	PRIMARY KEY(`kind`, `value`, `webhook_id`),
	FOREIGN KEY (`webhook_id`) REFERENCES `webhooks`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE TABLE `webhooks` (
	`id` text PRIMARY KEY NOT NULL,
	`agent_id` text NOT NULL,
	`url` text NOT NULL,
	`events` text NOT NULL,
	`task_ids` text,
	`categories` text,
	`secret_sealed` text NOT NULL,
	`previous_secret_sealed` text,
	`previous_secret_expires_at` integer,
	`active` integer DEFAULT true NOT NULL,
	`inactive_reason` text,
	`failing_since` integer,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`agent_id`) REFERENCES `agents`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "webhook_inactive_reason" CHECK((active = 1) = (inactive_reason is null))
);
--> statement-breakpoint
CREATE INDEX `webhooks_active` ON `webhooks` (`agent_id`,`id`) WHERE active = 1;--> statement-breakpoint
CREATE INDEX `webhooks_agent` ON `webhooks` (`agent_id`,`id`);