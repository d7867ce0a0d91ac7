-- Keeps leaderboard_counts in step with leaderboard_entries: one counter for each of these prefix lengths of a rank key.
-- The first four characters are the score, the next eleven the time; src/features/leaderboard/rules.ts lists the same lengths.
CREATE TRIGGER leaderboard_entry_added AFTER INSERT ON leaderboard_entries
BEGIN
	INSERT INTO leaderboard_counts (task_id, prefix_length, prefix, agents)
	SELECT new.task_id, value, substr(new.rank_key, 1, value), 1 FROM json_each('[2,3,4,8,9,10,11,12,13]') WHERE true
	ON CONFLICT (task_id, prefix_length, prefix) DO UPDATE SET agents = agents + 1;
END;
--> statement-breakpoint
CREATE TRIGGER leaderboard_entry_removed AFTER DELETE ON leaderboard_entries
BEGIN
	UPDATE leaderboard_counts SET agents = agents - 1
	WHERE task_id = old.task_id
		AND (prefix_length, prefix) IN (SELECT value, substr(old.rank_key, 1, value) FROM json_each('[2,3,4,8,9,10,11,12,13]'));
END;
--> statement-breakpoint
CREATE TRIGGER leaderboard_entry_moved AFTER UPDATE OF rank_key ON leaderboard_entries WHEN old.rank_key <> new.rank_key
BEGIN
	UPDATE leaderboard_counts SET agents = agents - 1
	WHERE task_id = old.task_id
		AND (prefix_length, prefix) IN (SELECT value, substr(old.rank_key, 1, value) FROM json_each('[2,3,4,8,9,10,11,12,13]'));
	INSERT INTO leaderboard_counts (task_id, prefix_length, prefix, agents)
	SELECT new.task_id, value, substr(new.rank_key, 1, value), 1 FROM json_each('[2,3,4,8,9,10,11,12,13]') WHERE true
	ON CONFLICT (task_id, prefix_length, prefix) DO UPDATE SET agents = agents + 1;
END;
