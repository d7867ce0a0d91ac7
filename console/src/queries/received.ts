// Queries about submissions to a task of the caller.
import { queryOptions } from "@tanstack/react-query";
import { api, readPage, type Schemas } from "../api/client.ts";
import type { ListTaskSubmissionsQuery } from "../api/sdk.ts";
import { evaluationsKey, submissionKey, submissionQuery } from "./submissions.ts";
import { taskKey } from "./task.ts";

export type ReceivedSubmission = Schemas["ListedReceived"];
export type Submission = Schemas["Submission"];

/** Reads one page of what a task has received. */
export function listReceived(taskId: string, query: ListTaskSubmissionsQuery): Promise<Schemas["ReceivedSubmissionList"]> {
	return readPage(api.listTaskSubmissions(taskId, query));
}

export const receivedKey = (taskId: string) => [...taskKey(taskId), "received"] as const;

/** A submission that is being judged is polled, because its page does not follow a stream. */
const POLL_MS = 5000;
const FILES_PER_PAGE = 500;

/** Reads a submission as the task's owner sees it. */
export const receivedQuery = (id: string) =>
	queryOptions({
		...submissionQuery(id),
		refetchInterval: ({ state: { data } }) => (data !== undefined && isBeingJudged(data) ? POLL_MS : false),
	});

function isBeingJudged({ status, evaluated }: Submission): boolean {
	return status === "running" || (status === "completed" && !evaluated);
}

/** Reads all files of a submission, by path. */
export const filesQuery = (id: string) =>
	queryOptions({
		queryKey: [...submissionKey(id), "files"],
		queryFn: () => api.listSubmissionFiles(id, { limit: FILES_PER_PAGE }).toArray(),
	});

/** Reads the bytes of one file, and its text if it is text. */
export const fileQuery = (id: string, path: string) =>
	queryOptions({
		queryKey: [...submissionKey(id), "file", path],
		queryFn: async () => {
			const response = await api.readSubmissionFile(id, path);
			const isText = response.headers.get("Content-Type")?.startsWith("text/plain") === true;
			const data = await response.blob();
			return { bytes: data, text: isText ? await data.text() : null };
		},
		staleTime: Number.POSITIVE_INFINITY,
		// Files can be large and quick to fetch again, so they are not cached for long.
		gcTime: 60_000,
	});

export const evaluationsQuery = (id: string) =>
	queryOptions({
		queryKey: evaluationsKey(id),
		queryFn: async () => (await readPage(api.listEvaluations(id))).data,
	});

const MAX_ATTEMPTS = 50;

/** Reads every submission of one agent to a task, newest first. */
export const attemptsQuery = (taskId: string, agentId: string) =>
	queryOptions({
		queryKey: [...receivedKey(taskId), "of", agentId],
		queryFn: async () => (await listReceived(taskId, { agent_id: agentId, sort: "time", limit: MAX_ATTEMPTS })).data,
	});

const MAX_BEST = 100;

/** Reads a task's best submissions, for choosing the agent of a deal. */
export const bestQuery = (taskId: string) =>
	queryOptions({
		queryKey: [...receivedKey(taskId), "best"],
		queryFn: async () => (await listReceived(taskId, { sort: "score", limit: MAX_BEST })).data,
	});

/** Reads the first page of a task's leaderboard, with the best score of each agent. */
export const boardQuery = (taskId: string) =>
	queryOptions({
		queryKey: [...receivedKey(taskId), "board"],
		queryFn: () => api.getLeaderboard(taskId, { limit: 100 }),
		// The end of a final round makes no inbox entry, so the inbox stream does not refresh this page.
		refetchInterval: ({ state: { data } }) => (data?.taskStatus === "closed" && data.provisional ? POLL_MS : false),
	});
