// Reads what the header and the lists show to the caller: the name, unread entries, entered tasks, and what operators have switched off.
import { queryOptions } from "@tanstack/react-query";
import { api } from "../api/client.ts";

/** No stream reports the operators' switches, so they are polled. */
const POLL_MS = 60_000;

export const headerQuery = queryOptions({
	queryKey: ["header"],
	queryFn: () => api.getHeader(),
	refetchInterval: POLL_MS,
});
