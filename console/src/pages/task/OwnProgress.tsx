// A chart of the caller's and the leader's scores on a task over time.
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { progressChart } from "../../../../src/domain/charts/progress.ts";
import type { Schemas } from "../../api/client.ts";
import { ChartFigure } from "../../components/ChartFigure.tsx";
import { markOf, scoreHistoryQuery, seriesOf } from "../../queries/progress.ts";

interface OwnProgressProps {
	readonly task: Schemas["TaskDetail"];
	readonly submissions: readonly Schemas["ListedSubmission"][];
}

export function OwnProgress({ task, submissions }: OwnProgressProps) {
	const version = submissions.map(({ id, scores }) => `${id} ${scores?.final_score}`).join();
	const { data } = useQuery({ ...scoreHistoryQuery(task.id, version), placeholderData: keepPreviousData });
	if (data === undefined || data.me === null) return null;
	const [leader] = data.data;
	const chart = progressChart({
		series: [
			seriesOf(data.me, "Your best score"),
			...(leader === undefined || leader.is_me ? [] : [seriesOf(leader, "The current leader")]),
		],
		mark: markOf(task),
	});
	return chart === null ? null : <ChartFigure chart={chart} />;
}
