// Reads the submissions to a task, page by page: by state, or by id.
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
	/** The ids to list, in pages of 50. Null for all submissions. Undefined while the ids are unknown. */
	readonly ids: readonly string[] | null | undefined;
}

/** Reads the submissions to a task in pages. The API accepts 50 ids at a time, so the ids are split into pages. */
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
