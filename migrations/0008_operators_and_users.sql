CREATE TABLE `operator_child_usage` (
	`agent_id` text NOT NULL,
	`month` text NOT NULL,
	`used` integer NOT NULL,
	`share` integer NOT NULL,
	PRIMARY KEY(`agent_id`, `month`),
	CONSTRAINT "operator_child_within_share" CHECK(used between 0 and share)
);
--> statement-breakpoint
CREATE TABLE `operator_tokens` (
	`id` text PRIMARY KEY NOT NULL,
	`holder_id` text NOT NULL,
	`agent_id` text NOT NULL,
	`hash` text NOT NULL,
	`prefix` text NOT NULL,
	`label` text,
	`monthly_quota` integer NOT NULL,
	`child_quota_pct` integer NOT NULL,
	`created_at` integer NOT NULL,
	`last_used_at` integer,
	`revoked_at` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `operator_tokens_hash_unique` ON `operator_tokens` (`hash`);--> statement-breakpoint
CREATE INDEX `operator_tokens_active` ON `operator_tokens` (`holder_id`,`id`) WHERE revoked_at is null;--> statement-breakpoint
CREATE TABLE `operator_usage` (
	`operator_token_id` text NOT NULL,
	`month` text NOT NULL,
	`used` integer NOT NULL,
	`quota` integer NOT NULL,
	PRIMARY KEY(`operator_token_id`, `month`),
	CONSTRAINT "operator_month_within_quota" CHECK(used between 0 and quota)
);
--> statement-breakpoint
CREATE TABLE `sessions` (
	`hash` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `sessions_expiry` ON `sessions` (`expires_at`);--> statement-breakpoint
CREATE TABLE `users` (
	`id` text PRIMARY KEY NOT NULL,
	`issuer` text NOT NULL,
	`subject` text NOT NULL,
	`agent_id` text NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`agent_id`) REFERENCES `agents`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `users_account` ON `users` (`issuer`,`subject`);--> statement-breakpoint
ALTER TABLE `agents` ADD `user_id` text;