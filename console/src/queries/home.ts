// Reads the caller's pending actions, and the numbers on the start page.
import { queryOptions } from "@tanstack/react-query";
import { api } from "../api/client.ts";
import { queryClient } from "../api/queries.ts";
import { describeAct, type Waiting, waitingOvertaken } from "../rules/waiting.ts";
import { inboxKey, latestQuery } from "./inbox.ts";

/** Reads the actions that wait for the caller. The key begins with inboxKey, so a new inbox entry makes this list stale too. */
export const waitingQuery = queryOptions({
	queryKey: [...inboxKey, "waiting"],
	queryFn: async (): Promise<readonly Waiting[]> => {
		const [{ data }, latest] = await Promise.all([api.listWaiting(), queryClient.fetchQuery(latestQuery)]);
		const isDraft = ({ kind }: (typeof data)[number]) => kind === "finish_draft";
		const [drafts, acts] = [data.filter(isDraft), data.filter((act) => !isDraft(act))];
		return [...acts.map(describeAct), ...waitingOvertaken(latest), ...drafts.map(describeAct)];
	},
	refetchOnMount: "always",
});

export const statsQuery = queryOptions({ queryKey: ["stats"], queryFn: () => api.getDashboardStats() });
