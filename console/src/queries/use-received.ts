// Reads what a task has received, page by page: by state, or only named submissions.
import { useInfiniteQuery } from "@tanstack/react-query";
import type { Schemas } from "../api/client.ts";
import { listReceived, receivedKey } from "./received.ts";

export const SORTS = [
	{ id: "score", label: "Best score first" },
	{ id: "time", label: "Newest first" },
] as const;
export type Sort = (typeof SORTS)[number]["id"];

const PER_PAGE = 50;

interface ListFilter {
	readonly status?: Schemas["SubmissionState"] | undefined;
	readonly sort: Sort;
	/** The list has only these submissions, in pages of 50. Null for all, and undefined while the ids are unknown. */
	readonly ids: readonly string[] | null | undefined;
}

/** Reads the submissions of a task in pages. The API takes 50 ids at once, so a page of named submissions is a part of the ids. */
export function useReceived(taskId: string, { status, sort, ids }: ListFilter) {
	return useInfiniteQuery({
		queryKey: [...receivedKey(taskId), status ?? "all", sort, ids],
		enabled: ids !== undefined,
		initialPageParam: "",
		queryFn: async ({ pageParam }) => {
			if (ids != null) {
				const part = ids.slice(Number(pageParam), Number(pageParam) + PER_PAGE);
				if (part.length === 0) return { data: [], next: null };
				const { data } = await listReceived(taskId, { sort, limit: PER_PAGE, submission_id: part });
				const next = Number(pageParam) + PER_PAGE;
				return { data, next: next < ids.length ? String(next) : null };
			}
			const filter = { ...(status === undefined ? {} : { status }), ...(pageParam === "" ? {} : { cursor: pageParam }) };
			const { data, pagination } = await listReceived(taskId, { sort, limit: PER_PAGE, ...filter });
			return { data, next: pagination.next_cursor };
		},
		getNextPageParam: ({ next }) => next,
		placeholderData: (previous) => previous,
	});
}
