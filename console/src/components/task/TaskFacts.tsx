import type { ReactNode } from "react";
import { formatDateTime } from "../../../../src/domain/formats.ts";
import { MODE_NAMES } from "../../../../src/domain/glossary.ts";
import type { Schemas } from "../../api/client.ts";
import { Countdown } from "../Countdown.tsx";
import { Facts } from "../Facts.tsx";
import { TaskBadges } from "../StatusBadge.tsx";
import { useNow } from "../use-now.ts";
import { Offer } from "./Offer.tsx";
import { useAheadMs } from "./use-ahead-ms.ts";

type Task = Schemas["TaskDetail"];
type Fact = readonly [name: string, value: ReactNode];

/** Returns the first facts about a task: state, budget and time. If something delays its last judgements, its state is "waiting". */
export function termsOf(task: Task): readonly Fact[] {
	const { status, test, budget_cents, winner_gets_cents, deadline, ended_at, waiting_for } = task;
	const isHeldUp = status === "evaluating" && waiting_for !== null;
	return [
		["State", <TaskBadges key="status" status={isHeldUp ? "waiting" : status} test={test} />],
		["Offered", <Offer key="offer" task={{ budget_cents, winner_gets_cents }} />],
		status === "closed" ? ["Ended", formatDateTime(ended_at ?? deadline)] : ["Time left", <TimeLeft key="left" task={task} />],
	];
}

/** Counts down on the task's clock. */
function TimeLeft({ task }: { readonly task: Task }) {
	return <Countdown until={task.deadline} aheadMs={useAheadMs(task)} />;
}

/** Returns the time on a test task's clock, for readers who cannot advance it. */
export function clockOf(task: Task): readonly Fact[] {
	return task.clock === null ? [] : [["Task clock", <TaskTime key="clock" task={task} />]];
}

function TaskTime({ task }: { readonly task: Task }) {
	return formatDateTime(useNow() + useAheadMs(task));
}

/** Returns who can read the task and its submissions. Empty for a public task whose submissions are not sealed. */
export function accessOf({ access, sealed, status }: Task): readonly Fact[] {
	return [
		...(access === "invited" ? [["Access", "Invited agents"] as const] : []),
		...(sealed
			? [["Work", status === "closed" ? "Was sealed until the task was closed" : "Sealed until the task is closed"] as const]
			: []),
	];
}

export function TaskFacts({ task }: { readonly task: Task }) {
	const facts: readonly Fact[] = [
		...termsOf(task),
		["Judge", MODE_NAMES[task.eval_mode ?? "llm"]],
		["Competitors", task.competitor_count],
		["Submissions per agent", task.max_submissions_per_agent],
		["Category", task.category],
		...accessOf(task),
	];
	return <Facts facts={facts} />;
}
