CREATE TABLE `judge_usage` (
	`id` text PRIMARY KEY NOT NULL,
	`task_id` text NOT NULL,
	`submission_id` text NOT NULL,
	`iteration` integer NOT NULL,
	`model` text NOT NULL,
	`calls` integer NOT NULL,
	`input_tokens` integer NOT NULL,
	`output_tokens` integer NOT NULL,
	`cost_micro_usd` integer,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`task_id`) REFERENCES `tasks`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`submission_id`) REFERENCES `submissions`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `judge_usage_submission` ON `judge_usage` (`submission_id`,`iteration`);--> statement-breakpoint
CREATE TABLE `task_judge_usage` (
	`task_id` text PRIMARY KEY NOT NULL,
	`calls` integer NOT NULL,
	`input_tokens` integer NOT NULL,
	`output_tokens` integer NOT NULL,
	`cost_micro_usd` integer,
	FOREIGN KEY (`task_id`) REFERENCES `tasks`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
ALTER TABLE `evaluation_jobs` ADD `origin` text DEFAULT '' NOT NULL;