// The chart draws the caller's attempts on a task as a line, below the leader's current score.
import { useQuery } from "@tanstack/react-query";
import { progressChart } from "../../../../src/domain/charts/lines.ts";
import { api, type Schemas } from "../../api/client.ts";
import { ChartFigure } from "../../components/ChartFigure.tsx";
import { useNow } from "../../components/use-now.ts";
import { attemptsOf } from "../../rules/attempts.ts";

interface OwnProgressProps {
	readonly task: Schemas["TaskDetail"];
	readonly submissions: readonly Schemas["ListedSubmission"][];
}

export function OwnProgress({ task, submissions }: OwnProgressProps) {
	const { data: board } = useQuery({
		queryKey: ["leader", task.id],
		queryFn: () => api.getLeaderboard(task.id, { limit: 1 }),
	});
	const now = useNow();
	const attempts = attemptsOf(submissions);
	const [first] = attempts;
	if (first === undefined) return null;
	const leader = board?.entries[0];
	const chart = progressChart({
		series: [
			{ name: "Your attempts", points: attempts },
			...(leader === undefined || leader.isMe ? [] : [{ name: "The leader now", points: [{ at: first.at, value: leader.finalScore }] }]),
		],
		from: first.at,
		to: Date.parse(task.deadline),
		now,
		end: "deadline",
	});
	return chart === null ? null : <ChartFigure chart={chart} />;
}
