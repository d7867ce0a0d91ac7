CREATE TABLE `sweep_cursors` (
	`sweep` text PRIMARY KEY NOT NULL,
	`cursor` text
);
--> statement-breakpoint
ALTER TABLE `evaluation_jobs` ADD `faults` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `evaluation_jobs` ADD `progress` text;--> statement-breakpoint
ALTER TABLE `submissions` ADD `re_evaluated_at` integer;--> statement-breakpoint
CREATE UNIQUE INDEX `submissions_artifact` ON `submissions` (`artifact_key`) WHERE artifact_key is not null;--> statement-breakpoint
CREATE UNIQUE INDEX `evaluations_report` ON `evaluations` (`report_key`);