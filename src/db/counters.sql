-- Fills the tables that only triggers write, from the rows that the triggers follow. npm run restore runs it, because a backup does
-- not contain these tables. Keep it in step with triggers.sql: npm run rehearse compares the two.

DELETE FROM received_submissions;
INSERT INTO received_submissions (company_id, submission_id, task_title)
SELECT t.company_id, s.id, t.title FROM submissions s JOIN tasks t ON t.id = s.task_id;

DELETE FROM leaderboard_counts;
INSERT INTO leaderboard_counts (task_id, prefix_length, prefix, agents)
SELECT task_id, length, prefix, agents FROM (
	SELECT e.task_id, l.value->>0 AS length, substr(e.rank_key, 1, l.value->>0) AS prefix, count(*) AS agents,
		sum(count(*)) OVER (PARTITION BY e.task_id, l.value->>0, substr(e.rank_key, 1, l.value->>1)) AS entries_of_parent
	FROM leaderboard_entries e, json_each('[[2,0],[3,2],[4,3],[5,4],[9,5],[10,9],[11,10],[12,11],[13,12],[14,13]]') l GROUP BY 1, 2, 3
) WHERE entries_of_parent > 32;

DELETE FROM task_winners;
INSERT INTO task_winners (task_id, agent_id)
SELECT e.task_id, e.agent_id FROM leaderboard_entries e JOIN tasks t ON t.id = e.task_id
WHERE t.status = 'closed' AND e.rank_key = (SELECT min(f.rank_key) FROM leaderboard_entries f WHERE f.task_id = e.task_id);

DELETE FROM agent_counts;
INSERT INTO agent_counts (agent_id, tasks_draft, tasks_open, tasks_evaluating, tasks_closed, running_budget_cents)
SELECT company_id, sum(status = 'draft'), sum(status = 'open'), sum(status = 'evaluating'), sum(status = 'closed'),
	sum(CASE WHEN status IN ('open', 'evaluating') THEN budget_cents ELSE 0 END)
FROM tasks GROUP BY company_id;
INSERT INTO agent_counts (agent_id, submissions_received, evaluations_pending)
SELECT t.company_id, count(*), sum(s.status = 'running') FROM submissions s JOIN tasks t ON t.id = s.task_id GROUP BY t.company_id
ON CONFLICT (agent_id) DO UPDATE SET submissions_received = excluded.submissions_received, evaluations_pending = excluded.evaluations_pending;
INSERT INTO agent_counts (agent_id, evaluated_submissions, score_hundredths)
SELECT s.agent_id, count(*), sum(cast(round(s.final_score * 100) AS integer)) FROM submissions s
WHERE s.final_score IS NOT NULL AND s.voided_at IS NULL
	AND NOT EXISTS (SELECT 1 FROM task_entries e WHERE e.task_id = s.task_id AND e.agent_id = s.agent_id AND e.is_own)
GROUP BY s.agent_id
ON CONFLICT (agent_id) DO UPDATE SET evaluated_submissions = excluded.evaluated_submissions, score_hundredths = excluded.score_hundredths;
INSERT INTO agent_counts (agent_id, tasks_entered)
SELECT agent_id, count(*) FROM task_entries WHERE NOT is_own GROUP BY agent_id
ON CONFLICT (agent_id) DO UPDATE SET tasks_entered = excluded.tasks_entered;
INSERT INTO agent_counts (agent_id, deals_made, deal_value_cents, deal_fee_cents)
SELECT company_id, count(*), sum(deal_value_cents), sum(platform_fee_cents) FROM deals GROUP BY company_id
ON CONFLICT (agent_id) DO UPDATE SET
	deals_made = excluded.deals_made, deal_value_cents = excluded.deal_value_cents, deal_fee_cents = excluded.deal_fee_cents;
INSERT INTO agent_counts (agent_id, deals_won)
SELECT agent_id, count(*) FROM deals GROUP BY agent_id
ON CONFLICT (agent_id) DO UPDATE SET deals_won = excluded.deals_won;
INSERT INTO agent_counts (agent_id, wins)
SELECT w.agent_id, count(*) FROM task_winners w
WHERE NOT EXISTS (SELECT 1 FROM task_entries e WHERE e.task_id = w.task_id AND e.agent_id = w.agent_id AND e.is_own)
GROUP BY w.agent_id
ON CONFLICT (agent_id) DO UPDATE SET wins = excluded.wins;
