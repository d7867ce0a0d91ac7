// Charts of a task for its owner: the leaders over time, the distribution of scores, and the submissions by hour or day.
import { useQuery } from "@tanstack/react-query";
import { lazy } from "react";
import type { Chart } from "../../../../src/domain/charts/chart.ts";
import { areaChart } from "../../../../src/domain/charts/lines.ts";
import { progressChart } from "../../../../src/domain/charts/progress.ts";
import { formatCount } from "../../../../src/domain/formats.ts";
import type { Schemas } from "../../api/client.ts";
import { ChartFigure } from "../../components/ChartFigure.tsx";
import { EmptyState } from "../../components/EmptyState.tsx";
import { ErrorMessage } from "../../components/ErrorMessage.tsx";
import { later } from "../../components/later.tsx";
import { Loading } from "../../components/Progress.tsx";
import { statsQuery } from "../../queries/home.ts";
import { markOf, scoreHistoryQuery, seriesOf } from "../../queries/progress.ts";
import { boardQuery } from "../../queries/received.ts";
import { countArrivals } from "../../rules/days.ts";

const Spread = lazy(async () => ({ default: (await import("../../components/task/Spread.tsx")).Spread }));

const SHOWN_DAYS = 30;

export function Charts({ task }: { readonly task: Schemas["TaskDetail"] }) {
	const { data: board, error } = useQuery(boardQuery(task.id));
	const { data: histories } = useQuery(scoreHistoryQuery(task.id, JSON.stringify(board?.entries)));
	const { data: stats } = useQuery(statsQuery);
	if (error !== null) return <ErrorMessage error={error} />;
	if (board === undefined) return <Loading label="Loading the scores" />;
	if (board.entries.length === 0) return <EmptyState title="No scores yet. The charts appear with the first score." />;
	const series = histories?.data.map((history) => seriesOf(history, history.agent_name)) ?? [];
	const published = Date.parse(task.deadline_history[0]?.at ?? task.created_at);
	const isOfTask = ({ task_id }: { readonly task_id: string }) => task_id === task.id;
	const received = stats?.company;
	const { unit, points } = countArrivals(
		{
			byHour: received?.submissions_by_hour.filter(isOfTask) ?? [],
			byDay: received?.submissions_by_day.filter(isOfTask) ?? [],
		},
		{ published, now: Date.now(), shown: SHOWN_DAYS },
	);
	const title = `Submissions by ${unit}`;
	const arrivals = areaChart({
		title,
		head: [unit === "hour" ? "Hour (UTC)" : "Day (UTC)", "Submissions"],
		points,
		format: formatCount,
		isCount: true,
	});
	return (
		<div className="charts">
			<Drawn title="Best score over time" chart={progressChart({ series, mark: markOf(task) })} />
			<Drawn title={title} chart={arrivals} />
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
