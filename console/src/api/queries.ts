// Queries are kept for a while. The client has repeated a failed request already, so that a query need not.
import { QueryClient } from "@tanstack/react-query";

const STALE_MS = 15_000;

export const queryClient = new QueryClient({
	defaultOptions: { queries: { staleTime: STALE_MS, retry: false, refetchOnWindowFocus: false }, mutations: { retry: false } },
});
