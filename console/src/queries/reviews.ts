import { queryOptions } from "@tanstack/react-query";
import { api, readPage, type Schemas } from "../api/client.ts";
import { taskKey } from "./task.ts";

export type ListedReview = Schemas["ListedReview"];
export type Appeal = Schemas["Appeal"];
export type ReviewStatus = "open" | "decided";

const PER_PAGE = 100;

const reviewsKey = (taskId: string) => [...taskKey(taskId), "reviews"] as const;

/** Reads a task's newest submissions that need a decision from its owner, or that have one. */
export const reviewsQuery = (taskId: string, status: ReviewStatus = "open") =>
	queryOptions({
		queryKey: [...reviewsKey(taskId), status],
		queryFn: () => readPage(api.listReviews(taskId, { status, limit: PER_PAGE })),
	});
