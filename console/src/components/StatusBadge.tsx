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
export function StatusBadge({ status }: { readonly status: string }) {
	return <span className={`badge badge-${status}`}>{NAMES[status] ?? status}</span>;
}
