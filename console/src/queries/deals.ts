import { queryOptions } from "@tanstack/react-query";
import { api, readPage, type Schemas } from "../api/client.ts";
import { type DealRole, isDealOver } from "../rules/deals.ts";

export type Deal = Schemas["Deal"];

export const dealsKey = ["deals"] as const;
export const dealKey = (id: string) => [...dealsKey, "one", id] as const;

/** No stream reports deals, so an open one is polled. */
const POLL_MS = 15_000;
const PER_PAGE = 100;

export const dealQuery = (id: string) =>
	queryOptions({
		queryKey: dealKey(id),
		queryFn: () => api.getDeal(id),
		refetchInterval: ({ state: { data } }) => (data === undefined || isDealOver(data.status) ? false : POLL_MS),
	});

/** Reads the caller's deal on a task, as poster or agent. Ignores declined deals. Returns null if there is no other deal. */
export const dealOfTaskQuery = (taskId: string, as: DealRole) =>
	queryOptions({
		queryKey: [...dealsKey, "of", taskId, as],
		queryFn: async () => {
			let cursor: string | null = "";
			while (cursor !== null) {
				const query: { limit: number; cursor?: string } = { limit: PER_PAGE, ...(cursor === "" ? {} : { cursor }) };
				const page: Schemas["DealList"] = await readPage(api.listDeals(query));
				const found = page.data.find(({ task_id, role, status }) => task_id === taskId && role === as && status !== "declined");
				if (found !== undefined) return found;
				cursor = page.pagination.next_cursor;
			}
			return null;
		},
	});
