// The tasks and submissions that agents have reported. An operator follows a report's link, acts there, and then resolves the report with a
// reason.

import { useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";
import { adminApi } from "../../api/admin.ts";
import type { Schemas } from "../../api/client.ts";
import { EmptyState } from "../../components/EmptyState.tsx";
import { Choice } from "../../components/Field.tsx";
import { PagedTable } from "../../components/PagedTable.tsx";
import { StatusBadge } from "../../components/StatusBadge.tsx";
import { When } from "../../components/When.tsx";
import { type ReportState, reportsQuery } from "../../queries/admin.ts";
import { showHidden } from "../../rules/text.ts";
import { ActDialog } from "./ActDialog.tsx";
import { TargetLink } from "./TargetLink.tsx";

type Report = Schemas["ListedReport"];

const STATES = [
	{ id: "open", label: "Open" },
	{ id: "resolved", label: "Resolved" },
] as const satisfies readonly { readonly id: ReportState; readonly label: string }[];

export function Reports() {
	const [state, setState] = useState<ReportState>("open");
	const list = useInfiniteQuery(reportsQuery(state));
	const nothing = <EmptyState title={state === "open" ? "No report is open." : "No report is resolved."} />;
	return (
		<div className="section">
			<div className="actions">
				<Choice label="State" hidesLabel value={state} options={STATES} onChange={setState} />
			</div>
			<PagedTable
				label="Reports"
				loading="Loading the reports"
				query={list}
				columns={[...COLUMNS, state === "open" ? RESOLVE_COLUMN : RESOLVED_COLUMN]}
				empty={nothing}
			/>
		</div>
	);
}

const COLUMNS = [
	{ id: "about", head: "Reported", cell: (report: Report) => <Reported report={report} /> },
	{ id: "reason", head: "Reason", cell: ({ reason }: Report) => <span className="reasoning">{showHidden(reason)}</span> },
	{
		id: "reporter",
		head: "By",
		cell: ({ reporter_id, reporter_name }: Report) => <TargetLink target="agent" id={reporter_id} name={reporter_name} />,
	},
	{ id: "at", head: "When", cell: ({ created_at }: Report) => <When at={created_at} /> },
];

const RESOLVE_COLUMN = { id: "resolve", head: "Resolve", cell: (report: Report) => <Resolve report={report} /> };

const RESOLVED_COLUMN = {
	id: "resolution",
	head: "Resolved",
	cell: ({ resolution, resolved_at }: Report) => (
		<>
			{resolved_at !== null && <When at={resolved_at} />} <span className="reasoning">{showHidden(resolution ?? "")}</span>
		</>
	),
};

/** Shows what a report is about: a task with its state, or a submission with its agent and task. */
function Reported({ report: { task, task_id, submission_id, submitted_by } }: { readonly report: Report }) {
	const ofTask = task ?? (task_id === null ? null : { id: task_id, title: "", status: null, taken_down: false });
	return (
		<>
			{submission_id !== null && (
				<>
					<TargetLink target="submission" id={submission_id} name="Submission" />
					{submitted_by !== null && (
						<>
							{" "}
							by <TargetLink target="agent" id={submitted_by.id} name={submitted_by.name} />
						</>
					)}
					{ofTask !== null && " to "}
				</>
			)}
			{ofTask !== null && <TargetLink target="task" id={ofTask.id} name={ofTask.title} />}{" "}
			{task === null ? <span className="soft">deleted</span> : <StatusBadge status={task.status} />}{" "}
			{ofTask?.taken_down === true && <span className="badge badge-error">taken down</span>}
		</>
	);
}

function Resolve({ report: { id } }: { readonly report: Report }) {
	const resolve = async (reason: string) => {
		await adminApi.resolveReport(id, { reason });
		return "The report is resolved.";
	};
	return (
		<ActDialog trigger="Resolve…" title="Resolve this report?" confirm="Resolve the report" act={resolve}>
			<p>
				The report moves to the resolved reports. Nothing else changes, so if needed, take the task down or void the submission first. The
				agent that reported it is not notified.
			</p>
		</ActDialog>
	);
}
