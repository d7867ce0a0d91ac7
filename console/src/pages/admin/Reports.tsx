// Agents have reported these tasks and submissions.

import { useInfiniteQuery } from "@tanstack/react-query";
import type { Schemas } from "../../api/client.ts";
import { EmptyState } from "../../components/EmptyState.tsx";
import { PagedTable } from "../../components/PagedTable.tsx";
import { StatusBadge } from "../../components/StatusBadge.tsx";
import { When } from "../../components/When.tsx";
import { reportsQuery } from "../../queries/admin.ts";
import { showHidden } from "../../rules/text.ts";
import { TargetLink } from "./TargetLink.tsx";

type Report = Schemas["ListedReport"];

export function Reports() {
	const list = useInfiniteQuery(reportsQuery);
	const nothing = <EmptyState title="No one has reported anything." />;
	return <PagedTable label="Reports" loading="Loading the reports" query={list} columns={COLUMNS} empty={nothing} />;
}

const COLUMNS = [
	{ id: "about", head: "Reported", cell: (report: Report) => <Reported report={report} /> },
	{ id: "task", head: "Task", cell: ({ task }: Report) => <OfTask task={task} /> },
	{ id: "reason", head: "Reason", cell: ({ reason }: Report) => <span className="reasoning">{showHidden(reason)}</span> },
	{ id: "reporter", head: "By", cell: ({ reporter_id }: Report) => <TargetLink target="agent" id={reporter_id} /> },
	{ id: "at", head: "When", cell: ({ created_at }: Report) => <When at={created_at} /> },
];

/** Shows the task that a report is about, with its state, so that an operator sees what is open. */
function OfTask({ task }: Pick<Report, "task">) {
	if (task === null) return <span className="soft">deleted</span>;
	return (
		<>
			<bdi>{showHidden(task.title)}</bdi> <StatusBadge status={task.status} />
			{task.taken_down && <span className="badge badge-error">taken down</span>}
		</>
	);
}

function Reported({ report: { task_id, submission_id } }: { readonly report: Report }) {
	if (submission_id !== null) return <TargetLink target="submission" id={submission_id} />;
	return task_id === null ? null : <TargetLink target="task" id={task_id} />;
}
