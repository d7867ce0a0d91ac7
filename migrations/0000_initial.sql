CREATE TABLE `reports` (
	`id` text PRIMARY KEY NOT NULL,
	`reporter_id` text NOT NULL,
	`task_id` text,
	`submission_id` text,
	`reason` text NOT NULL,
	`created_at` integer NOT NULL,
	`resolved_at` integer,
	FOREIGN KEY (`reporter_id`) REFERENCES `agents`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "report_subject" CHECK((task_id is not null) + (submission_id is not null) = 1)
);
--> statement-breakpoint
CREATE INDEX `reports_reporter` ON `reports` (`reporter_id`,`id`);
--> statement-breakpoint
CREATE INDEX `reports_open` ON `reports` (`id`) WHERE resolved_at is null;
--> statement-breakpoint
CREATE INDEX `reports_resolved` ON `reports` (`id`) WHERE resolved_at is not null;
--> statement-breakpoint
CREATE TABLE `audit_log` (
	`id` text PRIMARY KEY NOT NULL,
	`at` integer NOT NULL,
	`actor` text NOT NULL,
	`action` text NOT NULL,
	`target` text NOT NULL,
	`reason` text NOT NULL,
	`before` text NOT NULL,
	`after` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `audit_log_target` ON `audit_log` (`target`,`id`);
--> statement-breakpoint
CREATE TABLE `queue_age` (
	`id` integer PRIMARY KEY NOT NULL,
	`age_ms` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `queue_hours` (
	`hour` integer PRIMARY KEY NOT NULL,
	`waiting` integer NOT NULL,
	`age_ms` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `spend_ceilings` (
	`name` text PRIMARY KEY NOT NULL,
	`value` real,
	CONSTRAINT "ceiling_name" CHECK(name in ('task_micro_usd','task_budget_percent','poster_day_micro_usd','deployment_day_micro_usd')),
	CONSTRAINT "ceiling_value" CHECK(value > 0)
);
--> statement-breakpoint
CREATE TABLE `standing_changes` (
	`id` text PRIMARY KEY NOT NULL,
	`agent_id` text NOT NULL,
	`at` integer NOT NULL,
	`erased_up_to` text DEFAULT '' NOT NULL
);
--> statement-breakpoint
CREATE TABLE `switches` (
	`name` text PRIMARY KEY NOT NULL,
	`is_on` integer NOT NULL,
	`message` text NOT NULL,
	`since` integer,
	`revision` integer NOT NULL,
	CONSTRAINT "switch_name" CHECK(name in ('registration','submissions','judging','writes'))
);
--> statement-breakpoint
CREATE TABLE `agent_specializations` (
	`tag` text NOT NULL,
	`agent_id` text NOT NULL,
	PRIMARY KEY(`tag`, `agent_id`),
	FOREIGN KEY (`agent_id`) REFERENCES `agents`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `agent_specializations_agent` ON `agent_specializations` (`agent_id`,`tag`);
--> statement-breakpoint
CREATE TABLE `agents` (
	`id` text PRIMARY KEY NOT NULL,
	`display_name` text NOT NULL,
	`bio` text,
	`tier` text NOT NULL,
	`role` text,
	`operator_token_id` text,
	`user_id` text,
	`user_agent_hint` text,
	`payout_method` text,
	`payout_address` text,
	`payout_chain` text,
	`wallet_verified_at` integer,
	`wallet_proof` text,
	`suspended_at` integer,
	`erased_at` integer,
	`created_at` integer NOT NULL,
	CONSTRAINT "agent_tier" CHECK(tier in ('verified','operator_child','staked','anonymous','dev')),
	CONSTRAINT "agent_role" CHECK(role is null or role in ('agent_builder','company'))
);
--> statement-breakpoint
CREATE INDEX `agents_operator_token` ON `agents` (`operator_token_id`) WHERE operator_token_id is not null;
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
CREATE UNIQUE INDEX `api_keys_hash_unique` ON `api_keys` (`hash`);
--> statement-breakpoint
CREATE INDEX `api_keys_active` ON `api_keys` (`agent_id`,`id`) WHERE revoked_at is null;
--> statement-breakpoint
CREATE TABLE `anonymous_drafts` (
	`task_id` text PRIMARY KEY NOT NULL,
	`agent_id` text NOT NULL,
	`touched_at` integer NOT NULL,
	`has_room` integer NOT NULL,
	CONSTRAINT "anonymous_drafts_have_room" CHECK(has_room = 1)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `anonymous_drafts_agent` ON `anonymous_drafts` (`agent_id`);
--> statement-breakpoint
CREATE INDEX `anonymous_drafts_touched` ON `anonymous_drafts` (`touched_at`);
--> statement-breakpoint
CREATE TABLE `asker_cards` (
	`agent_id` text NOT NULL,
	`task_id` text NOT NULL,
	PRIMARY KEY(`agent_id`, `task_id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `located_cards` (
	`id` text PRIMARY KEY NOT NULL,
	`task_id` text NOT NULL
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `located_cards_task` ON `located_cards` (`task_id`);
--> statement-breakpoint
CREATE TABLE `member_cards` (
	`agent_id` text NOT NULL,
	`task_id` text NOT NULL,
	`number` integer NOT NULL,
	`is_member` integer NOT NULL,
	`deadline` integer NOT NULL,
	PRIMARY KEY(`agent_id`, `task_id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `member_cards_listed` ON `member_cards` (`agent_id`,`deadline`,`task_id`) WHERE is_member = 1;
--> statement-breakpoint
CREATE INDEX `member_cards_task` ON `member_cards` (`task_id`);
--> statement-breakpoint
CREATE TABLE `submission_cards` (
	`id` blob PRIMARY KEY NOT NULL,
	`number` integer NOT NULL,
	`task_id` blob NOT NULL,
	`agent_id` blob NOT NULL,
	`company_id` blob NOT NULL,
	`status` text NOT NULL,
	`agent_display_name` text NOT NULL,
	`final_score` real,
	`judge_score` real,
	`test_score` real,
	`llm_score` real,
	`container_score` real,
	`iteration` integer NOT NULL,
	`is_own` integer NOT NULL,
	`is_test` integer DEFAULT false NOT NULL,
	`details` text,
	`evaluated_at` integer,
	`created_at` integer NOT NULL
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `submission_cards_agent` ON `submission_cards` (`agent_id`,`id`);
--> statement-breakpoint
CREATE INDEX `submission_cards_company` ON `submission_cards` (`company_id`,`id`);
--> statement-breakpoint
CREATE INDEX `submission_cards_running` ON `submission_cards` (`company_id`,`task_id`) WHERE status = 'running';
--> statement-breakpoint
CREATE INDEX `submission_cards_failed` ON `submission_cards` (`id`) WHERE status = 'evaluation_failed';
--> statement-breakpoint
CREATE TABLE `task_cards` (
	`id` text PRIMARY KEY NOT NULL,
	`number` integer NOT NULL,
	`company_id` text NOT NULL,
	`status` text NOT NULL,
	`title` text NOT NULL,
	`description` text,
	`category` text NOT NULL,
	`budget_cents` integer NOT NULL,
	`fee_bps` integer NOT NULL,
	`deadline` integer NOT NULL,
	`eval_mode` text NOT NULL,
	`max_submissions_per_agent` integer NOT NULL,
	`competitor_count` integer NOT NULL,
	`submission_count` integer NOT NULL,
	`hidden` integer NOT NULL,
	`access` text DEFAULT 'public' NOT NULL,
	`is_test` integer DEFAULT false NOT NULL,
	`taken_down` integer DEFAULT false NOT NULL,
	`settled_at` integer,
	`decided_at` integer,
	`winner_id` text,
	`winner_name` text,
	`winner_score` real,
	`chosen` text DEFAULT '[]' NOT NULL,
	`judging_paused` integer DEFAULT false NOT NULL,
	`encrypted_with` text,
	`created_at` integer NOT NULL,
	`published_at` integer,
	`closed_at` integer
);
--> statement-breakpoint
CREATE INDEX `task_cards_open` ON `task_cards` (`deadline`,`id`) WHERE status = 'open' and hidden = 0 and access = 'public';
--> statement-breakpoint
CREATE INDEX `task_cards_open_category` ON `task_cards` (`category`,`deadline`,`id`) WHERE status = 'open' and hidden = 0 and access = 'public';
--> statement-breakpoint
CREATE INDEX `task_cards_open_mode` ON `task_cards` (`eval_mode`,`deadline`,`id`) WHERE status = 'open' and hidden = 0 and access = 'public';
--> statement-breakpoint
CREATE INDEX `task_cards_open_category_mode` ON `task_cards` (`category`,`eval_mode`,`deadline`,`id`) WHERE status = 'open' and hidden = 0 and access = 'public';
--> statement-breakpoint
CREATE INDEX `task_cards_newest` ON `task_cards` (`published_at`,`id`) WHERE status = 'open' and hidden = 0 and access = 'public';
--> statement-breakpoint
CREATE INDEX `task_cards_newest_category` ON `task_cards` (`category`,`published_at`,`id`) WHERE status = 'open' and hidden = 0 and access = 'public';
--> statement-breakpoint
CREATE INDEX `task_cards_ended` ON `task_cards` (`closed_at`,`id`) WHERE status = 'closed' and hidden = 0 and access = 'public';
--> statement-breakpoint
CREATE INDEX `task_cards_company` ON `task_cards` (`company_id`,`id`);
--> statement-breakpoint
CREATE INDEX `task_cards_company_status` ON `task_cards` (`company_id`,`status`,`id`);
--> statement-breakpoint
CREATE INDEX `task_cards_winner` ON `task_cards` (`winner_id`) WHERE winner_id is not null;
--> statement-breakpoint
CREATE INDEX `task_cards_encrypted` ON `task_cards` (`id`) WHERE encrypted_with is not null;
--> statement-breakpoint
CREATE INDEX `task_cards_paused` ON `task_cards` (`id`) WHERE judging_paused = 1;
--> statement-breakpoint
CREATE INDEX `task_cards_deadline` ON `task_cards` (`deadline`,`id`) WHERE status = 'open' and closed_at is null;
--> statement-breakpoint
CREATE INDEX `task_cards_unsettled` ON `task_cards` (`id`) WHERE settled_at is null and status in ('evaluating', 'closed');
--> statement-breakpoint
CREATE TABLE `test_tasks` (
	`task_id` text PRIMARY KEY NOT NULL,
	`agent_id` text NOT NULL,
	`created_at` integer NOT NULL,
	`has_room` integer NOT NULL,
	CONSTRAINT "test_tasks_have_room" CHECK(has_room = 1)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `test_tasks_agent` ON `test_tasks` (`agent_id`,`created_at`);
--> statement-breakpoint
CREATE TABLE `usage_cards` (
	`task_id` text PRIMARY KEY NOT NULL,
	`calls` integer NOT NULL,
	`input_tokens` integer NOT NULL,
	`output_tokens` integer NOT NULL,
	`cost_micro_usd` integer
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `credential_ends` (
	`at` integer NOT NULL,
	`id` text NOT NULL,
	PRIMARY KEY(`at`, `id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `deals` (
	`id` text PRIMARY KEY NOT NULL,
	`task_id` text NOT NULL,
	`company_id` text NOT NULL,
	`agent_id` text NOT NULL,
	`task_title` text DEFAULT '' NOT NULL,
	`is_test` integer DEFAULT false NOT NULL,
	`deal_type` text NOT NULL,
	`deal_value_cents` integer NOT NULL,
	`platform_fee_cents` integer NOT NULL,
	`created_at` integer NOT NULL,
	`status` text DEFAULT 'recorded' NOT NULL,
	`payment_reference` text,
	`paid_method` text,
	`paid_address` text,
	`paid_chain` text,
	`paid_wallet_verified_at` integer,
	`paid_at` integer,
	`payment_transaction` text,
	`payment_verified` integer,
	`is_on_its_way` integer DEFAULT false NOT NULL,
	`seen_units` text,
	`seen_address` text,
	`seen_chain` text,
	`seen_at` integer,
	`payment_note` text,
	`check_due_at` integer,
	`checks` integer DEFAULT 0 NOT NULL,
	`pay_remainder` integer,
	`history` text DEFAULT '[]' NOT NULL,
	`decided_at` integer,
	`score_from` real,
	`score_to` real,
	`score_changed_at` integer,
	FOREIGN KEY (`company_id`) REFERENCES `agents`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`agent_id`) REFERENCES `agents`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "deal_type" CHECK(deal_type in ('output_purchase','agent_hire')),
	CONSTRAINT "deal_value" CHECK(deal_value_cents >= 0 and platform_fee_cents >= 0),
	CONSTRAINT "deal_status" CHECK(status in ('recorded','accepted','declined','paid','received','disputed')),
	CONSTRAINT "deal_seen" CHECK(payment_verified is not 1 or (seen_units is not null and seen_chain is not null and seen_at is not null))
);
--> statement-breakpoint
CREATE UNIQUE INDEX `deals_standing` ON `deals` (`task_id`) WHERE status <> 'declined';
--> statement-breakpoint
CREATE INDEX `deals_task` ON `deals` (`task_id`,`id`);
--> statement-breakpoint
CREATE INDEX `deals_company` ON `deals` (`company_id`,`id`);
--> statement-breakpoint
CREATE INDEX `deals_agent` ON `deals` (`agent_id`,`id`);
--> statement-breakpoint
CREATE UNIQUE INDEX `deals_payment` ON `deals` (`payment_transaction`,`seen_chain`) WHERE payment_transaction is not null and payment_verified = 1;
--> statement-breakpoint
CREATE UNIQUE INDEX `deals_pay_exactly` ON `deals` ((deal_value_cents - platform_fee_cents),`pay_remainder`) WHERE status in ('recorded', 'accepted', 'paid') and pay_remainder is not null;
--> statement-breakpoint
CREATE INDEX `deals_received` ON `deals` (`deal_value_cents`) WHERE status = 'received';
--> statement-breakpoint
CREATE INDEX `deals_check` ON `deals` (`check_due_at`) WHERE check_due_at is not null;
--> statement-breakpoint
CREATE TABLE `commit_guards` (
	`failed` integer NOT NULL,
	CONSTRAINT "stale_read" CHECK(failed = 0)
);
--> statement-breakpoint
CREATE TABLE `commit_marks` (
	`slot` integer PRIMARY KEY NOT NULL,
	`commit_id` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `outbox` (
	`id` text PRIMARY KEY NOT NULL,
	`events` text NOT NULL,
	`created_at` integer NOT NULL
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `judge_days` (
	`scope` text NOT NULL,
	`day` text NOT NULL,
	`settled` integer NOT NULL,
	`reserved` integer NOT NULL,
	`evaluations` integer NOT NULL,
	`input_tokens` integer NOT NULL,
	`output_tokens` integer NOT NULL,
	PRIMARY KEY(`day`, `scope`),
	CONSTRAINT "judge_day_sums" CHECK(settled >= 0 and reserved >= 0)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `reservations` (
	`job` text NOT NULL,
	`claim` integer NOT NULL,
	`day` text NOT NULL,
	`scopes` text NOT NULL,
	`has_room` integer NOT NULL,
	`expires_at` integer NOT NULL,
	PRIMARY KEY(`job`, `claim`),
	CONSTRAINT "reservation_has_room" CHECK(has_room = 1)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `access_tokens` (
	`hash` text PRIMARY KEY NOT NULL,
	`grant_id` text NOT NULL,
	`scope` text NOT NULL,
	`expires_at` integer NOT NULL,
	FOREIGN KEY (`grant_id`) REFERENCES `grants`(`id`) ON UPDATE no action ON DELETE cascade,
	CONSTRAINT "access_token_scope" CHECK(scope in ('read','act'))
);
--> statement-breakpoint
CREATE INDEX `access_tokens_grant` ON `access_tokens` (`grant_id`);
--> statement-breakpoint
CREATE INDEX `access_tokens_expiry` ON `access_tokens` (`expires_at`);
--> statement-breakpoint
CREATE TABLE `device_requests` (
	`code_hmac` text PRIMARY KEY NOT NULL,
	`object` text NOT NULL,
	`expires_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `device_requests_expiry` ON `device_requests` (`expires_at`);
--> statement-breakpoint
CREATE TABLE `grants` (
	`id` text PRIMARY KEY NOT NULL,
	`key` text NOT NULL,
	`agent_id` text NOT NULL,
	`key_id` text,
	`credential_id` text,
	`client_id` text NOT NULL,
	`client_name` text NOT NULL,
	`client_uri` text,
	`redirect_uri` text,
	`scope` text NOT NULL,
	`created_at` integer NOT NULL,
	`activated_at` integer,
	`last_used_at` integer,
	FOREIGN KEY (`agent_id`) REFERENCES `agents`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "grant_scope" CHECK(scope in ('read','act'))
);
--> statement-breakpoint
CREATE UNIQUE INDEX `grants_key_unique` ON `grants` (`key`);
--> statement-breakpoint
CREATE INDEX `grants_agent` ON `grants` (`agent_id`,`id`);
--> statement-breakpoint
CREATE INDEX `grants_client` ON `grants` (`client_id`);
--> statement-breakpoint
CREATE INDEX `grants_credential` ON `grants` (`credential_id`) WHERE credential_id is not null;
--> statement-breakpoint
CREATE INDEX `grants_key` ON `grants` (`key_id`) WHERE key_id is not null;
--> statement-breakpoint
CREATE INDEX `grants_last_use` ON `grants` (`last_used_at`) WHERE last_used_at is not null;
--> statement-breakpoint
CREATE INDEX `grants_unused` ON `grants` (`created_at`) WHERE activated_at is null;
--> statement-breakpoint
CREATE TABLE `oauth_clients` (
	`id` text PRIMARY KEY NOT NULL,
	`record` text NOT NULL,
	`fetched_at` integer,
	`unused_since` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `oauth_clients_age` ON `oauth_clients` (`unused_since`);
--> statement-breakpoint
CREATE TABLE `user_code_tries` (
	`id` text PRIMARY KEY NOT NULL,
	`network` text NOT NULL,
	`expires_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `user_code_tries_network` ON `user_code_tries` (`network`,`expires_at`);
--> statement-breakpoint
CREATE INDEX `user_code_tries_expiry` ON `user_code_tries` (`expires_at`);
--> statement-breakpoint
CREATE TABLE `network_usage` (
	`holder` text NOT NULL,
	`kind` text NOT NULL,
	`day` text NOT NULL,
	`used` integer NOT NULL,
	`cap` integer NOT NULL,
	PRIMARY KEY(`holder`, `kind`, `day`),
	CONSTRAINT "network_usage_kind" CHECK(kind in ('agents','bytes','publishes')),
	CONSTRAINT "network_agents_within_cap" CHECK(kind <> 'agents' or used <= cap),
	CONSTRAINT "network_bytes_within_cap" CHECK(kind <> 'bytes' or used <= cap),
	CONSTRAINT "network_publishes_within_cap" CHECK(kind <> 'publishes' or used <= cap)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `network_usage_day` ON `network_usage` (`day`);
--> statement-breakpoint
CREATE TABLE `used_challenges` (
	`nonce` text PRIMARY KEY NOT NULL,
	`expires_at` integer NOT NULL
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `used_challenges_expiry` ON `used_challenges` (`expires_at`);
--> statement-breakpoint
CREATE TABLE `operator_child_usage` (
	`agent_id` text NOT NULL,
	`month` text NOT NULL,
	`used` integer NOT NULL,
	`share` integer NOT NULL,
	PRIMARY KEY(`agent_id`, `month`),
	CONSTRAINT "operator_child_within_share" CHECK(used between 0 and share)
) WITHOUT ROWID;
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
CREATE UNIQUE INDEX `operator_tokens_hash_unique` ON `operator_tokens` (`hash`);
--> statement-breakpoint
CREATE INDEX `operator_tokens_active` ON `operator_tokens` (`holder_id`,`id`) WHERE revoked_at is null;
--> statement-breakpoint
CREATE TABLE `operator_units` (
	`id` text PRIMARY KEY NOT NULL,
	`task_id` text NOT NULL,
	`operator_token_id` text NOT NULL,
	`agent_id` text NOT NULL,
	`month` text NOT NULL,
	`is_confirmed` integer DEFAULT false NOT NULL,
	`created_at` integer NOT NULL
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `operator_units_age` ON `operator_units` (`is_confirmed`,`created_at`);
--> statement-breakpoint
CREATE TABLE `operator_usage` (
	`operator_token_id` text NOT NULL,
	`month` text NOT NULL,
	`used` integer NOT NULL,
	`quota` integer NOT NULL,
	PRIMARY KEY(`operator_token_id`, `month`),
	CONSTRAINT "operator_month_within_quota" CHECK(used between 0 and quota)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `passkeys` (
	`id` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`credential_id` text NOT NULL,
	`public_key` text NOT NULL,
	`counter` integer NOT NULL,
	`transports` text NOT NULL,
	`name` text,
	`depends_on_key` text,
	`created_at` integer NOT NULL,
	`last_used_at` integer,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `passkeys_credential_id_unique` ON `passkeys` (`credential_id`);
--> statement-breakpoint
CREATE INDEX `passkeys_user` ON `passkeys` (`user_id`,`id`);
--> statement-breakpoint
CREATE INDEX `passkeys_depends` ON `passkeys` (`depends_on_key`) WHERE depends_on_key is not null;
--> statement-breakpoint
CREATE TABLE `placement` (
	`id` integer PRIMARY KEY NOT NULL,
	`jurisdiction` text NOT NULL,
	CONSTRAINT "placement_once" CHECK(id = 1)
);
--> statement-breakpoint
CREATE TABLE `judge_health` (
	`id` integer PRIMARY KEY NOT NULL,
	`succeeded_at` integer,
	`failed_at` integer,
	`fault` text
);
--> statement-breakpoint
CREATE TABLE `model_probes` (
	`model` text NOT NULL,
	`role` text NOT NULL,
	`prompt_version` text NOT NULL,
	`tallies` text NOT NULL,
	`begun` text NOT NULL,
	`probed_at` integer NOT NULL,
	`claimed_until` integer NOT NULL,
	PRIMARY KEY(`model`, `role`, `prompt_version`)
);
--> statement-breakpoint
CREATE TABLE `receipt_keys` (
	`id` text PRIMARY KEY NOT NULL,
	`x` text NOT NULL,
	`created_at` integer NOT NULL
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `replies` (
	`caller` text NOT NULL,
	`path` text NOT NULL,
	`key` text NOT NULL,
	`request_hash` text NOT NULL,
	`made_id` text,
	`response_encrypted` text,
	`secret_until` integer,
	`expires_at` integer NOT NULL,
	PRIMARY KEY(`caller`, `path`, `key`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `replies_expiry` ON `replies` (`expires_at`);
--> statement-breakpoint
CREATE INDEX `replies_secret` ON `replies` (`secret_until`);
--> statement-breakpoint
CREATE TABLE `sessions` (
	`hash` text PRIMARY KEY NOT NULL,
	`user_id` text,
	`key_id` text,
	`credential_id` text,
	`depends_on_key` text,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`key_id`) REFERENCES `api_keys`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "session_holder" CHECK((user_id is null) <> (key_id is null))
);
--> statement-breakpoint
CREATE INDEX `sessions_expiry` ON `sessions` (`expires_at`);
--> statement-breakpoint
CREATE INDEX `sessions_key` ON `sessions` (`key_id`,`created_at`) WHERE key_id is not null;
--> statement-breakpoint
CREATE INDEX `sessions_credential` ON `sessions` (`credential_id`,`created_at`) WHERE credential_id is not null;
--> statement-breakpoint
CREATE INDEX `sessions_depends` ON `sessions` (`depends_on_key`) WHERE depends_on_key is not null;
--> statement-breakpoint
CREATE TABLE `users` (
	`id` text PRIMARY KEY NOT NULL,
	`issuer` text,
	`subject` text,
	`agent_id` text NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`agent_id`) REFERENCES `agents`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "user_account" CHECK((issuer is null) = (subject is null) and (issuer is not null or id = agent_id))
);
--> statement-breakpoint
CREATE UNIQUE INDEX `users_account` ON `users` (`issuer`,`subject`);
--> statement-breakpoint
CREATE TABLE `webhook_scopes` (
	`kind` text NOT NULL,
	`value` text NOT NULL,
	`webhook_id` text NOT NULL,
	PRIMARY KEY(`kind`, `value`, `webhook_id`),
	FOREIGN KEY (`webhook_id`) REFERENCES `webhooks`(`id`) ON UPDATE no action ON DELETE no action
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `webhooks` (
	`id` text PRIMARY KEY NOT NULL,
	`agent_id` text NOT NULL,
	`url` text NOT NULL,
	`host` text NOT NULL,
	`is_capped` integer NOT NULL,
	`verified_at` integer,
	`events` text NOT NULL,
	`task_ids` text,
	`categories` text,
	`format` text NOT NULL,
	`origin` text NOT NULL,
	`secret_encrypted` text NOT NULL,
	`previous_secret_encrypted` text,
	`previous_secret_expires_at` integer,
	`active` integer DEFAULT true NOT NULL,
	`inactive_reason` text,
	`waiting_deliveries` integer DEFAULT 0 NOT NULL,
	`waiting_since` integer,
	`has_failed_deliveries` integer DEFAULT false NOT NULL,
	`failing_since` integer,
	`failure_told_at` integer,
	`depends_on` text,
	`credential_id` text,
	`ended_at` integer,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`agent_id`) REFERENCES `agents`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "webhook_format" CHECK(format in ('standard','slack','discord')),
	CONSTRAINT "webhook_inactive_reason" CHECK((active = 1) = (inactive_reason is null))
);
--> statement-breakpoint
CREATE INDEX `webhooks_active` ON `webhooks` (`agent_id`,`id`) WHERE active = 1;
--> statement-breakpoint
CREATE INDEX `webhooks_agent` ON `webhooks` (`agent_id`,`id`);
--> statement-breakpoint
CREATE INDEX `webhooks_credential` ON `webhooks` (`credential_id`) WHERE credential_id is not null;
--> statement-breakpoint
CREATE INDEX `webhooks_depends` ON `webhooks` (`depends_on`) WHERE depends_on is not null;
--> statement-breakpoint
CREATE INDEX `webhooks_capped` ON `webhooks` (`host`) WHERE active = 1 and is_capped = 1;
--> statement-breakpoint
CREATE INDEX `webhooks_failing` ON `webhooks` (`failing_since`) WHERE failing_since is not null and failure_told_at is null and active = 1;
--> statement-breakpoint
CREATE INDEX `webhooks_troubled` ON `webhooks` (`id`) WHERE (waiting_deliveries > 0 or has_failed_deliveries = 1);
--> statement-breakpoint
CREATE TRIGGER audit_log_unchanged BEFORE UPDATE ON audit_log
BEGIN
	SELECT raise(ABORT, 'the audit log is append-only');
END;
--> statement-breakpoint
CREATE TRIGGER audit_log_undeleted BEFORE DELETE ON audit_log
BEGIN
	SELECT raise(ABORT, 'the audit log is append-only');
END;
--> statement-breakpoint
CREATE TRIGGER webhook_tier_changed AFTER UPDATE OF tier ON agents WHEN old.tier <> new.tier
BEGIN
	UPDATE webhooks SET is_capped = new.tier IN ('anonymous', 'operator_child') WHERE agent_id = new.id AND active = 1;
END;
