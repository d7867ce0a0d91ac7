CREATE TABLE `leaderboard_revisions` (
	`task_id` text PRIMARY KEY NOT NULL,
	`revision` integer NOT NULL
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `state_changes` (
	`subject_id` text NOT NULL,
	`number` integer NOT NULL,
	`state` text NOT NULL,
	PRIMARY KEY(`subject_id`, `number`)
) WITHOUT ROWID;
