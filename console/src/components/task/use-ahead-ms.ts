import { useQueryClient } from "@tanstack/react-query";
import type { Schemas } from "../../api/client.ts";
import { taskKey } from "../../queries/task.ts";

/** Returns how far a task's clock is ahead of the browser's, in milliseconds. Only a published test task has a clock of its own. */
export function useAheadMs({ id, clock }: Pick<Schemas["TaskDetail"], "id" | "clock">): number {
	const readAt = useQueryClient().getQueryState(taskKey(id))?.dataUpdatedAt ?? Date.now();
	return clock === null ? 0 : Date.parse(clock) - readAt;
}
