// Queries about what a task of the caller has received.
import { queryOptions } from "@tanstack/react-query";
import type { operations } from "#openapi";
import { api, type Schemas, unwrap } from "../../api/client.ts";
import { toApiError } from "../../api/error.ts";
import { evaluationsKey, submissionKey, submissionQuery } from "../bounties/queries.ts";
import { taskKey } from "../task/queries.ts";

export type Received = Schemas["ReceivedSubmission"];
export type Submission = Schemas["Submission"];

type ReceivedQuery = NonNullable<operations["listTaskSubmissions"]["parameters"]["query"]>;

/** One page of what a task has received. The endpoint has CSV too, which the console does not ask for. */
export async function listReceived(taskId: string, query: ReceivedQuery): Promise<Schemas["ReceivedSubmissionList"]> {
	const page = await unwrap(api.GET("/api/v1/tasks/{id}/submissions", { params: { path: { id: taskId }, query } }));
	if (typeof page === "string") throw new Error("The platform sent CSV instead of a page.");
	return page;
}

export const receivedKey = (taskId: string) => [...taskKey(taskId), "received"] as const;

/** A submission that is still judged is asked for again, because its page follows no stream. */
const POLL_MS = 5000;
const FILES_PER_PAGE = 500;

/** A submission as the owner of the task reads it. */
export const receivedQuery = (id: string) =>
	queryOptions({
		...submissionQuery(id),
		refetchInterval: ({ state: { data } }) => (data !== undefined && isBeingJudged(data) ? POLL_MS : false),
	});

function isBeingJudged({ status, evaluated }: Submission): boolean {
	return status === "running" || (status === "completed" && !evaluated);
}

/** All files of a submission, by path. */
export const filesQuery = (id: string) =>
	queryOptions({
		queryKey: [...submissionKey(id), "files"],
		queryFn: async () => {
			const files: Schemas["SubmissionFile"][] = [];
			let cursor: string | null = "";
			while (cursor !== null) {
				const query: { limit: number; cursor?: string } = { limit: FILES_PER_PAGE, ...(cursor === "" ? {} : { cursor }) };
				const page: Schemas["SubmissionFileList"] = await unwrap(
					api.GET("/api/v1/submissions/{id}/files", { params: { path: { id }, query } }),
				);
				files.push(...page.data);
				cursor = page.next_cursor;
			}
			return files;
		},
	});

/** The bytes of one file, and its text if it is text. */
export const fileQuery = (id: string, path: string) =>
	queryOptions({
		queryKey: [...submissionKey(id), "file", path],
		queryFn: async () => {
			const { data, response, error } = await api.GET("/api/v1/submissions/{id}/files/{path}", {
				params: { path: { id, path } },
				parseAs: "blob",
			});
			if (!response.ok || data === undefined) throw toApiError(response, error);
			const isText = response.headers.get("Content-Type")?.startsWith("text/plain") === true;
			return { bytes: data, text: isText ? await data.text() : null };
		},
		staleTime: Number.POSITIVE_INFINITY,
		// Files can be large, and are fetched again at once.
		gcTime: 60_000,
	});

export const evaluationsQuery = (id: string) =>
	queryOptions({
		queryKey: evaluationsKey(id),
		queryFn: async () => (await unwrap(api.GET("/api/v1/submissions/{id}/evaluations", { params: { path: { id } } }))).data,
	});

export const similarQuery = (taskId: string) =>
	queryOptions({
		queryKey: [...taskKey(taskId), "similar"],
		queryFn: () => unwrap(api.GET("/api/v1/tasks/{id}/similar", { params: { path: { id: taskId }, query: { limit: 100 } } })),
	});

const MAX_BEST = 100;

/** The best submissions of a task: who they are from, and who a deal can be made with. */
export const bestQuery = (taskId: string) =>
	queryOptions({
		queryKey: [...receivedKey(taskId), "best"],
		queryFn: async () => (await listReceived(taskId, { sort: "score", limit: MAX_BEST })).data,
	});
