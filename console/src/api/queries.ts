// Query results are cached for a while. The client has repeated a failed request already, so a query does not repeat it.
import { QueryClient } from "@tanstack/react-query";

const STALE_MS = 15_000;

export const queryClient = new QueryClient({
	defaultOptions: { queries: { staleTime: STALE_MS, retry: false, refetchOnWindowFocus: false }, mutations: { retry: false } },
});
