import { useQuery } from "@tanstack/react-query";
import { Board } from "../../components/task/Board.tsx";
import { ownSubmissionsQuery } from "../../queries/submissions.ts";
import { taskQuery } from "../../queries/task.ts";

/** Shows the live leaderboard with the caller's own place marked. */
export function RivalBoard({ taskId }: { readonly taskId: string }) {
	const { data } = useQuery(ownSubmissionsQuery(taskId));
	const { data: task } = useQuery(taskQuery(taskId));
	const ownIds = new Set(data?.data.map(({ id }) => id) ?? []);
	return <Board taskId={taskId} ownIds={ownIds} competitors={task?.competitor_count ?? 0} />;
}
