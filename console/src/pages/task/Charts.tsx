// Draws charts of a task for its owner: the leaders over time, the distribution of scores, and the submissions by day.
import { useQuery } from "@tanstack/react-query";
import { lazy } from "react";
import type { Chart } from "../../../../src/domain/charts/chart.ts";
import { areaChart, progressChart } from "../../../../src/domain/charts/lines.ts";
import { formatCount, formatDay } from "../../../../src/domain/formats.ts";
import type { Schemas } from "../../api/client.ts";
import { ChartFigure } from "../../components/ChartFigure.tsx";
import { EmptyState } from "../../components/EmptyState.tsx";
import { ErrorMessage } from "../../components/ErrorMessage.tsx";
import { later } from "../../components/later.tsx";
import { Loading } from "../../components/Progress.tsx";
import { statsQuery } from "../../queries/home.ts";
import { boardQuery, leadersQuery } from "../../queries/received.ts";
import { countByDay, lastDays } from "../../rules/days.ts";
import { progressOf } from "../../rules/progress.ts";

const Spread = lazy(async () => ({ default: (await import("../../components/task/Spread.tsx")).Spread }));

const SHOWN_AGENTS = 5;
const SHOWN_DAYS = 30;

export function Charts({ task }: { readonly task: Schemas["TaskDetail"] }) {
	const { data: board, error } = useQuery(boardQuery(task.id));
	const { data: attempts } = useQuery({ ...leadersQuery(task.id), enabled: board !== undefined });
	const { data: stats } = useQuery(statsQuery);
	if (error !== null) return <ErrorMessage error={error} />;
	if (board === undefined) return <Loading label="Loading the scores" />;
	if (board.entries.length === 0) return <EmptyState title="No scores yet. The charts appear with the first one." />;
	const series = progressOf(attempts ?? [], SHOWN_AGENTS);
	const now = Date.now();
	const progress = progressChart({
		series,
		from: Date.parse(task.deadline_history[0]?.at ?? task.created_at),
		to: Date.parse(task.deadline),
		now,
		end: "deadline",
	});
	const days = countByDay(stats?.company.submissions_by_day.filter(({ task_id }) => task_id === task.id) ?? [], lastDays(now, SHOWN_DAYS));
	const arrivals = areaChart({
		title: "Submissions by day",
		head: ["Day (UTC)", "Submissions"],
		points: days.map(({ day, count }) => ({ name: formatDay(day), value: count })),
		format: formatCount,
		isCount: true,
	});
	return (
		<div className="charts">
			<Drawn title="Best score over time" chart={progress} />
			<Drawn title="Submissions by day" chart={arrivals} />
			{later(<Spread board={board} />)}
		</div>
	);
}

interface DrawnProps {
	readonly title: string;
	readonly chart: Chart | null;
}

function Drawn({ title, chart }: DrawnProps) {
	if (chart === null) return null;
	return (
		<section className="card" aria-label={title}>
			<h2>{title}</h2>
			<ChartFigure chart={chart} />
		</section>
	);
}
