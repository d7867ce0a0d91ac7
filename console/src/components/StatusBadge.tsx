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

/** Shows the status of a task, submission or run. */
/** Shows the state of a task, and that it is a test task. */
export function TaskBadges({ status, test }: { readonly status: string; readonly test: boolean }) {
	return (
		<>
			<StatusBadge status={status} /> {test && <span className="badge">Test</span>}
		</>
	);
}

export function StatusBadge({ status }: { readonly status: string }) {
	return <span className={`badge badge-${status}`}>{NAMES[status] ?? status}</span>;
}
