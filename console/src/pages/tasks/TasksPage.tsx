// Lists the caller's own tasks in every state.

import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { sparkline } from "../../../../src/domain/charts/spark.ts";
import { formatCount } from "../../../../src/domain/formats.ts";
import { api, readPage, type Schemas } from "../../api/client.ts";
import { ButtonLink } from "../../components/ButtonLink.tsx";
import { Countdown } from "../../components/Countdown.tsx";
import { EmptyState } from "../../components/EmptyState.tsx";
import { Choice } from "../../components/Field.tsx";
import { PagedTable } from "../../components/PagedTable.tsx";
import { Spark } from "../../components/Spark.tsx";
import { TaskBadges } from "../../components/StatusBadge.tsx";
import { Offer } from "../../components/task/Offer.tsx";
import { UnsavedTask, useUnsavedTask } from "../../components/task/UnsavedTask.tsx";
import { When } from "../../components/When.tsx";
import { Page } from "../../layout/Page.tsx";
import { Pauses } from "../../layout/Pauses.tsx";
import { statsQuery } from "../../queries/home.ts";
import { countByDay, lastDays } from "../../rules/days.ts";

const SPARK_DAYS = 14;

type OwnTask = Schemas["ListedTask"];

const FILTERS = [
	{ id: "all", label: "All states" },
	{ id: "draft", label: "Drafts" },
	{ id: "open", label: "Open" },
	{ id: "evaluating", label: "Evaluating" },
	{ id: "closed", label: "Closed" },
] as const;
type Filter = (typeof FILTERS)[number]["id"];

function useOwnTasks(filter: Filter) {
	return useInfiniteQuery({
		queryKey: ["own-tasks", filter],
		initialPageParam: "",
		queryFn: ({ pageParam }) => {
			const status = filter === "all" ? {} : { status: [filter] };
			const cursor = pageParam === "" ? {} : { cursor: pageParam };
			return readPage(api.listTasks({ owner: "me", ...status, ...cursor }));
		},
		getNextPageParam: ({ next_cursor }) => next_cursor,
	});
}

export function TasksPage() {
	const [filter, setFilter] = useState<Filter>("all");
	const unsaved = useUnsavedTask();
	return (
		<Page
			title="My tasks"
			actions={
				<>
					<Choice label="State" hidesLabel value={filter} options={FILTERS} onChange={setFilter} />
					<ButtonLink to="/tasks/new" kind="primary">
						Create a task
					</ButtonLink>
				</>
			}
		>
			<Pauses />
			{unsaved !== null && <UnsavedTask draft={unsaved} />}
			<TaskList filter={filter} hasUnsaved={unsaved !== null} />
		</Page>
	);
}

function TaskList({ filter, hasUnsaved }: { readonly filter: Filter; readonly hasUnsaved: boolean }) {
	const list = useOwnTasks(filter);
	const nothing =
		hasUnsaved && filter === "all" ? null : (
			<EmptyState title={filter === "all" ? "You have no tasks yet." : "You have no tasks in this state."}>
				<ButtonLink to="/tasks/new">Create a task</ButtonLink>
			</EmptyState>
		);
	const { data: stats } = useQuery(statsQuery);
	const rows = stats?.company.submissions_by_day ?? [];
	const days = lastDays(Date.now(), SPARK_DAYS);
	const columns = [
		...COLUMNS,
		{
			id: "arrivals",
			head: `Last ${SPARK_DAYS} days`,
			cell: ({ id }: OwnTask) => {
				const counts = countByDay(
					rows.filter(({ task_id }) => task_id === id),
					days,
				).map(({ count }) => count);
				return <Spark chart={counts.some((count) => count > 0) ? sparkline(counts, "Submissions by day", formatCount) : null} />;
			},
		},
	];
	return <PagedTable label="My tasks" loading="Loading your tasks" query={list} columns={columns} empty={nothing} />;
}

const COLUMNS = [
	{ id: "title", head: "Task", cell: (task: OwnTask) => <TaskLink task={task} /> },
	{ id: "status", head: "State", cell: ({ status, test }: OwnTask) => <TaskBadges status={status} test={test} /> },
	{
		id: "deadline",
		head: "Time left",
		// The list does not contain the clocks of test tasks, so their deadlines have no countdown.
		cell: ({ deadline, status, test }: OwnTask) =>
			status === "closed" ? "over" : test === true ? <When at={deadline} /> : <Countdown until={deadline} />,
	},
	{ id: "budget", head: "Budget", cell: (task: OwnTask) => <Offer task={task} />, isNumber: true },
	{ id: "competitors", head: "Competitors", cell: ({ competitor_count = 0 }: OwnTask) => competitor_count, isNumber: true },
	{ id: "submissions", head: "Submissions", cell: ({ submission_count = 0 }: OwnTask) => submission_count, isNumber: true },
];

function TaskLink({ task: { id, title, status } }: { readonly task: OwnTask }) {
	return (
		<Link to={status === "draft" ? "/tasks/$taskId/edit" : "/tasks/$taskId"} params={{ taskId: id }}>
			{title}
		</Link>
	);
}
