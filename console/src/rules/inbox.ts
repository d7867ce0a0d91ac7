// What an inbox entry links to in the console, and which loaded data it makes stale.

/** Returns an entry's path within the console, or null if its URL is elsewhere. */
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

/** Lists the keys of the queries whose data an entry makes stale. */
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
