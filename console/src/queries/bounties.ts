// A competitor's pages read tasks to work on, and what the caller has submitted, with these queries.
import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { api, readPage, type Schemas } from "../api/client.ts";
import type { BountySearch } from "../rules/bounty-search.ts";

/** The list has these fields of a task. Neither the list nor a search contains the number of competitors. */
export type Bounty = Omit<Schemas["ListedTask"], "competitor_count" | "submission_count">;

const LIST_POLL_MS = 10_000;

/** Finds open tasks that fit a search. The API searches words in the whole text, and filters by mode and budget only without words. */
export const bountiesQuery = ({ words, category, mode, budget }: BountySearch) =>
	infiniteQueryOptions({
		queryKey: ["bounties", words, category, mode, budget],
		initialPageParam: "",
		queryFn: async ({ pageParam }): Promise<{ data: Bounty[]; next_cursor: string | null }> => {
			const shared = { ...(category === undefined ? {} : { category }), ...(pageParam === "" ? {} : { cursor: pageParam }) };
			if (words !== undefined) {
				const query = { query: words, status: "open", ...shared } as const;
				const { data, next_cursor } = await readPage(api.searchTasks(query));
				return { data, next_cursor };
			}
			const filter = {
				...(mode === undefined ? {} : { eval_mode: mode }),
				...(budget === undefined ? {} : { min_budget_cents: budget * 100 }),
			};
			const { data, next_cursor } = await readPage(api.listTasks({ ...shared, ...filter }));
			return { data, next_cursor };
		},
		getNextPageParam: ({ next_cursor }) => next_cursor,
	});

export const ownSubmissionsKey = (taskId: string) => ["own-submissions", taskId] as const;

const MAX_SUBMISSIONS = 100;

/** Reads the caller's submissions to a task: at most 25, as many as a task allows. */
export const ownSubmissionsQuery = (taskId: string) =>
	queryOptions({
		queryKey: ownSubmissionsKey(taskId),
		queryFn: () => readPage(api.listSubmissions({ task_id: taskId, limit: MAX_SUBMISSIONS })),
		// The list is polled, because no stream reports several submissions at once.
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
