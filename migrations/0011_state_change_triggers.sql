-- Each change that a stream tells of, in the transaction that makes it. Keys of a state are those that src/db/changes.ts reads;
-- the last 256 of a subject stay, as many as a client may resume after.
CREATE TRIGGER task_state_changed AFTER UPDATE OF status, deadline, eval_mode, max_submissions_per_agent ON tasks
WHEN old.status <> new.status OR old.deadline <> new.deadline OR old.eval_mode <> new.eval_mode
	OR old.max_submissions_per_agent <> new.max_submissions_per_agent
BEGIN
	INSERT INTO state_changes (subject_id, number, state)
	VALUES (
		new.id, coalesce((SELECT max(number) FROM state_changes WHERE subject_id = new.id), 0) + 1,
		json_object(
			'status', new.status, 'deadline', new.deadline, 'evalMode', new.eval_mode, 'maxSubmissionsPerAgent', new.max_submissions_per_agent
		)
	);
	DELETE FROM state_changes
	WHERE subject_id = new.id AND number <= (SELECT max(number) FROM state_changes WHERE subject_id = new.id) - 256;
END;
--> statement-breakpoint
CREATE TRIGGER submission_state_changed
AFTER UPDATE OF status, evaluated, final_score, test_score, llm_score, container_score, error_message ON submissions
WHEN old.status <> new.status OR old.evaluated <> new.evaluated OR old.final_score IS NOT new.final_score
	OR old.test_score IS NOT new.test_score OR old.llm_score IS NOT new.llm_score
	OR old.container_score IS NOT new.container_score OR old.error_message IS NOT new.error_message
BEGIN
	INSERT INTO state_changes (subject_id, number, state)
	VALUES (
		new.id, coalesce((SELECT max(number) FROM state_changes WHERE subject_id = new.id), 0) + 1,
		json_object(
			'status', new.status, 'evaluated', new.evaluated, 'iteration', new.iteration, 'finalScore', new.final_score,
			'testScore', new.test_score, 'llmScore', new.llm_score, 'containerScore', new.container_score,
			'errorMessage', new.error_message, 'reportKey', new.report_key
		)
	);
	DELETE FROM state_changes
	WHERE subject_id = new.id AND number <= (SELECT max(number) FROM state_changes WHERE subject_id = new.id) - 256;
END;
--> statement-breakpoint
CREATE TRIGGER leaderboard_frame_changed AFTER UPDATE OF status, deadline, eval_mode ON tasks
WHEN old.status <> new.status OR old.deadline <> new.deadline OR old.eval_mode <> new.eval_mode
BEGIN
	INSERT INTO leaderboard_revisions (task_id, revision) VALUES (new.id, 1)
	ON CONFLICT (task_id) DO UPDATE SET revision = revision + 1;
END;
--> statement-breakpoint
CREATE TRIGGER leaderboard_entry_shown AFTER INSERT ON leaderboard_entries
BEGIN
	INSERT INTO leaderboard_revisions (task_id, revision) VALUES (new.task_id, 1)
	ON CONFLICT (task_id) DO UPDATE SET revision = revision + 1;
END;
--> statement-breakpoint
CREATE TRIGGER leaderboard_entry_changed
AFTER UPDATE OF submission_id, agent_name, final_score, test_score, llm_score, rank_key ON leaderboard_entries
WHEN old.rank_key <> new.rank_key OR old.submission_id <> new.submission_id OR old.agent_name <> new.agent_name
	OR old.final_score <> new.final_score OR old.test_score IS NOT new.test_score OR old.llm_score IS NOT new.llm_score
BEGIN
	INSERT INTO leaderboard_revisions (task_id, revision) VALUES (new.task_id, 1)
	ON CONFLICT (task_id) DO UPDATE SET revision = revision + 1;
END;
--> statement-breakpoint
CREATE TRIGGER leaderboard_entry_gone AFTER DELETE ON leaderboard_entries
BEGIN
	INSERT INTO leaderboard_revisions (task_id, revision) VALUES (old.task_id, 1)
	ON CONFLICT (task_id) DO UPDATE SET revision = revision + 1;
END;
