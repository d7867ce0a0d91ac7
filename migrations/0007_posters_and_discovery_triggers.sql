-- The full-text index of published tasks. It keeps no text of its own. `facets` holds one token for the status and one for
-- the category, each behind a private-use character that no query of a user can contain (src/features/search/rules.ts).
CREATE VIRTUAL TABLE task_search USING fts5(
	title, description, category, specs, facets,
	content='', contentless_delete=1, tokenize='unicode61 remove_diacritics 2', prefix='2 3 4'
);
--> statement-breakpoint
CREATE VIRTUAL TABLE task_search_words USING fts5vocab('task_search', 'instance');
--> statement-breakpoint
CREATE TRIGGER task_searched AFTER INSERT ON tasks WHEN new.status <> 'draft'
BEGIN
	INSERT INTO searched_tasks (task_id) VALUES (new.id);
	INSERT INTO task_search (rowid, title, description, category, specs, facets)
	SELECT document, new.title, new.description, new.category, coalesce(new.input_spec, '') || char(10) || coalesce(new.output_spec, ''),
		char(57344) || new.status || ' ' || char(57345) || lower(hex(new.category))
	FROM searched_tasks WHERE task_id = new.id;
END;
--> statement-breakpoint
CREATE TRIGGER task_search_changed AFTER UPDATE OF status, title, description, category, input_spec, output_spec ON tasks
WHEN new.status <> 'draft' OR old.status <> 'draft'
BEGIN
	DELETE FROM task_search WHERE rowid = (SELECT document FROM searched_tasks WHERE task_id = old.id);
	DELETE FROM searched_tasks WHERE task_id = old.id AND new.status = 'draft';
	INSERT INTO searched_tasks (task_id) SELECT new.id WHERE new.status <> 'draft' ON CONFLICT (task_id) DO NOTHING;
	INSERT INTO task_search (rowid, title, description, category, specs, facets)
	SELECT document, new.title, new.description, new.category, coalesce(new.input_spec, '') || char(10) || coalesce(new.output_spec, ''),
		char(57344) || new.status || ' ' || char(57345) || lower(hex(new.category))
	FROM searched_tasks WHERE task_id = new.id;
END;
--> statement-breakpoint
CREATE TRIGGER task_search_removed AFTER DELETE ON tasks WHEN old.status <> 'draft'
BEGIN
	DELETE FROM task_search WHERE rowid = (SELECT document FROM searched_tasks WHERE task_id = old.id);
	DELETE FROM searched_tasks WHERE task_id = old.id;
END;
--> statement-breakpoint
CREATE TRIGGER task_counted AFTER INSERT ON tasks
BEGIN
	INSERT INTO agent_counts (agent_id, tasks_draft, tasks_open, tasks_evaluating, tasks_closed, running_budget_cents)
	VALUES (
		new.company_id, new.status = 'draft', new.status = 'open', new.status = 'evaluating', new.status = 'closed',
		CASE WHEN new.status IN ('open', 'evaluating') THEN new.budget_cents ELSE 0 END
	)
	ON CONFLICT (agent_id) DO UPDATE SET
		tasks_draft = tasks_draft + excluded.tasks_draft, tasks_open = tasks_open + excluded.tasks_open,
		tasks_evaluating = tasks_evaluating + excluded.tasks_evaluating, tasks_closed = tasks_closed + excluded.tasks_closed,
		running_budget_cents = running_budget_cents + excluded.running_budget_cents;
END;
--> statement-breakpoint
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
--> statement-breakpoint
CREATE TRIGGER submission_counted AFTER INSERT ON submissions
BEGIN
	INSERT INTO received_submissions (company_id, submission_id) SELECT company_id, new.id FROM tasks WHERE id = new.task_id;
	INSERT INTO agent_counts (agent_id, submissions_received, evaluations_pending)
	SELECT company_id, 1, new.status = 'running' FROM tasks WHERE id = new.task_id
	ON CONFLICT (agent_id) DO UPDATE SET
		submissions_received = submissions_received + 1, evaluations_pending = evaluations_pending + excluded.evaluations_pending;
	INSERT INTO agent_counts (agent_id, evaluated_submissions, score_hundredths)
	SELECT new.agent_id, 1, cast(round(new.final_score * 100) AS integer) WHERE new.final_score IS NOT NULL
	ON CONFLICT (agent_id) DO UPDATE SET
		evaluated_submissions = evaluated_submissions + 1, score_hundredths = score_hundredths + excluded.score_hundredths;
END;
--> statement-breakpoint
CREATE TRIGGER evaluation_counted AFTER UPDATE OF status ON submissions WHEN (old.status = 'running') <> (new.status = 'running')
BEGIN
	UPDATE agent_counts SET evaluations_pending = evaluations_pending + (new.status = 'running') - (old.status = 'running')
	WHERE agent_id = (SELECT company_id FROM tasks WHERE id = new.task_id);
END;
--> statement-breakpoint
CREATE TRIGGER score_counted AFTER UPDATE OF final_score ON submissions WHEN old.final_score IS NOT new.final_score
BEGIN
	INSERT INTO agent_counts (agent_id, evaluated_submissions, score_hundredths)
	VALUES (
		new.agent_id, (new.final_score IS NOT NULL) - (old.final_score IS NOT NULL),
		cast(round(coalesce(new.final_score, 0) * 100) AS integer) - cast(round(coalesce(old.final_score, 0) * 100) AS integer)
	)
	ON CONFLICT (agent_id) DO UPDATE SET
		evaluated_submissions = evaluated_submissions + excluded.evaluated_submissions,
		score_hundredths = score_hundredths + excluded.score_hundredths;
END;
--> statement-breakpoint
CREATE TRIGGER entry_counted AFTER INSERT ON task_entries
BEGIN
	INSERT INTO agent_counts (agent_id, tasks_entered) VALUES (new.agent_id, 1)
	ON CONFLICT (agent_id) DO UPDATE SET tasks_entered = tasks_entered + 1;
END;
--> statement-breakpoint
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
--> statement-breakpoint
CREATE TRIGGER task_won_at_close AFTER UPDATE OF status ON tasks WHEN new.status = 'closed' AND old.status <> 'closed'
BEGIN
	INSERT INTO task_winners (task_id, agent_id)
	SELECT task_id, agent_id FROM leaderboard_entries WHERE task_id = new.id ORDER BY rank_key LIMIT 1
	ON CONFLICT (task_id) DO UPDATE SET agent_id = excluded.agent_id;
END;
--> statement-breakpoint
CREATE TRIGGER task_won_by_late_entry AFTER INSERT ON leaderboard_entries
WHEN (SELECT status FROM tasks WHERE id = new.task_id) = 'closed'
BEGIN
	INSERT INTO task_winners (task_id, agent_id)
	SELECT task_id, agent_id FROM leaderboard_entries WHERE task_id = new.task_id ORDER BY rank_key LIMIT 1
	ON CONFLICT (task_id) DO UPDATE SET agent_id = excluded.agent_id;
END;
--> statement-breakpoint
CREATE TRIGGER task_won_by_late_score AFTER UPDATE OF rank_key ON leaderboard_entries
WHEN old.rank_key <> new.rank_key AND (SELECT status FROM tasks WHERE id = new.task_id) = 'closed'
BEGIN
	INSERT INTO task_winners (task_id, agent_id)
	SELECT task_id, agent_id FROM leaderboard_entries WHERE task_id = new.task_id ORDER BY rank_key LIMIT 1
	ON CONFLICT (task_id) DO UPDATE SET agent_id = excluded.agent_id;
END;
--> statement-breakpoint
CREATE TRIGGER win_counted AFTER INSERT ON task_winners
BEGIN
	INSERT INTO agent_counts (agent_id, wins) VALUES (new.agent_id, 1) ON CONFLICT (agent_id) DO UPDATE SET wins = wins + 1;
END;
--> statement-breakpoint
CREATE TRIGGER win_passed_on AFTER UPDATE OF agent_id ON task_winners WHEN old.agent_id <> new.agent_id
BEGIN
	UPDATE agent_counts SET wins = wins - 1 WHERE agent_id = old.agent_id;
	INSERT INTO agent_counts (agent_id, wins) VALUES (new.agent_id, 1) ON CONFLICT (agent_id) DO UPDATE SET wins = wins + 1;
END;
--> statement-breakpoint
-- What was there before this migration.
INSERT INTO searched_tasks (task_id) SELECT id FROM tasks WHERE status <> 'draft' ORDER BY id;
--> statement-breakpoint
INSERT INTO task_search (rowid, title, description, category, specs, facets)
SELECT s.document, t.title, t.description, t.category, coalesce(t.input_spec, '') || char(10) || coalesce(t.output_spec, ''),
	char(57344) || t.status || ' ' || char(57345) || lower(hex(t.category))
FROM searched_tasks AS s JOIN tasks AS t ON t.id = s.task_id;
--> statement-breakpoint
INSERT INTO received_submissions (company_id, submission_id)
SELECT t.company_id, s.id FROM submissions AS s JOIN tasks AS t ON t.id = s.task_id;
--> statement-breakpoint
INSERT INTO agent_counts (agent_id, tasks_draft, tasks_open, tasks_evaluating, tasks_closed, running_budget_cents)
SELECT company_id, sum(status = 'draft'), sum(status = 'open'), sum(status = 'evaluating'), sum(status = 'closed'),
	sum(CASE WHEN status IN ('open', 'evaluating') THEN budget_cents ELSE 0 END)
FROM tasks GROUP BY company_id;
--> statement-breakpoint
INSERT INTO agent_counts (agent_id, submissions_received, evaluations_pending)
SELECT t.company_id, count(*), sum(s.status = 'running') FROM submissions AS s JOIN tasks AS t ON t.id = s.task_id WHERE true GROUP BY t.company_id
ON CONFLICT (agent_id) DO UPDATE SET
	submissions_received = excluded.submissions_received, evaluations_pending = excluded.evaluations_pending;
--> statement-breakpoint
INSERT INTO agent_counts (agent_id, evaluated_submissions, score_hundredths)
SELECT agent_id, count(*), sum(cast(round(final_score * 100) AS integer)) FROM submissions WHERE final_score IS NOT NULL GROUP BY agent_id
ON CONFLICT (agent_id) DO UPDATE SET
	evaluated_submissions = excluded.evaluated_submissions, score_hundredths = excluded.score_hundredths;
--> statement-breakpoint
INSERT INTO agent_counts (agent_id, tasks_entered)
SELECT agent_id, count(*) FROM task_entries WHERE true GROUP BY agent_id
ON CONFLICT (agent_id) DO UPDATE SET tasks_entered = excluded.tasks_entered;
--> statement-breakpoint
INSERT INTO task_winners (task_id, agent_id)
SELECT t.id, (SELECT agent_id FROM leaderboard_entries WHERE task_id = t.id ORDER BY rank_key LIMIT 1) FROM tasks AS t
WHERE t.status = 'closed' AND EXISTS (SELECT 1 FROM leaderboard_entries WHERE task_id = t.id);
