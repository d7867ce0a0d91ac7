// Lists all of the caller's submissions, across tasks.

import { useInfiniteQuery, useQueries } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { sparkline } from "../../../../src/domain/charts/spark.ts";
import { formatDateTime, formatScore } from "../../../../src/domain/formats.ts";
import { api, readPage, type Schemas } from "../../api/client.ts";
import { EmptyState } from "../../components/EmptyState.tsx";
import { ErrorMessage } from "../../components/ErrorMessage.tsx";
import { Loading } from "../../components/Progress.tsx";
import { ShowMore } from "../../components/ShowMore.tsx";
import { Spark } from "../../components/Spark.tsx";
import { SubmissionBadge } from "../../components/StatusBadge.tsx";
import { Table } from "../../components/Table.tsx";
import { Page } from "../../layout/Page.tsx";
import { Pauses } from "../../layout/Pauses.tsx";
import { taskQuery } from "../../queries/task.ts";
import { attemptsOf } from "../../rules/attempts.ts";

const PAGE_SIZE = 20;

function useMySubmissions() {
	return useInfiniteQuery({
		queryKey: ["my-submissions"],
		initialPageParam: "",
		queryFn: ({ pageParam }) => {
			const query = { limit: PAGE_SIZE, ...(pageParam === "" ? {} : { cursor: pageParam }) };
			return readPage(api.listSubmissions(query));
		},
		getNextPageParam: ({ pagination }) => pagination.next_cursor,
		refetchOnMount: "always",
	});
}

export function MySubmissionsPage() {
	return (
		<Page title="My submissions">
			<Pauses />
			<List />
		</Page>
	);
}

function List() {
	const list = useMySubmissions();
	const { data, error } = list;
	const submissions = data?.pages.flatMap((page) => page.data) ?? [];
	const titles = useTitles(submissions);
	if (data === undefined) return error === null ? <Loading label="Loading your submissions" /> : <ErrorMessage error={error} />;
	if (submissions.length === 0)
		return (
			<EmptyState title="You have not submitted anything yet.">
				<a href="/tasks" className="button button-plain">
					Find a task
				</a>
			</EmptyState>
		);
	const attempts = Map.groupBy(submissions, ({ task_id }) => task_id);
	const rows = submissions.map((submission) => ({
		...submission,
		title: titles.get(submission.task_id) ?? "Task",
		attempts: attemptsOf(attempts.get(submission.task_id) ?? []).map(({ value }) => value),
	}));
	return (
		<>
			<Table label="My submissions" columns={COLUMNS} rows={rows} rowKey={({ id }) => id} />
			<ShowMore query={list} />
		</>
	);
}

/** Maps the ids of the submissions' tasks to their titles. Each title is read only once. */
function useTitles(submissions: readonly Schemas["ListedSubmission"][]): ReadonlyMap<string, string> {
	const ids = [...new Set(submissions.map(({ task_id }) => task_id))];
	return useQueries({
		queries: ids.map((id) => ({ ...taskQuery(id), staleTime: Number.POSITIVE_INFINITY })),
		combine: (results) => new Map(results.flatMap(({ data }) => (data === undefined ? [] : [[data.id, data.title] as const]))),
	});
}

const APPEALS = { open: "Open", upheld: "Scores stay", changed: "Scores changed" } as const;

type Row = Schemas["ListedSubmission"] & {
	readonly title: string;
	/** The scores of the shown attempts on the task, oldest first. */
	readonly attempts: readonly number[];
};

const COLUMNS = [
	{
		id: "made",
		head: "Submitted",
		cell: ({ id, created_at }: Row) => (
			<Link to="/my-submissions/$submissionId" params={{ submissionId: id }}>
				{formatDateTime(created_at)}
			</Link>
		),
	},
	{
		id: "task",
		head: "Task",
		cell: ({ task_id, title }: Row) => (
			<Link to="/tasks/$taskId" params={{ taskId: task_id }}>
				{title}
			</Link>
		),
	},
	{ id: "status", head: "State", cell: (row: Row) => <SubmissionBadge submission={row} /> },
	{
		id: "score",
		head: "Score",
		cell: ({ scores }: Row) => (scores === null ? "–" : <strong>{formatScore(scores.final_score)}</strong>),
		isNumber: true,
	},
	{
		id: "attempts",
		head: "Your attempts, with their current scores",
		cell: ({ attempts }: Row) => <Spark chart={sparkline(attempts, "Current scores of your attempts")} />,
	},
	{
		id: "appeal",
		head: "Appeal",
		cell: ({ appeal_status: status }: Row) =>
			status === null ? "" : <span className={status === "open" ? "badge badge-warning" : "badge badge-live"}>{APPEALS[status]}</span>,
	},
];
