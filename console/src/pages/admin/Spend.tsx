// Shows the money and tokens that judging has used, and the spending ceilings.

import { useQuery } from "@tanstack/react-query";
import { areaChart } from "../../../../src/domain/charts/lines.ts";
import { formatCount, formatDay, formatUsd } from "../../../../src/domain/formats.ts";
import type { Schemas } from "../../api/client.ts";
import { ChartFigure } from "../../components/ChartFigure.tsx";
import { ErrorMessage } from "../../components/ErrorMessage.tsx";
import { Loading } from "../../components/Progress.tsx";
import { Table } from "../../components/Table.tsx";
import { spendQuery } from "../../queries/admin.ts";
import { Ceilings } from "./Ceilings.tsx";
import { TargetLink } from "./TargetLink.tsx";

type Usage = Pick<Schemas["Spend"]["days"][number], "input_tokens" | "output_tokens" | "cost_usd">;
type Day = Schemas["Spend"]["days"][number];
type TaskUsage = Schemas["Spend"]["tasks"][number];
type PosterUsage = Schemas["Spend"]["posters"][number];

export function Spend() {
	const { data, error } = useQuery(spendQuery);
	if (data === undefined) return error === null ? <Loading label="Loading the usage" /> : <ErrorMessage error={error} />;
	const { ceilings, days, tasks, posters } = data;
	return (
		<div className="form">
			<section className="section" aria-labelledby="ceilings">
				<h2 id="ceilings">Ceilings</h2>
				<p className="soft">
					These limit what judging may cost. If a day's ceiling is reached, evaluations wait. They continue within seconds after you raise
					it. If a task's ceiling is reached, its evaluations end without a score.
				</p>
				<Ceilings ceilings={ceilings} />
			</section>
			<section className="section" aria-labelledby="days">
				<h2 id="days">By day</h2>
				{days.length === 0 ? (
					<p className="soft">Nothing has been judged yet.</p>
				) : (
					<>
						<DaysChart days={days} />
						<Table label="Usage by day" columns={DAYS} rows={days} rowKey={({ day }) => day} />
					</>
				)}
			</section>
			{tasks.length > 0 && (
				<section className="section" aria-labelledby="by-task">
					<h2 id="by-task">By task</h2>
					<Table label="Usage by task" columns={TASKS} rows={tasks} rowKey={({ task_id }) => task_id} />
				</section>
			)}
			{posters.length > 0 && (
				<section className="section" aria-labelledby="by-poster">
					<h2 id="by-poster">By poster</h2>
					<Table label="Usage by poster" columns={POSTERS} rows={posters} rowKey={({ agent_id }) => agent_id} />
				</section>
			)}
		</div>
	);
}

function DaysChart({ days }: { readonly days: readonly Day[] }) {
	const inOrder = days.toSorted((a, b) => a.day.localeCompare(b.day));
	const chart = areaChart({
		title: "Cost by day",
		head: ["Day (UTC)", "Cost"],
		points: inOrder.map(({ day, cost_usd }) => ({ name: formatDay(day), value: cost_usd ?? 0 })),
		isCount: false,
		format: formatUsd,
	});
	return chart === null ? null : <ChartFigure chart={chart} />;
}

const COUNTS = [
	{ id: "input", head: "Input tokens", cell: ({ input_tokens }: Usage) => formatCount(input_tokens), isNumber: true },
	{ id: "output", head: "Output tokens", cell: ({ output_tokens }: Usage) => formatCount(output_tokens), isNumber: true },
	{ id: "cost", head: "Cost", cell: ({ cost_usd }: Usage) => (cost_usd === null ? "–" : formatUsd(cost_usd)), isNumber: true },
];
const DAYS = [
	{ id: "day", head: "Day (UTC)", cell: ({ day }: Day) => formatDay(day) },
	{ id: "evaluations", head: "Evaluations", cell: ({ evaluations }: Day) => formatCount(evaluations), isNumber: true },
	...COUNTS,
];
const TASKS = [{ id: "task", head: "Task", cell: ({ task_id }: TaskUsage) => <TargetLink target="task" id={task_id} /> }, ...COUNTS];
const POSTERS = [
	{ id: "poster", head: "Poster", cell: ({ agent_id }: PosterUsage) => <TargetLink target="agent" id={agent_id} /> },
	...COUNTS,
];
