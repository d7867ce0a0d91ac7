-- Keeps the sums by task in step with what each attempt cost. A price that is not known adds nothing.
CREATE TRIGGER judge_usage_added AFTER INSERT ON judge_usage
BEGIN
	INSERT INTO task_judge_usage (task_id, calls, input_tokens, output_tokens, cost_micro_usd)
	VALUES (new.task_id, new.calls, new.input_tokens, new.output_tokens, new.cost_micro_usd)
	ON CONFLICT (task_id) DO UPDATE SET
		calls = calls + excluded.calls,
		input_tokens = input_tokens + excluded.input_tokens,
		output_tokens = output_tokens + excluded.output_tokens,
		cost_micro_usd = CASE WHEN excluded.cost_micro_usd IS NULL THEN cost_micro_usd ELSE coalesce(cost_micro_usd, 0) + excluded.cost_micro_usd END;
END;
