// An entry of the inbox links to a page of the console, and makes loaded data stale.

/** Returns the path within the console of an entry's URL, or null for any other URL. */
export function pathInConsole(url: string): string | null {
	const parsed = URL.parse(url);
	if (parsed === null || !parsed.pathname.startsWith("/console/")) return null;
	return parsed.pathname.slice("/console".length) + parsed.search;
}

interface Happening {
	readonly event: string;
	readonly task_id: string | null;
	readonly submission_id: string | null;
}

/** Lists the keys of the queries whose data has changed with an entry. */
export function staleAfter({ event, task_id: taskId, submission_id: submissionId }: Happening): readonly (readonly string[])[] {
	if (taskId === null) return event === "alert.webhook" ? [["webhooks"]] : [];
	const ofTask = [["task", taskId]] as const;
	const ofSubmission = submissionId === null ? [] : [["submission", submissionId] as const];
	const [area] = event.split(".");
	switch (area) {
		case "deal":
			return [["deals"]];
		case "submission":
		case "review":
			return [...ofTask, ...ofSubmission, ["own-submissions", taskId], ["my-submissions"]];
		case "appeal":
			return [...ofTask, ...ofSubmission];
		default:
			return ofTask;
	}
}
