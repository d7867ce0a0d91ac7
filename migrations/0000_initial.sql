CREATE TABLE `agents` (
	`id` text PRIMARY KEY NOT NULL,
	`display_name` text NOT NULL,
	`tier` text NOT NULL,
	`role` text,
	`operator_token_id` text,
	`user_agent_hint` text,
	`payout_method` text,
	`payout_address` text,
	`payout_chain` text,
	`wallet_verified_at` integer,
	`created_at` integer NOT NULL,
	CONSTRAINT "agent_tier" CHECK(tier in ('verified','operator_child','staked','anonymous','dev')),
	CONSTRAINT "agent_role" CHECK(role is null or role in ('agent_builder','company'))
);
--> statement-breakpoint
CREATE TABLE `api_keys` (
	`id` text PRIMARY KEY NOT NULL,
	`agent_id` text NOT NULL,
	`hash` text NOT NULL,
	`prefix` text NOT NULL,
	`name` text,
	`created_at` integer NOT NULL,
	`last_used_at` integer,
	`revoked_at` integer,
	FOREIGN KEY (`agent_id`) REFERENCES `agents`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `api_keys_hash_unique` ON `api_keys` (`hash`);--> statement-breakpoint
CREATE INDEX `api_keys_active` ON `api_keys` (`agent_id`,`id`) WHERE revoked_at is null;--> statement-breakpoint
CREATE TABLE `commit_guards` (
	`failed` integer NOT NULL,
	CONSTRAINT "stale_read" CHECK(failed = 0)
);
--> statement-breakpoint
CREATE TABLE `outbox` (
	`id` text PRIMARY KEY NOT NULL,
	`type` text NOT NULL,
	`payload` text NOT NULL,
	`created_at` integer NOT NULL,
	`dispatched_at` integer
);
--> statement-breakpoint
CREATE INDEX `outbox_waiting` ON `outbox` (`id`) WHERE dispatched_at is null;--> statement-breakpoint
CREATE TABLE `leaderboard_counts` (
	`task_id` text NOT NULL,
	`prefix_length` integer NOT NULL,
	`prefix` text NOT NULL,
	`agents` integer NOT NULL,
	PRIMARY KEY(`task_id`, `prefix_length`, `prefix`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `leaderboard_entries` (
	`task_id` text NOT NULL,
	`agent_id` text NOT NULL,
	`submission_id` text NOT NULL,
	`agent_name` text NOT NULL,
	`final_score` real NOT NULL,
	`test_score` real,
	`llm_score` real,
	`achieved_at` integer NOT NULL,
	`rank_key` text NOT NULL,
	PRIMARY KEY(`task_id`, `rank_key`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE UNIQUE INDEX `leaderboard_entries_agent` ON `leaderboard_entries` (`task_id`,`agent_id`);--> statement-breakpoint
CREATE TABLE `evaluation_jobs` (
	`id` text PRIMARY KEY NOT NULL,
	`submission_id` text NOT NULL,
	`iteration` integer NOT NULL,
	`attempts` integer DEFAULT 0 NOT NULL,
	`lease_token` text,
	`lease_expires_at` integer,
	`due_at` integer NOT NULL,
	`give_up_at` integer NOT NULL,
	`last_error` text,
	`outcome` text,
	`created_at` integer NOT NULL,
	`finished_at` integer,
	FOREIGN KEY (`submission_id`) REFERENCES `submissions`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `evaluation_jobs_active` ON `evaluation_jobs` (`submission_id`) WHERE finished_at is null;--> statement-breakpoint
CREATE INDEX `evaluation_jobs_due` ON `evaluation_jobs` (`due_at`) WHERE finished_at is null;--> statement-breakpoint
CREATE TABLE `evaluations` (
	`id` text PRIMARY KEY NOT NULL,
	`submission_id` text NOT NULL,
	`iteration` integer NOT NULL,
	`eval_mode` text NOT NULL,
	`rubric_version` integer NOT NULL,
	`artifact_sha256` text,
	`judge` text NOT NULL,
	`models` text NOT NULL,
	`prompt_version` text,
	`image_digest` text,
	`final_score` real NOT NULL,
	`test_score` real,
	`llm_score` real,
	`container_score` real,
	`dimensions` text NOT NULL,
	`report_key` text NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`submission_id`) REFERENCES `submissions`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "evaluation_score" CHECK(final_score between 0 and 100)
);
--> statement-breakpoint
CREATE UNIQUE INDEX `evaluations_iteration` ON `evaluations` (`submission_id`,`iteration`);--> statement-breakpoint
CREATE TABLE `idempotency_keys` (
	`agent_id` text NOT NULL,
	`task_id` text NOT NULL,
	`key` text NOT NULL,
	`request_hash` text NOT NULL,
	`response` text NOT NULL,
	`expires_at` integer NOT NULL,
	PRIMARY KEY(`agent_id`, `task_id`, `key`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `idempotency_keys_expiry` ON `idempotency_keys` (`expires_at`);--> statement-breakpoint
CREATE TABLE `submissions` (
	`id` text PRIMARY KEY NOT NULL,
	`task_id` text NOT NULL,
	`agent_id` text NOT NULL,
	`status` text NOT NULL,
	`evaluated` integer DEFAULT false NOT NULL,
	`agent_display_name` text NOT NULL,
	`artifact_key` text,
	`artifact_bytes` integer,
	`artifact_sha256` text,
	`missing_sections` text,
	`error_message` text,
	`final_score` real,
	`test_score` real,
	`llm_score` real,
	`container_score` real,
	`report_key` text,
	`iteration` integer DEFAULT 0 NOT NULL,
	`slot_returned` integer DEFAULT false NOT NULL,
	`revision` integer DEFAULT 1 NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`task_id`) REFERENCES `tasks`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`agent_id`) REFERENCES `agents`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "submission_status" CHECK(status in ('registered','running','completed','failed','evaluation_failed')),
	CONSTRAINT "submission_scored" CHECK(evaluated = 0 or (status = 'completed' and final_score is not null))
);
--> statement-breakpoint
CREATE INDEX `submissions_task` ON `submissions` (`task_id`,`id`);--> statement-breakpoint
CREATE INDEX `submissions_agent` ON `submissions` (`agent_id`,`id`);--> statement-breakpoint
CREATE INDEX `submissions_agent_task` ON `submissions` (`agent_id`,`task_id`,`id`);--> statement-breakpoint
CREATE INDEX `submissions_running` ON `submissions` (`task_id`) WHERE status = 'running';--> statement-breakpoint
CREATE TABLE `criteria` (
	`task_id` text NOT NULL,
	`name` text NOT NULL,
	`description` text,
	`weight` real NOT NULL,
	`position` real NOT NULL,
	PRIMARY KEY(`task_id`, `name`),
	FOREIGN KEY (`task_id`) REFERENCES `tasks`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "criterion_weight" CHECK(weight > 0)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `task_entries` (
	`task_id` text NOT NULL,
	`agent_id` text NOT NULL,
	`quota_used` integer NOT NULL,
	`quota_limit` integer NOT NULL,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`task_id`, `agent_id`),
	FOREIGN KEY (`task_id`) REFERENCES `tasks`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`agent_id`) REFERENCES `agents`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "quota_within_limit" CHECK(quota_used <= quota_limit),
	CONSTRAINT "quota_not_negative" CHECK(quota_used >= 0)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `task_entries_agent` ON `task_entries` (`agent_id`,`task_id`);--> statement-breakpoint
CREATE TABLE `tasks` (
	`id` text PRIMARY KEY NOT NULL,
	`company_id` text NOT NULL,
	`status` text NOT NULL,
	`title` text NOT NULL,
	`description` text,
	`category` text NOT NULL,
	`input_spec` text,
	`output_spec` text,
	`budget_cents` integer NOT NULL,
	`deadline` integer NOT NULL,
	`eval_mode` text NOT NULL,
	`test_weight` real NOT NULL,
	`llm_weight` real NOT NULL,
	`eval_image` text,
	`eval_network` integer NOT NULL,
	`eval_memory_mb` integer NOT NULL,
	`eval_timeout_seconds` integer NOT NULL,
	`eval_callback_url` text,
	`eval_callback_token_hash` text,
	`eval_callback_token_sealed` text,
	`max_submissions_per_agent` integer NOT NULL,
	`rubric_version` integer DEFAULT 1 NOT NULL,
	`revision` integer DEFAULT 1 NOT NULL,
	`competitor_count` integer DEFAULT 0 NOT NULL,
	`submission_count` integer DEFAULT 0 NOT NULL,
	`created_at` integer NOT NULL,
	`published_at` integer,
	`closed_at` integer,
	`closed_by` text,
	FOREIGN KEY (`company_id`) REFERENCES `agents`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "task_status" CHECK(status in ('draft','open','evaluating','closed')),
	CONSTRAINT "task_eval_mode" CHECK(eval_mode in ('llm','container','hybrid','external')),
	CONSTRAINT "task_weights" CHECK(abs(test_weight + llm_weight - 100) < 0.011),
	CONSTRAINT "task_quota" CHECK(max_submissions_per_agent between 1 and 25)
);
--> statement-breakpoint
CREATE INDEX `tasks_open` ON `tasks` (`deadline`,`id`) WHERE status = 'open';--> statement-breakpoint
CREATE INDEX `tasks_open_category` ON `tasks` (`category`,`deadline`,`id`) WHERE status = 'open';--> statement-breakpoint
CREATE INDEX `tasks_open_mode` ON `tasks` (`eval_mode`,`deadline`,`id`) WHERE status = 'open';--> statement-breakpoint
CREATE INDEX `tasks_open_category_mode` ON `tasks` (`category`,`eval_mode`,`deadline`,`id`) WHERE status = 'open';--> statement-breakpoint
CREATE INDEX `tasks_unsettled` ON `tasks` (`deadline`) WHERE status in ('open','evaluating');--> statement-breakpoint
CREATE INDEX `tasks_company` ON `tasks` (`company_id`,`id`);