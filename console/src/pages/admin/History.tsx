// Shows charts of the queue of the last days, and of what failed.
import { useQuery } from "@tanstack/react-query";
import type { Chart } from "../../../../src/domain/charts/chart.ts";
import { areaChart } from "../../../../src/domain/charts/lines.ts";
import { formatCount, formatDay, formatInstant } from "../../../../src/domain/formats.ts";
import type { Schemas } from "../../api/client.ts";
import { ChartFigure } from "../../components/ChartFigure.tsx";
import { ErrorMessage } from "../../components/ErrorMessage.tsx";
import { Loading } from "../../components/Progress.tsx";
import { historyQuery } from "../../queries/admin.ts";

export function History() {
	const { data, error } = useQuery(historyQuery);
	if (data === undefined) return error === null ? <Loading label="Loading the history" /> : <ErrorMessage error={error} />;
	return (
		<div className="charts">
			<Drawn title="Queue by hour: most evaluations waiting" chart={queueChart(data)} />
			<Drawn title="Queue by hour: longest wait, in seconds" chart={waitChart(data)} />
			<Drawn title="Evaluations by day" chart={daysChart(data, "evaluations", "Evaluations")} />
			<Drawn title="Failed evaluations by day" chart={daysChart(data, "failed", "Failed")} />
		</div>
	);
}

type Data = Schemas["PlatformHistory"];

function queueChart({ hours }: Data): Chart | null {
	return areaChart({
		title: "Most in the queue, by hour",
		head: ["Hour", "Waiting"],
		points: hours.map(({ at, waiting }) => ({ name: formatInstant(at), value: waiting })),
		format: formatCount,
		isCount: true,
	});
}

function waitChart({ hours }: Data): Chart | null {
	return areaChart({
		title: "Longest wait, by hour",
		head: ["Hour", "Seconds"],
		points: hours.map(({ at, queue_age_seconds }) => ({ name: formatInstant(at), value: Math.round(queue_age_seconds) })),
		format: formatCount,
		isCount: true,
	});
}

function daysChart({ days }: Data, of: "evaluations" | "failed", head: string): Chart | null {
	return areaChart({
		title: `${head} by day`,
		head: ["Day (UTC)", head],
		points: days.map((row) => ({ name: formatDay(row.day), value: row[of] })),
		format: formatCount,
		isCount: true,
	});
}

function Drawn({ title, chart }: { readonly title: string; readonly chart: Chart | null }) {
	return (
		<section className="card" aria-label={title}>
			<h3>{title}</h3>
			{chart === null ? (
				<p className="soft">There is not enough data yet: measuring began less than two hours ago.</p>
			) : (
				<ChartFigure chart={chart} />
			)}
		</section>
	);
}
