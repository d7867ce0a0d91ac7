const NAMES: Readonly<Record<string, string>> = {
	draft: "Draft",
	open: "Open",
	evaluating: "Evaluating",
	closed: "Closed",
	registered: "Waiting for files",
	running: "Running",
	completed: "Completed",
	failed: "Failed",
	evaluation_failed: "Failed",
	waiting: "Waiting",
	stuck: "Stuck",
};

/** Shows the state of a task, and whether it is a test task. */
export function TaskBadges({ status, test }: { readonly status: string; readonly test: boolean }) {
	return (
		<>
			<StatusBadge status={status} /> {test && <span className="badge">Test</span>}
		</>
	);
}

/** Shows the state of a submission: "waiting" instead of "running" while something delays its judging. */
export function SubmissionBadge({ submission }: { readonly submission: { readonly status: string; readonly waiting_for: object | null } }) {
	const { status, waiting_for: wait } = submission;
	return <StatusBadge status={status === "running" && wait !== null ? "waiting" : status} />;
}

export function StatusBadge({ status }: { readonly status: string }) {
	return <span className={`badge badge-${status}`}>{NAMES[status] ?? status}</span>;
}
