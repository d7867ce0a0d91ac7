import { useQuery } from "@tanstack/react-query";
import { Board } from "../task/Board.tsx";
import { ownSubmissionsQuery } from "./queries.ts";

/** The live leaderboard with the caller's own place marked. */
export function RivalBoard({ taskId }: { readonly taskId: string }) {
	const { data } = useQuery(ownSubmissionsQuery(taskId));
	const ownIds = new Set(data?.data.map(({ id }) => id) ?? []);
	return <Board taskId={taskId} ownIds={ownIds} />;
}
