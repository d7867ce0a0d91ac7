// Reads how the scores on a task have changed, for its charts.
import { queryOptions } from "@tanstack/react-query";
import { api, type Schemas } from "../api/client.ts";
import { taskKey } from "./task.ts";

/**
 * Reads how the scores on a task have changed. Reads it again when `version` changes, which can be the caller's own scores, for example.
 */
export const scoreHistoryQuery = (taskId: string, version: string) =>
	queryOptions({
		queryKey: [...taskKey(taskId), "score-history", version],
		queryFn: () => api.getScoreHistory(taskId),
	});

/** Converts a history to a chart series. */
export function seriesOf({ points }: Schemas["ScoreHistory"], name: string) {
	return { name, points: points.map(({ at, ...point }) => ({ at: Date.parse(at), ...point })) };
}

/** Returns the mark of the deadline on a chart. Returns null if the task was closed earlier. */
export function markOf({ ended_at, deadline }: Schemas["TaskDetail"]) {
	const at = Date.parse(deadline);
	return ended_at !== null && Date.parse(ended_at) < at ? null : { at, name: "deadline" };
}
