// Queries that send the admin token. Their keys begin with adminKey, so that an action can refresh all views.
import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { adminApi } from "../api/admin.ts";
import { readPage, type Schemas } from "../api/client.ts";

export type Job = Schemas["Job"];
export type JobState = Job["state"];

export const adminKey = ["admin"] as const;
const METRICS_MS = 15_000;
const PAGE_SIZE = 50;

const pageOf = (cursor: string) => ({ limit: PAGE_SIZE, ...(cursor === "" ? {} : { cursor }) });
const paged = {
	initialPageParam: "",
	getNextPageParam: ({ pagination }: { readonly pagination: { readonly next_cursor: string | null } }) => pagination.next_cursor,
};

export const switchesQuery = queryOptions({
	queryKey: [...adminKey, "switches"],
	queryFn: () => adminApi.getSwitches(),
});

export const metricsQuery = queryOptions({
	queryKey: [...adminKey, "metrics"],
	queryFn: async () => {
		const metrics = await adminApi.getMetrics();
		// The endpoint also has a text format for monitoring.
		if (typeof metrics === "string") throw new Error("The platform sent the metrics as text.");
		return metrics;
	},
	refetchInterval: METRICS_MS,
});

export const historyQuery = queryOptions({
	queryKey: [...adminKey, "history"],
	queryFn: () => adminApi.getHistory(),
});

/** Finds agents and tasks whose name or title contains the text. */
export const directoryQuery = (part: string) =>
	queryOptions({ queryKey: [...adminKey, "directory", part], queryFn: () => adminApi.searchDirectory({ q: part }) });

export const readinessQuery = queryOptions({
	queryKey: [...adminKey, "readiness"],
	queryFn: () => adminApi.getReadiness(),
});

export const spendQuery = queryOptions({
	queryKey: [...adminKey, "spend"],
	queryFn: () => adminApi.getSpend(),
});

export const jobsQuery = (state: JobState | null) =>
	infiniteQueryOptions({
		...paged,
		queryKey: [...adminKey, "jobs", state],
		queryFn: ({ pageParam }) => {
			const query = { ...pageOf(pageParam), ...(state === null ? {} : { state }) };
			return readPage(adminApi.listJobs(query));
		},
	});

export type ReportState = "open" | "resolved";

export const reportsQuery = (status: ReportState) =>
	infiniteQueryOptions({
		...paged,
		queryKey: [...adminKey, "reports", status],
		queryFn: ({ pageParam }) => readPage(adminApi.listReports({ ...pageOf(pageParam), status })),
	});

export const auditQuery = infiniteQueryOptions({
	...paged,
	queryKey: [...adminKey, "audit"],
	queryFn: ({ pageParam }) => readPage(adminApi.listAuditEntries(pageOf(pageParam))),
});
