CREATE TABLE `deliveries` (
	`id` text PRIMARY KEY NOT NULL,
	`event_id` text NOT NULL,
	`event_type` text NOT NULL,
	`task_id` text,
	`body` text NOT NULL,
	`replay_of` text,
	`status` text DEFAULT 'pending' NOT NULL,
	`attempts` integer DEFAULT 0 NOT NULL,
	`due_at` integer NOT NULL,
	`created_at` integer NOT NULL,
	`finished_at` integer,
	`attempt_log` text DEFAULT '[]' NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `deliveries_event` ON `deliveries` (`event_id`) WHERE replay_of is null;--> statement-breakpoint
CREATE INDEX `deliveries_due` ON `deliveries` (`due_at`) WHERE status = 'pending';--> statement-breakpoint
CREATE INDEX `deliveries_failed` ON `deliveries` (`id`) WHERE status = 'failed';--> statement-breakpoint
CREATE TABLE `receiver` (
	`webhook_id` text PRIMARY KEY NOT NULL,
	`failing_since` integer,
	`reported_waiting` integer DEFAULT 0 NOT NULL,
	`reported_waiting_since` integer,
	`reported_failed` integer DEFAULT false NOT NULL,
	`reported_failing_since` integer
);
