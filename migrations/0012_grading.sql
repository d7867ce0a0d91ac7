CREATE TABLE `grader_runs` (
	`id` text PRIMARY KEY NOT NULL,
	`job_id` text NOT NULL,
	`run` integer NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`job_id`) REFERENCES `evaluation_jobs`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
ALTER TABLE `tasks` ADD `test_suite_key` text;--> statement-breakpoint
ALTER TABLE `tasks` ADD `test_suite_cases` integer;--> statement-breakpoint
ALTER TABLE `tasks` ADD `test_suite_bytes` integer;--> statement-breakpoint
ALTER TABLE `tasks` ADD `test_suite_sha256` text;