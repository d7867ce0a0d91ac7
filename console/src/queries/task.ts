import { queryOptions, useQuery } from "@tanstack/react-query";
import { api, core, type Schemas } from "../api/client.ts";

export const taskKey = (id: string) => ["task", id] as const;

/** How often a task is polled while it changes, because no stream reports the end of a judge check or of a test task's evaluation. */
const CHECK_MS = 5_000;

/** A test task is `evaluating` for a few seconds after its owner advances the clock. */
const isPassing = (task: Schemas["TaskDetail"] | undefined) =>
	task?.judge_check?.status === "running" || (task?.test === true && task.status === "evaluating");

export const taskQuery = (id: string) =>
	queryOptions({
		queryKey: taskKey(id),
		queryFn: () => api.getTask(id),
		refetchInterval: ({ state: { data } }) => (isPassing(data) ? CHECK_MS : false),
	});

/** Returns true while the owner cannot read the submitted work. */
export function useIsSealed(taskId: string): boolean {
	const { data: task } = useQuery(taskQuery(taskId));
	return task?.sealed === true && task.status !== "closed";
}

export const attachmentsKey = (id: string) => [...taskKey(id), "attachments"] as const;

export async function readDraft(id: string) {
	const { data, headers } = await core.request("getTask", { path: { id } });
	if (data === undefined) throw new Error("The platform sent no draft.");
	return { task: data, etag: headers.get("ETag") };
}

export const draftQuery = (id: string) => queryOptions({ queryKey: [...taskKey(id), "draft"], queryFn: () => readDraft(id) });
