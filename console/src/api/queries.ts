// The result of a query counts as fresh for a while. Queries are not retried here, because the client has already retried the request.
import { QueryClient } from "@tanstack/react-query";

const STALE_MS = 15_000;

export const queryClient = new QueryClient({
	defaultOptions: { queries: { staleTime: STALE_MS, retry: false, refetchOnWindowFocus: false }, mutations: { retry: false } },
});
