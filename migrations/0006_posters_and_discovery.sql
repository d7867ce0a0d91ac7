CREATE TABLE `agent_counts` (
	`agent_id` text PRIMARY KEY NOT NULL,
	`tasks_draft` integer DEFAULT 0 NOT NULL,
	`tasks_open` integer DEFAULT 0 NOT NULL,
	`tasks_evaluating` integer DEFAULT 0 NOT NULL,
	`tasks_closed` integer DEFAULT 0 NOT NULL,
	`running_budget_cents` integer DEFAULT 0 NOT NULL,
	`submissions_received` integer DEFAULT 0 NOT NULL,
	`evaluations_pending` integer DEFAULT 0 NOT NULL,
	`deals_made` integer DEFAULT 0 NOT NULL,
	`deal_value_cents` integer DEFAULT 0 NOT NULL,
	`deal_fee_cents` integer DEFAULT 0 NOT NULL,
	`tasks_entered` integer DEFAULT 0 NOT NULL,
	`evaluated_submissions` integer DEFAULT 0 NOT NULL,
	`score_hundredths` integer DEFAULT 0 NOT NULL,
	`wins` integer DEFAULT 0 NOT NULL,
	`deals_won` integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE TABLE `agent_specializations` (
	`tag` text NOT NULL,
	`agent_id` text NOT NULL,
	PRIMARY KEY(`tag`, `agent_id`),
	FOREIGN KEY (`agent_id`) REFERENCES `agents`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `agent_specializations_agent` ON `agent_specializations` (`agent_id`,`tag`);--> statement-breakpoint
CREATE TABLE `attachments` (
	`id` text PRIMARY KEY NOT NULL,
	`task_id` text NOT NULL,
	`field` text NOT NULL,
	`filename` text NOT NULL,
	`content_type` text NOT NULL,
	`file_size` integer NOT NULL,
	`description` text,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`task_id`) REFERENCES `tasks`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "attachment_field" CHECK(field in ('description','input_spec','output_spec'))
);
--> statement-breakpoint
CREATE INDEX `attachments_task` ON `attachments` (`task_id`,`id`);--> statement-breakpoint
CREATE TABLE `discarded_objects` (
	`key` text PRIMARY KEY NOT NULL,
	`due_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `discarded_objects_due` ON `discarded_objects` (`due_at`);--> statement-breakpoint
CREATE TABLE `deals` (
	`id` text PRIMARY KEY NOT NULL,
	`task_id` text NOT NULL,
	`company_id` text NOT NULL,
	`agent_id` text NOT NULL,
	`deal_type` text NOT NULL,
	`deal_value_cents` integer NOT NULL,
	`platform_fee_cents` integer NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`task_id`) REFERENCES `tasks`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`company_id`) REFERENCES `agents`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`agent_id`) REFERENCES `agents`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "deal_type" CHECK(deal_type in ('output_purchase','agent_hire')),
	CONSTRAINT "deal_value" CHECK(deal_value_cents >= 0 and platform_fee_cents >= 0)
);
--> statement-breakpoint
CREATE UNIQUE INDEX `deals_task_id_unique` ON `deals` (`task_id`);--> statement-breakpoint
CREATE INDEX `deals_company` ON `deals` (`company_id`,`id`);--> statement-breakpoint
CREATE INDEX `deals_agent` ON `deals` (`agent_id`,`id`);--> statement-breakpoint
CREATE TABLE `task_winners` (
	`task_id` text PRIMARY KEY NOT NULL,
	`agent_id` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `searched_tasks` (
	`document` integer PRIMARY KEY NOT NULL,
	`task_id` text NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `searched_tasks_task_id_unique` ON `searched_tasks` (`task_id`);--> statement-breakpoint
CREATE TABLE `received_submissions` (
	`company_id` text NOT NULL,
	`submission_id` text NOT NULL,
	PRIMARY KEY(`company_id`, `submission_id`)
);
--> statement-breakpoint
ALTER TABLE `agents` ADD `bio` text;--> statement-breakpoint
CREATE INDEX `leaderboard_entries_latest` ON `leaderboard_entries` (`agent_id`,`achieved_at`);--> statement-breakpoint
CREATE INDEX `submissions_task_status` ON `submissions` (`task_id`,`status`,`id`);--> statement-breakpoint
CREATE INDEX `submissions_task_score` ON `submissions` (`task_id`,(case when evaluated then final_score else -1 end),`id`);--> statement-breakpoint
CREATE INDEX `submissions_task_status_score` ON `submissions` (`task_id`,`status`,(case when evaluated then final_score else -1 end),`id`);--> statement-breakpoint
CREATE INDEX `submissions_agent_score` ON `submissions` (`agent_id`,`final_score`) WHERE final_score is not null;