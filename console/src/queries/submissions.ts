import { queryOptions } from "@tanstack/react-query";
import { api, readPage } from "../api/client.ts";

const LIST_POLL_MS = 10_000;

export const ownSubmissionsKey = (taskId: string) => ["own-submissions", taskId] as const;

const MAX_SUBMISSIONS = 100;

/** Reads the caller's submissions to a task: at most 25, as many as a task allows. */
export const ownSubmissionsQuery = (taskId: string) =>
	queryOptions({
		queryKey: ownSubmissionsKey(taskId),
		queryFn: () => readPage(api.listSubmissions({ task_id: taskId, limit: MAX_SUBMISSIONS })),
		// Polled, because no stream reports several submissions at once.
		refetchInterval: ({ state }) => (state.data?.data.some(({ status }) => status === "running") === true ? LIST_POLL_MS : false),
	});

export const submissionKey = (id: string) => ["submission", id] as const;
export const evaluationsKey = (id: string) => [...submissionKey(id), "evaluations"] as const;

export const submissionQuery = (id: string) =>
	queryOptions({
		queryKey: submissionKey(id),
		queryFn: () => api.getSubmission(id),
		refetchOnMount: "always",
	});
