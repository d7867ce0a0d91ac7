// Reads the dry runs of a draft.
import { type QueryClient, queryOptions } from "@tanstack/react-query";
import { api, readPage } from "../../api/client.ts";

const POLL_MS = 3000;

/** The labels of dry runs of a template's examples. A later visit finds the runs by these labels. */
export const EXAMPLE_LABELS = { good: "Good example", weak: "Weak example" } as const;

/** Returns true if this is the label of an example's dry run. */
export function isExampleLabel(label: string | null): boolean {
	return Object.values(EXAMPLE_LABELS).some((known) => known === label);
}

export const runsKey = (taskId: string) => ["dry-runs", taskId] as const;

/** Reads the dry runs of a task, newest first. */
export const runsQuery = (taskId: string) => queryOptions({ queryKey: runsKey(taskId), queryFn: () => readPage(api.listDryRuns(taskId)) });

/** Polls a dry run until it has ended, then reloads the task's list. */
export const runQuery = (queries: QueryClient, { taskId, id }: { readonly taskId: string; readonly id: string }) =>
	queryOptions({
		queryKey: ["dry-run", id],
		queryFn: async () => {
			const read = await api.getDryRun(id);
			if (read.status !== "running") await queries.invalidateQueries({ queryKey: runsKey(taskId) });
			return read;
		},
		refetchInterval: ({ state }) => (state.data === undefined || state.data.status === "running" ? POLL_MS : false),
	});
