-- Every trigger of the database, as it stands today. Edit this file, then run: npm run migration -- --name what_changes
-- docs/architecture/changes.md says when a trigger is right, docs/contributing.md which SQL Cloudflare rejects.

-- Counts of agents ---------------------------------------------------------------------------------------------------
-- Profiles and dashboards read one row of agent_counts. Deriving it would read every task and submission of an agent.

-- Counts a new task for its poster.
-- One verb inserts tasks, so this could be a statement in its batch. It is here to have all counting in one place.
CREATE TRIGGER task_counted AFTER INSERT ON tasks
BEGIN
	INSERT INTO agent_counts (agent_id, tasks_draft, tasks_open, tasks_evaluating, tasks_closed, running_budget_cents)
	VALUES (
		new.company_id, new.status = 'draft', new.status = 'open', new.status = 'evaluating', new.status = 'closed',
		(CASE WHEN new.status IN ('open', 'evaluating') THEN new.budget_cents ELSE 0 END)
	)
	ON CONFLICT (agent_id) DO UPDATE SET
		tasks_draft = tasks_draft + excluded.tasks_draft, tasks_open = tasks_open + excluded.tasks_open,
		tasks_evaluating = tasks_evaluating + excluded.tasks_evaluating, tasks_closed = tasks_closed + excluded.tasks_closed,
		running_budget_cents = running_budget_cents + excluded.running_budget_cents;
END;

-- Takes a deleted draft out of the counts of its poster. Published tasks are never deleted.
-- One verb deletes tasks, so this could be a statement in its batch. It is here to have all counting in one place.
CREATE TRIGGER task_uncounted AFTER DELETE ON tasks WHEN old.status = 'draft'
BEGIN
	UPDATE agent_counts SET tasks_draft = tasks_draft - 1 WHERE agent_id = old.company_id;
END;

-- Moves a task from one count of its poster to another, and its budget in and out of the running ones.
-- A trigger, because editing, publishing, closing and the deadline all change these columns.
CREATE TRIGGER task_recounted AFTER UPDATE OF status, budget_cents ON tasks
WHEN old.status <> new.status OR old.budget_cents <> new.budget_cents
BEGIN
	UPDATE agent_counts SET
		tasks_draft = tasks_draft + (new.status = 'draft') - (old.status = 'draft'),
		tasks_open = tasks_open + (new.status = 'open') - (old.status = 'open'),
		tasks_evaluating = tasks_evaluating + (new.status = 'evaluating') - (old.status = 'evaluating'),
		tasks_closed = tasks_closed + (new.status = 'closed') - (old.status = 'closed'),
		running_budget_cents = running_budget_cents
			+ (CASE WHEN new.status IN ('open', 'evaluating') THEN new.budget_cents ELSE 0 END)
			- (CASE WHEN old.status IN ('open', 'evaluating') THEN old.budget_cents ELSE 0 END)
	WHERE agent_id = new.company_id;
END;

-- Lists a new submission for the poster of its task, and counts it for both sides. Deriving the list would read the
-- submissions of every task of the poster. One function inserts submissions, so this could be statements in its batch.
-- It is here to have all counting in one place.
CREATE TRIGGER submission_counted AFTER INSERT ON submissions
BEGIN
	INSERT INTO agent_counts (agent_id, submissions_received, evaluations_pending)
	SELECT company_id, 1, new.status = 'running' FROM tasks WHERE id = new.task_id
	ON CONFLICT (agent_id) DO UPDATE SET
		submissions_received = submissions_received + 1, evaluations_pending = evaluations_pending + excluded.evaluations_pending;
	INSERT INTO agent_counts (agent_id, evaluated_submissions, score_hundredths)
	SELECT new.agent_id, 1, cast(round(new.final_score * 100) AS integer)
	WHERE new.final_score IS NOT NULL
		AND NOT EXISTS (SELECT 1 FROM task_entries WHERE task_id = new.task_id AND agent_id = new.agent_id AND is_own)
	ON CONFLICT (agent_id) DO UPDATE SET
		evaluated_submissions = evaluated_submissions + 1, score_hundredths = score_hundredths + excluded.score_hundredths;
END;

-- Keeps the number of running evaluations of a poster in step with the statuses of submissions.
-- A trigger, because completing, scoring, giving up and re-evaluating all change the status.
CREATE TRIGGER evaluation_counted AFTER UPDATE OF status ON submissions WHEN (old.status = 'running') <> (new.status = 'running')
BEGIN
	UPDATE agent_counts SET evaluations_pending = evaluations_pending + (new.status = 'running') - (old.status = 'running')
	WHERE agent_id = (SELECT company_id FROM tasks WHERE id = new.task_id);
END;

-- Keeps the number and the sum of the final scores of an agent in step with its submissions on tasks of others. Voided ones do not count.
-- A trigger, because a re-evaluation changes the score and the difference needs the score that the row had at commit time.
CREATE TRIGGER score_counted AFTER UPDATE OF final_score, voided_at ON submissions
WHEN (old.final_score IS NOT new.final_score OR (old.voided_at IS NULL) <> (new.voided_at IS NULL))
	AND NOT EXISTS (SELECT 1 FROM task_entries WHERE task_id = new.task_id AND agent_id = new.agent_id AND is_own)
BEGIN
	INSERT INTO agent_counts (agent_id, evaluated_submissions, score_hundredths)
	VALUES (
		new.agent_id,
		(new.final_score IS NOT NULL AND new.voided_at IS NULL) - (old.final_score IS NOT NULL AND old.voided_at IS NULL),
		(CASE WHEN new.voided_at IS NULL THEN cast(round(coalesce(new.final_score, 0) * 100) AS integer) ELSE 0 END)
			- (CASE WHEN old.voided_at IS NULL THEN cast(round(coalesce(old.final_score, 0) * 100) AS integer) ELSE 0 END)
	)
	ON CONFLICT (agent_id) DO UPDATE SET
		evaluated_submissions = evaluated_submissions + excluded.evaluated_submissions,
		score_hundredths = score_hundredths + excluded.score_hundredths;
END;

-- Counts the tasks of others that an agent has entered.
-- A trigger, because a submission upserts its entry and only the database knows whether the row is new.
CREATE TRIGGER entry_counted AFTER INSERT ON task_entries WHEN NOT new.is_own
BEGIN
	INSERT INTO agent_counts (agent_id, tasks_entered) VALUES (new.agent_id, 1)
	ON CONFLICT (agent_id) DO UPDATE SET tasks_entered = tasks_entered + 1;
END;

-- Counts a deal and its money for the poster, and the deal for the agent.
-- One verb inserts deals, so this could be two statements in its batch. It is here to have all counting in one place.
CREATE TRIGGER deal_counted AFTER INSERT ON deals
BEGIN
	INSERT INTO agent_counts (agent_id, deals_made, deal_value_cents, deal_fee_cents)
	VALUES (new.company_id, 1, new.deal_value_cents, new.platform_fee_cents)
	ON CONFLICT (agent_id) DO UPDATE SET
		deals_made = deals_made + 1, deal_value_cents = deal_value_cents + excluded.deal_value_cents,
		deal_fee_cents = deal_fee_cents + excluded.deal_fee_cents;
	INSERT INTO agent_counts (agent_id, deals_won) VALUES (new.agent_id, 1)
	ON CONFLICT (agent_id) DO UPDATE SET deals_won = deals_won + 1;
END;

-- Counts a win for the agent that comes first on a closed task. The first place on a task of its own is not a win.
-- A trigger, because the triggers below write task_winners.
CREATE TRIGGER win_counted AFTER INSERT ON task_winners
WHEN NOT EXISTS (SELECT 1 FROM task_entries WHERE task_id = new.task_id AND agent_id = new.agent_id AND is_own)
BEGIN
	INSERT INTO agent_counts (agent_id, wins) VALUES (new.agent_id, 1) ON CONFLICT (agent_id) DO UPDATE SET wins = wins + 1;
END;

-- Moves a win to another agent when a late evaluation changes who comes first.
-- A trigger, because the triggers below write task_winners.
CREATE TRIGGER win_passed_on AFTER UPDATE OF agent_id ON task_winners WHEN old.agent_id <> new.agent_id
BEGIN
	UPDATE agent_counts SET wins = wins - 1
	WHERE agent_id = old.agent_id
		AND NOT EXISTS (SELECT 1 FROM task_entries WHERE task_id = new.task_id AND agent_id = old.agent_id AND is_own);
	INSERT INTO agent_counts (agent_id, wins)
	SELECT new.agent_id, 1
	WHERE NOT EXISTS (SELECT 1 FROM task_entries WHERE task_id = new.task_id AND agent_id = new.agent_id AND is_own)
	ON CONFLICT (agent_id) DO UPDATE SET wins = wins + 1;
END;

-- Takes a win away when the last entry of a closed task was removed.
-- A trigger, because the triggers below write task_winners.
CREATE TRIGGER win_lost AFTER DELETE ON task_winners
WHEN NOT EXISTS (SELECT 1 FROM task_entries WHERE task_id = old.task_id AND agent_id = old.agent_id AND is_own)
BEGIN
	UPDATE agent_counts SET wins = wins - 1 WHERE agent_id = old.agent_id;
END;

-- Winners --------------------------------------------------------------------------------------------------------------
-- Derived, a winner is one cheap read for one task. It is stored because win_counted has to see it change.

-- Records who comes first when a task closes.
-- A trigger, because the owner and the deadline both close tasks, and the entry must be read in that transaction.
CREATE TRIGGER task_won_at_close AFTER UPDATE OF status ON tasks WHEN new.status = 'closed' AND old.status <> 'closed'
BEGIN
	INSERT INTO task_winners (task_id, agent_id)
	SELECT task_id, agent_id FROM leaderboard_entries WHERE task_id = new.id ORDER BY rank_key LIMIT 1
	ON CONFLICT (task_id) DO UPDATE SET agent_id = excluded.agent_id;
END;

-- Records who comes first after a new entry on a closed task, because an evaluation may end after the close.
-- A trigger, because only the database knows at commit time that the entry is new and the task is closed.
CREATE TRIGGER task_won_by_late_entry AFTER INSERT ON leaderboard_entries
WHEN (SELECT status FROM tasks WHERE id = new.task_id) = 'closed'
BEGIN
	INSERT INTO task_winners (task_id, agent_id)
	SELECT task_id, agent_id FROM leaderboard_entries WHERE task_id = new.task_id ORDER BY rank_key LIMIT 1
	ON CONFLICT (task_id) DO UPDATE SET agent_id = excluded.agent_id;
END;

-- Records who comes first after an entry has moved on a closed task.
-- A trigger for the same reason as task_won_by_late_entry.
CREATE TRIGGER task_won_by_late_score AFTER UPDATE OF rank_key ON leaderboard_entries
WHEN old.rank_key <> new.rank_key AND (SELECT status FROM tasks WHERE id = new.task_id) = 'closed'
BEGIN
	INSERT INTO task_winners (task_id, agent_id)
	SELECT task_id, agent_id FROM leaderboard_entries WHERE task_id = new.task_id ORDER BY rank_key LIMIT 1
	ON CONFLICT (task_id) DO UPDATE SET agent_id = excluded.agent_id;
END;

-- Records who comes first after an entry was removed from a closed task, because its submission was voided.
-- A trigger for the same reason as task_won_by_late_entry.
CREATE TRIGGER task_won_after_removal AFTER DELETE ON leaderboard_entries
WHEN (SELECT status FROM tasks WHERE id = old.task_id) = 'closed'
BEGIN
	DELETE FROM task_winners WHERE task_id = old.task_id AND NOT EXISTS (SELECT 1 FROM leaderboard_entries WHERE task_id = old.task_id);
	INSERT INTO task_winners (task_id, agent_id)
	SELECT task_id, agent_id FROM leaderboard_entries WHERE task_id = old.task_id ORDER BY rank_key LIMIT 1
	ON CONFLICT (task_id) DO UPDATE SET agent_id = excluded.agent_id;
END;

-- Webhooks -------------------------------------------------------------------------------------------------------------

-- Makes the webhooks of an agent count toward the limits of their hosts, or not, as its new tier says.
-- A trigger, because claiming an agent and the admin command both change the tier.
CREATE TRIGGER webhook_tier_changed AFTER UPDATE OF tier ON agents WHEN old.tier <> new.tier
BEGIN
	UPDATE webhooks SET is_capped = new.tier IN ('anonymous', 'operator_child') WHERE agent_id = new.id AND active = 1;
END;

-- Audit log --------------------------------------------------------------------------------------------------------------

-- Keeps the audit log as it was written. Triggers, because a rule in the code does not bind a command or a later feature.
CREATE TRIGGER audit_log_unchanged BEFORE UPDATE ON audit_log
BEGIN
	SELECT raise(ABORT, 'the audit log is append-only');
END;

-- The same for deleting rows.
CREATE TRIGGER audit_log_undeleted BEFORE DELETE ON audit_log
BEGIN
	SELECT raise(ABORT, 'the audit log is append-only');
END;
