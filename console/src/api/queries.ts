// Query results are cached for a while. The client has already retried a failed request, so a query does not.
import { QueryClient } from "@tanstack/react-query";

const STALE_MS = 15_000;

export const queryClient = new QueryClient({
	defaultOptions: { queries: { staleTime: STALE_MS, retry: false, refetchOnWindowFocus: false }, mutations: { retry: false } },
});
