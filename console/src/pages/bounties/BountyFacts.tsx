import type { ReactNode } from "react";
import type { Schemas } from "../../api/client.ts";
import { Countdown } from "../../components/Countdown.tsx";
import { Facts } from "../../components/Facts.tsx";
import { StatusBadge } from "../../components/StatusBadge.tsx";
import { MODE_TRAITS } from "../../rules/draft.ts";
import { formatCents } from "../../rules/money.ts";
import { formatDateTime } from "../../rules/time.ts";

/** What a competitor asks first: how much, how long, how many attempts. */
export function BountyFacts({ task }: { readonly task: Schemas["TaskDetail"] }) {
	const isOver = task.status === "closed";
	const { remaining, limit } = task.quota;
	const facts: readonly (readonly [string, ReactNode])[] = [
		["State", <StatusBadge key="status" status={task.status} />],
		["Budget", formatCents(task.budget_cents)],
		[isOver ? "Closed" : "Time left", isOver ? formatDateTime(task.deadline) : <Countdown key="left" until={task.deadline} />],
		["Attempts left", `${remaining} of ${limit}`],
		["Judge", MODE_TRAITS[task.eval_mode ?? "llm"].name],
		["Competitors", task.competitor_count],
	];
	return <Facts facts={facts} />;
}
