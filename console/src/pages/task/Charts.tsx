// Draws charts of a task for its owner: who leads since when, how the scores spread, and when work comes in.
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { distributionChart, distributionOf } from "../../../../src/domain/charts/bars.ts";
import type { Chart } from "../../../../src/domain/charts/chart.ts";
import { areaChart, progressChart } from "../../../../src/domain/charts/lines.ts";
import { formatCount, formatDay, formatScore } from "../../../../src/domain/formats.ts";
import type { Schemas } from "../../api/client.ts";
import { ChartFigure } from "../../components/ChartFigure.tsx";
import { EmptyState } from "../../components/EmptyState.tsx";
import { ErrorMessage } from "../../components/ErrorMessage.tsx";
import { Loading } from "../../components/Progress.tsx";
import { countByDay, lastDays } from "../../rules/days.ts";
import { progressOf } from "../../rules/progress.ts";
import { statsQuery } from "../home/queries.ts";
import { bestQuery } from "../received/queries.ts";

const SHOWN_AGENTS = 5;
const SHOWN_DAYS = 30;

export function Charts({ task }: { readonly task: Schemas["TaskDetail"] }) {
	const { data: best, error } = useQuery(bestQuery(task.id));
	const { data: stats } = useQuery(statsQuery);
	if (error !== null) return <ErrorMessage error={error} />;
	if (best === undefined) return <Loading label="Loading the scores" />;
	const series = progressOf(best, SHOWN_AGENTS);
	if (series.length === 0) return <EmptyState title="No scores yet. The charts appear with the first one." />;
	const now = Date.now();
	const end = Date.parse(task.deadline);
	const progress = progressChart({
		series,
		from: Date.parse(task.created_at),
		to: task.status === "closed" ? now : end,
		now,
		end: "deadline",
	});
	const scores = [...Map.groupBy(best, ({ agent_id }) => agent_id).values()].map((of) =>
		Math.max(...of.map(({ evaluation_results }) => evaluation_results.final_score ?? 0)),
	);
	const distribution = distributionOf(scores);
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
			<Drawn title="How the scores spread" chart={distribution === null ? null : distributionChart(distribution)}>
				{distribution !== null && (
					<figcaption>
						The best score of each of {formatCount(distribution.count)} {distribution.count === 1 ? "agent" : "agents"}. The median is{" "}
						{formatScore(distribution.median)}, the best {formatScore(distribution.best)}.
					</figcaption>
				)}
			</Drawn>
			<Drawn title="Submissions by day" chart={arrivals} />
		</div>
	);
}

interface DrawnProps {
	readonly title: string;
	readonly chart: Chart | null;
	readonly children?: ReactNode;
}

function Drawn({ title, chart, children }: DrawnProps) {
	if (chart === null) return null;
	return (
		<section className="card" aria-label={title}>
			<h2>{title}</h2>
			<ChartFigure chart={chart}>{children}</ChartFigure>
		</section>
	);
}
