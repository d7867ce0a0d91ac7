// These queries read what a person should look at, and appeals.
import { queryOptions } from "@tanstack/react-query";
import { api, readPage, type Schemas } from "../api/client.ts";
import { taskKey } from "./task.ts";

export type ListedReview = Schemas["ListedReview"];
export type Appeal = Schemas["Appeal"];
export type ReviewStatus = "open" | "decided";

const PER_PAGE = 100;

const reviewsKey = (taskId: string) => [...taskKey(taskId), "reviews"] as const;

/** Reads the newest submissions of a task that wait for a decision of its owner, or that have one. */
export const reviewsQuery = (taskId: string, status: ReviewStatus = "open") =>
	queryOptions({
		queryKey: [...reviewsKey(taskId), status],
		queryFn: () => readPage(api.listReviews(taskId, { status, limit: PER_PAGE })),
	});
