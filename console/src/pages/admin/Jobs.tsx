// Lists background jobs that have not succeeded.

import { useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";
import { adminApi } from "../../api/admin.ts";
import { EmptyState } from "../../components/EmptyState.tsx";
import { Choice } from "../../components/Field.tsx";
import { PagedTable } from "../../components/PagedTable.tsx";
import { StatusBadge } from "../../components/StatusBadge.tsx";
import { When } from "../../components/When.tsx";
import { type Job, type JobState, jobsQuery } from "../../queries/admin.ts";
import { showHidden } from "../../rules/text.ts";
import { ActDialog } from "./ActDialog.tsx";
import { TargetLink } from "./TargetLink.tsx";

const FILTERS = [
	{ id: "all", label: "All states" },
	{ id: "waiting", label: "Waiting" },
	{ id: "running", label: "Running" },
	{ id: "stuck", label: "Stuck" },
	{ id: "failed", label: "Failed" },
] as const satisfies readonly { readonly id: JobState | "all"; readonly label: string }[];
type Filter = (typeof FILTERS)[number]["id"];

const KINDS = { evaluation: "Evaluation", delivery: "Webhook delivery", grader_run: "Image run" } as const;

export function Jobs() {
	const [filter, setFilter] = useState<Filter>("all");
	return (
		<div className="form">
			<div className="actions">
				<Choice label="State" hidesLabel value={filter} options={FILTERS} onChange={setFilter} />
			</div>
			<JobList filter={filter} />
		</div>
	);
}

function JobList({ filter }: { readonly filter: Filter }) {
	const list = useInfiniteQuery(jobsQuery(filter === "all" ? null : filter));
	const nothing = filter === "all" ? "Nothing is waiting, and nothing has failed." : "No job is in this state.";
	return <PagedTable label="Jobs" loading="Loading the jobs" query={list} columns={COLUMNS} empty={<EmptyState title={nothing} />} />;
}

const COLUMNS = [
	{ id: "kind", head: "Job", cell: ({ kind }: Job) => KINDS[kind] },
	{ id: "state", head: "State", cell: ({ state }: Job) => <StatusBadge status={state} /> },
	// The last error is wide and would push the button out of view, if the button came after it.
	{ id: "retry", head: "Retry", cell: (job: Job) => (job.state === "running" ? null : <Retry job={job} />) },
	{ id: "about", head: "About", cell: (job: Job) => <About job={job} /> },
	{ id: "attempts", head: "Attempts", cell: ({ attempts }: Job) => attempts, isNumber: true },
	{ id: "since", head: "Since", cell: ({ since }: Job) => <When at={since} /> },
	{
		id: "error",
		head: "Last error",
		cell: ({ last_error }: Job) => (last_error === null ? "–" : <span className="reasoning">{showHidden(last_error)}</span>),
	},
];

function About({ job: { submission_id, webhook_id } }: { readonly job: Job }) {
	return submission_id === null ? <code>{webhook_id}</code> : <TargetLink target="submission" id={submission_id} />;
}

function Retry({ job: { id, kind, state } }: { readonly job: Job }) {
	const retry = async (reason: string) => {
		await adminApi.retryJob(id, { reason });
		return "The job is due now.";
	};
	const name = KINDS[kind].toLowerCase();
	return (
		<ActDialog trigger="Retry…" triggerKind="quiet" title="Retry this job?" confirm="Retry now" act={retry}>
			<p>{state === "failed" ? `A new ${name} replaces the failed one.` : `The ${name} starts now instead of later.`}</p>
		</ActDialog>
	);
}
