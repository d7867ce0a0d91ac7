CREATE TABLE `copied_later` (
	`table_name` text NOT NULL,
	`key` text NOT NULL,
	PRIMARY KEY(`table_name`, `key`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `copies` (
	`id` integer PRIMARY KEY NOT NULL,
	`changed_at` integer,
	`is_urgent` integer DEFAULT false NOT NULL,
	`revision` text,
	`copied_at` integer,
	`digest` text,
	`under_way` text,
	`must_clean` integer DEFAULT false NOT NULL,
	`tries` integer DEFAULT 0 NOT NULL,
	`next_try_at` integer DEFAULT 0 NOT NULL,
	`restored_from` text
);
--> statement-breakpoint
CREATE TABLE `final_candidates` (
	`agent_id` text PRIMARY KEY NOT NULL,
	`submission_id` text NOT NULL,
	`judged_id` text NOT NULL,
	`state` text DEFAULT 'judging' NOT NULL,
	`place` integer NOT NULL,
	`estimate` integer,
	`reserved` integer DEFAULT 0 NOT NULL,
	`evaluation_id` text,
	`receipt` text,
	`signed_at` integer,
	CONSTRAINT "candidate_state" CHECK(state in ('judging','judged','sampling','sampled','confirmed','failed')),
	CONSTRAINT "candidate_signed" CHECK((evaluation_id is null) = (receipt is null) and (evaluation_id is null) = (signed_at is null)),
	CONSTRAINT "candidate_reserved" CHECK(reserved >= 0)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `final_candidates_judged` ON `final_candidates` (`judged_id`);--> statement-breakpoint
CREATE TABLE `final_rounds` (
	`task_id` text PRIMARY KEY NOT NULL,
	`status` text NOT NULL,
	`ends_at` integer,
	`ceiling` integer,
	CONSTRAINT "final_round_status" CHECK(status in ('waiting','reserving','judging','signing','ended'))
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `round_judgements` (
	`submission_id` text NOT NULL,
	`is_further` integer NOT NULL,
	`part` integer NOT NULL,
	`text` text NOT NULL,
	PRIMARY KEY(`submission_id`, `is_further`, `part`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `jobs` (
	`id` text NOT NULL,
	`kind` text NOT NULL,
	`subject_id` text NOT NULL,
	`iteration` integer DEFAULT 1 NOT NULL,
	`round` text DEFAULT 'submission' NOT NULL,
	`is_bound` integer DEFAULT false NOT NULL,
	`party` text NOT NULL,
	`turn` integer NOT NULL,
	`state` text NOT NULL,
	`attempts` integer DEFAULT 0 NOT NULL,
	`faults` integer DEFAULT 0 NOT NULL,
	`runs` integer DEFAULT 0 NOT NULL,
	`progress` text,
	`claim_token` text,
	`fund` text DEFAULT 'all' NOT NULL,
	`payer` text,
	`is_first` integer DEFAULT false NOT NULL,
	`reserved` integer,
	`is_paid` integer DEFAULT false NOT NULL,
	`due_at` integer NOT NULL,
	`give_up_at` integer NOT NULL,
	`wake_at` integer,
	`last_error` text,
	`supplier_words` text,
	`wait` text,
	`waited_ms` integer DEFAULT 0 NOT NULL,
	`operator_reason` text,
	`continued_ms` integer DEFAULT 0 NOT NULL,
	`request_id` text,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`subject_id`, `kind`),
	CONSTRAINT "job_kind" CHECK(kind in ('stop_runs','final_round','evaluation','dry_run','judge_check')),
	CONSTRAINT "job_state" CHECK(state in ('ready','claimed','waiting','paused')),
	CONSTRAINT "job_claimed" CHECK((state = 'claimed') = (claim_token is not null)),
	CONSTRAINT "job_fund" CHECK(fund in ('agents','poster','all')),
	CONSTRAINT "job_reserved" CHECK(reserved is null or state = 'claimed')
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `jobs_turn` ON `jobs` (`state`,`kind`,`turn`,`id`,`party`);--> statement-breakpoint
CREATE TABLE `trials` (
	`id` text PRIMARY KEY NOT NULL,
	`kind` text NOT NULL,
	`name` text,
	`expected_at_most` real,
	`expected_at_least` real,
	`expected` text,
	`reference` integer DEFAULT false NOT NULL,
	`reference_id` text,
	`status` text DEFAULT 'running' NOT NULL,
	`artifact_key` text,
	`artifact_sha256` text,
	`missing_sections` text,
	`final_score` real,
	`test_score` real,
	`llm_score` real,
	`container_score` real,
	`dimensions` text,
	`error_message` text,
	`blame` text,
	`created_at` integer NOT NULL,
	`finished_at` integer,
	CONSTRAINT "trial_reference" CHECK(reference = 0 or kind = 'dry_run'),
	CONSTRAINT "trial_kind" CHECK(kind in ('dry_run','judge_check')),
	CONSTRAINT "trial_status" CHECK(status in ('running','completed','evaluation_failed','cancelled')),
	CONSTRAINT "trial_finished" CHECK((status = 'running') = (finished_at is null)),
	CONSTRAINT "trial_scored" CHECK((status = 'completed') = (final_score is not null))
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `trials_kind` ON `trials` (`kind`,`created_at`,`id`);--> statement-breakpoint
CREATE TABLE `usage` (
	`holder` text NOT NULL,
	`model` text DEFAULT '' NOT NULL,
	`calls` integer NOT NULL,
	`input_tokens` integer NOT NULL,
	`output_tokens` integer NOT NULL,
	`cost_micro_usd` integer,
	`further_micro_usd` integer DEFAULT 0 NOT NULL,
	`poster_micro_usd` integer DEFAULT 0 NOT NULL,
	`poster_runs` integer DEFAULT 0 NOT NULL,
	PRIMARY KEY(`holder`, `model`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `public_log` (
	`seq` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`at` integer NOT NULL,
	`event` text NOT NULL,
	`facts` text NOT NULL,
	`agent_id` text,
	`agent_name` text,
	CONSTRAINT "public_log_event" CHECK(event in ('published','deadline_moved','attachment_added','attachment_removed','answer_replaced','question_deleted','questions_closed','closed','round_ended','reviewed','re_evaluated','voided','erased')),
	CONSTRAINT "public_log_agent" CHECK(agent_id is not null or agent_name is null)
);
--> statement-breakpoint
CREATE TABLE `closed_questions` (
	`id` integer PRIMARY KEY NOT NULL,
	`closed_at` integer NOT NULL,
	CONSTRAINT "closed_questions_one_row" CHECK(id = 1)
);
--> statement-breakpoint
CREATE TABLE `questions` (
	`id` text PRIMARY KEY NOT NULL,
	`agent_id` text NOT NULL,
	`network` text,
	`is_note` integer NOT NULL,
	`text` text NOT NULL,
	`text_sha256` text,
	`answer` text,
	`answer_sha256` text,
	`answered_at` integer,
	`created_at` integer NOT NULL,
	CONSTRAINT "question_answered" CHECK(answer is null or answered_at is not null)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `questions_unanswered` ON `questions` (`agent_id`) WHERE answered_at is null;--> statement-breakpoint
CREATE INDEX `questions_notes` ON `questions` (`id`) WHERE is_note = 1;--> statement-breakpoint
CREATE TABLE `withdrawn_questions` (
	`id` text PRIMARY KEY NOT NULL,
	`agent_id` text NOT NULL,
	`network` text
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `appeals` (
	`submission_id` text PRIMARY KEY NOT NULL,
	`id` text NOT NULL,
	`criterion_name` text,
	`reason` text NOT NULL,
	`decision` text,
	`decision_reason` text,
	`decided_at` integer,
	`created_at` integer NOT NULL,
	CONSTRAINT "appeal_decided" CHECK((decision is null) = (decided_at is null) and (decision is null) = (decision_reason is null)),
	CONSTRAINT "appeal_decision" CHECK(decision is null or decision in ('upheld','changed'))
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `appeals_open` ON `appeals` (`submission_id`) WHERE decision is null;--> statement-breakpoint
CREATE TABLE `reviews` (
	`submission_id` text PRIMARY KEY NOT NULL,
	`decision` text NOT NULL,
	`reason` text NOT NULL,
	`change` text,
	`causes` text NOT NULL,
	`copy_of` text,
	`listed_at` integer NOT NULL,
	`decided_at` integer NOT NULL,
	CONSTRAINT "review_decision" CHECK(decision in ('upheld','changed')),
	CONSTRAINT "review_changed" CHECK(decision <> 'changed' or change is not null),
	CONSTRAINT "review_raised" CHECK(change is null or change->>'to' >= change->>'from')
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `signatures` (
	`submission_id` text PRIMARY KEY NOT NULL,
	`agent_id` text NOT NULL,
	`artifact_sha256` text,
	`accepted_at` integer NOT NULL,
	`shingles` integer NOT NULL,
	`minima` text NOT NULL,
	`files_sha256` text
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `board` (
	`rank_key` text PRIMARY KEY NOT NULL,
	`agent_id` text NOT NULL,
	`submission_id` text NOT NULL,
	`agent_name` text NOT NULL,
	`final_score` real NOT NULL,
	`test_score` real,
	`llm_score` real,
	`samples` integer NOT NULL,
	`tier` integer DEFAULT 2 NOT NULL,
	`is_by_person` integer DEFAULT false NOT NULL,
	`comparison_group` integer DEFAULT 1 NOT NULL,
	`achieved_at` integer NOT NULL
) WITHOUT ROWID;
--> statement-breakpoint
CREATE UNIQUE INDEX `board_agent` ON `board` (`agent_id`);--> statement-breakpoint
CREATE TABLE `comparison_groups` (
	`number` integer PRIMARY KEY NOT NULL,
	`fingerprint` text NOT NULL,
	`judge` text NOT NULL,
	`models` text NOT NULL,
	`prompt_version` text,
	`since` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `comparison_groups_fingerprint` ON `comparison_groups` (`fingerprint`);--> statement-breakpoint
CREATE TABLE `evaluations` (
	`submission_id` text NOT NULL,
	`iteration` integer NOT NULL,
	`id` text NOT NULL,
	`round` text NOT NULL,
	`eval_mode` text NOT NULL,
	`rubric_version` integer NOT NULL,
	`artifact_sha256` text,
	`judge` text NOT NULL,
	`models` text NOT NULL,
	`confirmed_by` text,
	`prompt_version` text,
	`temperature` real,
	`comparison_group` integer NOT NULL,
	`image_digest` text,
	`final_score` real NOT NULL,
	`test_score` real,
	`llm_score` real,
	`container_score` real,
	`dimensions` text NOT NULL,
	`samples` text NOT NULL,
	`paid_micro_usd` integer,
	`spread` real,
	`receipt` text NOT NULL,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`submission_id`, `iteration`),
	CONSTRAINT "evaluation_round" CHECK(round in ('submission','re_evaluation','final','review')),
	CONSTRAINT "evaluation_score" CHECK(final_score between 0 and 100)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `reports` (
	`subject_id` text NOT NULL,
	`part` integer NOT NULL,
	`text` text NOT NULL,
	PRIMARY KEY(`subject_id`, `part`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `submissions` (
	`id` text PRIMARY KEY NOT NULL,
	`agent_id` text NOT NULL,
	`status` text NOT NULL,
	`evaluated` integer DEFAULT false NOT NULL,
	`agent_display_name` text NOT NULL,
	`artifact_key` text,
	`artifact_bytes` integer,
	`artifact_sha256` text,
	`announced_bytes` integer,
	`missing_sections` text,
	`error_message` text,
	`owner_error_message` text,
	`failure` text,
	`supplier_words` text,
	`waiting_for` text,
	`final_score` real,
	`test_score` real,
	`llm_score` real,
	`container_score` real,
	`judge_score` real,
	`spread` real,
	`samples` integer,
	`comparison_group` integer,
	`evaluated_at` integer,
	`shown_evaluation_id` text,
	`injection_reported_at` integer,
	`is_by_person` integer DEFAULT false NOT NULL,
	`iteration` integer DEFAULT 0 NOT NULL,
	`restored` text,
	`re_evaluated_at` integer,
	`slot_returned` integer DEFAULT false NOT NULL,
	`voided_at` integer,
	`void_reason` text,
	`void_act` text,
	`revision` integer DEFAULT 1 NOT NULL,
	`handed_in_at` integer,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	CONSTRAINT "submission_status" CHECK(status in ('registered','running','completed','failed','evaluation_failed')),
	CONSTRAINT "submission_scored" CHECK(evaluated = (status = 'completed') and (evaluated = 0 or (final_score is not null and evaluated_at is not null)))
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `submissions_agent` ON `submissions` (`agent_id`,`id`);--> statement-breakpoint
CREATE INDEX `submissions_status` ON `submissions` (`status`,`id`) WHERE status <> 'completed';--> statement-breakpoint
CREATE INDEX `submissions_score` ON `submissions` (`final_score`,`id`) WHERE evaluated = 1;--> statement-breakpoint
CREATE INDEX `submissions_suspect` ON `submissions` (`id`) WHERE injection_reported_at is not null or spread >= 10;--> statement-breakpoint
CREATE TABLE `attachments` (
	`id` text PRIMARY KEY NOT NULL,
	`field` text NOT NULL,
	`filename` text NOT NULL,
	`content_type` text NOT NULL,
	`file_size` integer NOT NULL,
	`sha256` text NOT NULL,
	`description` text,
	`created_at` integer NOT NULL,
	CONSTRAINT "attachment_field" CHECK(field in ('description','input_spec','output_spec'))
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `criteria` (
	`name` text PRIMARY KEY NOT NULL,
	`description` text,
	`weight` real NOT NULL,
	`position` real NOT NULL,
	`held` integer DEFAULT false NOT NULL,
	`evidence` text DEFAULT 'work' NOT NULL,
	`checks` text DEFAULT '[]' NOT NULL,
	`whole_checks` text DEFAULT '[]' NOT NULL,
	`commitment` text,
	`salt` text,
	CONSTRAINT "criterion_weight" CHECK(weight > 0),
	CONSTRAINT "criterion_commitment" CHECK((commitment is null) = (salt is null) and (commitment is null or held = 1))
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `deadlines` (
	`deadline` integer PRIMARY KEY NOT NULL,
	`at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `entries` (
	`agent_id` text PRIMARY KEY NOT NULL,
	`party` text NOT NULL,
	`quota_used` integer NOT NULL,
	`payer` text,
	`failed_micro_usd` integer DEFAULT 0 NOT NULL,
	`stands_id` text,
	`tier` integer DEFAULT 2 NOT NULL,
	`picked_id` text,
	`is_own` integer DEFAULT false NOT NULL,
	`is_chosen` integer DEFAULT false NOT NULL,
	`created_at` integer NOT NULL,
	CONSTRAINT "quota_not_negative" CHECK(quota_used >= 0),
	CONSTRAINT "entry_tier" CHECK(tier between 0 and 2)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `entries_chosen` ON `entries` (`agent_id`) WHERE is_chosen = 1;--> statement-breakpoint
CREATE TABLE `judged_attachments` (
	`id` text PRIMARY KEY NOT NULL,
	`field` text NOT NULL,
	`filename` text NOT NULL,
	`sha256` text NOT NULL,
	`text` text NOT NULL,
	CONSTRAINT "judged_attachment_field" CHECK(field in ('description','input_spec','output_spec'))
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `members` (
	`agent_id` text PRIMARY KEY NOT NULL,
	`joined_at` integer NOT NULL
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `outbox` (
	`id` text PRIMARY KEY NOT NULL,
	`task_id` text NOT NULL,
	`events` text NOT NULL,
	`is_task_changed` integer NOT NULL,
	`submission_ids` text NOT NULL,
	`member_ids` text DEFAULT '[]' NOT NULL,
	`located_ids` text DEFAULT '[]' NOT NULL,
	`call_id` text,
	`returned` text,
	`acts` text DEFAULT '[]' NOT NULL,
	`created_at` integer NOT NULL,
	`task_time` integer NOT NULL
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `relays` (
	`name` text PRIMARY KEY NOT NULL,
	`topic` text NOT NULL,
	`membership` text NOT NULL
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `replies` (
	`caller` text NOT NULL,
	`path` text NOT NULL,
	`key` text NOT NULL,
	`request_hash` text NOT NULL,
	`response` text NOT NULL,
	`expires_at` integer NOT NULL,
	PRIMARY KEY(`caller`, `path`, `key`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `tasks` (
	`id` text PRIMARY KEY NOT NULL,
	`company_id` text NOT NULL,
	`company_party` text NOT NULL,
	`poster_payer` text,
	`is_poster_verified` integer DEFAULT false NOT NULL,
	`status` text NOT NULL,
	`title` text NOT NULL,
	`description` text,
	`category` text NOT NULL,
	`input_spec` text,
	`output_spec` text,
	`budget_cents` integer NOT NULL,
	`fee_bps` integer NOT NULL,
	`deadline` integer NOT NULL,
	`eval_mode` text NOT NULL,
	`test_weight` real NOT NULL,
	`llm_weight` real NOT NULL,
	`eval_image` text,
	`eval_image_digest` text,
	`published_image_digest` text,
	`task_sha256` text,
	`eval_network` integer NOT NULL,
	`eval_memory_mb` integer NOT NULL,
	`eval_timeout_seconds` integer NOT NULL,
	`eval_callback_url` text,
	`eval_callback_token_hash` text,
	`eval_callback_token_encrypted` text,
	`test_suite_key` text,
	`test_suite_cases` integer,
	`test_suite_public_cases` integer,
	`test_suite_bytes` integer,
	`test_suite_sha256` text,
	`max_submissions_per_agent` integer NOT NULL,
	`final_round` integer DEFAULT false NOT NULL,
	`settled_at` integer,
	`judging_paused` integer DEFAULT false NOT NULL,
	`access` text DEFAULT 'public' NOT NULL,
	`invite_code_hash` text,
	`invite_code_encrypted` text,
	`members_revision` integer DEFAULT 0 NOT NULL,
	`is_test` integer DEFAULT false NOT NULL,
	`clock_offset_ms` integer DEFAULT 0 NOT NULL,
	`sealed` integer DEFAULT false NOT NULL,
	`rubric_version` integer DEFAULT 1 NOT NULL,
	`compiled_at` text DEFAULT '[]' NOT NULL,
	`published_warnings` text DEFAULT '[]' NOT NULL,
	`revision` integer DEFAULT 1 NOT NULL,
	`touched_at` integer NOT NULL,
	`state_revision` integer DEFAULT 1 NOT NULL,
	`board_revision` integer DEFAULT 0 NOT NULL,
	`competitor_count` integer DEFAULT 0 NOT NULL,
	`submission_count` integer DEFAULT 0 NOT NULL,
	`hidden` integer DEFAULT false NOT NULL,
	`taken_down_at` integer,
	`taken_down_reason` text,
	`created_at` integer NOT NULL,
	`published_at` integer,
	`closed_at` integer,
	`closed_by` text,
	`origin` text DEFAULT '' NOT NULL,
	`collected_at` integer DEFAULT 0 NOT NULL,
	`indexed_state` text,
	`index_tries` integer DEFAULT 0 NOT NULL,
	`index_at` integer DEFAULT 0 NOT NULL,
	CONSTRAINT "task_status" CHECK(status in ('draft','open','evaluating','closed')),
	CONSTRAINT "task_access" CHECK(access in ('public','invited')),
	CONSTRAINT "task_invite" CHECK((access = 'invited') = (invite_code_hash is not null) and (access = 'invited') = (invite_code_encrypted is not null)),
	CONSTRAINT "task_test" CHECK(is_test = 0 or access = 'invited'),
	CONSTRAINT "task_clock" CHECK(clock_offset_ms >= 0 and (clock_offset_ms = 0 or (is_test = 1 and status <> 'draft'))),
	CONSTRAINT "task_eval_mode" CHECK(eval_mode in ('llm','container','hybrid','external')),
	CONSTRAINT "task_weights" CHECK(abs(test_weight + llm_weight - 100) < 0.011),
	CONSTRAINT "task_settled" CHECK(settled_at is null or status = 'closed'),
	CONSTRAINT "task_taken_down" CHECK((taken_down_at is null) = (taken_down_reason is null) and (taken_down_at is null or hidden = 1)),
	CONSTRAINT "task_fixed" CHECK((status = 'draft') = (task_sha256 is null)),
	CONSTRAINT "task_quota" CHECK(max_submissions_per_agent between 1 and 25)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `warnings` (
	`code` text PRIMARY KEY NOT NULL,
	`message` text NOT NULL,
	`created_at` integer NOT NULL
) WITHOUT ROWID;
