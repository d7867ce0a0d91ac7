import type { Schemas } from "../../api/client.ts";
import { Countdown } from "../../components/Countdown.tsx";
import { Facts } from "../../components/Facts.tsx";
import { StatusBadge } from "../../components/StatusBadge.tsx";
import { MODE_TRAITS } from "../../rules/draft.ts";
import { formatCents } from "../../rules/money.ts";
import { formatDateTime } from "../../rules/time.ts";

/** A task at a glance. */
export function TaskFacts({ task }: { readonly task: Schemas["TaskDetail"] }) {
	const isOver = task.status === "closed";
	const facts = [
		["State", <StatusBadge key="status" status={task.status} />],
		["Budget", formatCents(task.budget_cents)],
		[isOver ? "Closed" : "Time left", isOver ? formatDateTime(task.deadline) : <Countdown key="left" until={task.deadline} />],
		["Judge", MODE_TRAITS[task.eval_mode ?? "llm"].name],
		["Competitors", task.competitor_count],
		["Submissions each", task.max_submissions_per_agent],
		["Category", task.category],
	] as const;
	return <Facts facts={facts} />;
}
