// These queries read one task.
import { queryOptions, useQuery } from "@tanstack/react-query";
import { api, core } from "../api/client.ts";

export const taskKey = (id: string) => ["task", id] as const;

/** No stream says when the judge check ends. */
const CHECK_MS = 5_000;

export const taskQuery = (id: string) =>
	queryOptions({
		queryKey: taskKey(id),
		queryFn: () => api.getTask(id),
		refetchInterval: ({ state: { data } }) => (data?.judge_check?.status === "running" ? CHECK_MS : false),
	});

/** Returns true while the task's owner may not read the submitted work. */
export function useIsSealed(taskId: string): boolean {
	const { data: task } = useQuery(taskQuery(taskId));
	return task?.sealed === true && task.status !== "closed";
}

export const attachmentsKey = (id: string) => [...taskKey(id), "attachments"] as const;

/** Reads a draft with its version. */
export async function readDraft(id: string) {
	const { data, headers } = await core.request("getTask", { path: { id } });
	if (data === undefined) throw new Error("The platform sent no draft.");
	return { task: data, etag: headers.get("ETag") };
}

export const draftQuery = (id: string) => queryOptions({ queryKey: [...taskKey(id), "draft"], queryFn: () => readDraft(id) });
