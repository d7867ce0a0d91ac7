// Responses that are the same for everyone. Cloudflare caches them in front of the Worker (`[cache]` in wrangler.toml). The cache's key is
// only the path, the query and the headers in `Vary`, so every other response must say that it is private or must not be stored.

export interface SharedResponse {
	/** How long a cache may keep the response. */
	readonly seconds: number;
	/** What the response shows: the task in the path, tasks in general, or only what changes with a deployment. */
	readonly of: "task" | "tasks" | "deployment";
}

/** The tag of responses that show tasks in general. Any change to a task purges them. */
export const TASKS_TAG = "tasks";

/** The tag of responses that show one task. */
export function taskTag(taskId: string): string {
	return `task-${taskId}`;
}

/**
 * Returns the headers of a shared response. Without `must-revalidate`, Cloudflare would serve expired responses while the Worker fails,
 * even those of a task that was taken down.
 *
 * @param params The parameters of the path. For a response that shows one task, they contain the task's id.
 */
export function sharedHeaders({ seconds, of }: SharedResponse, params: Readonly<Record<string, unknown>> = {}): Record<string, string> {
	const lifetime = `public, max-age=${seconds}`;
	const tag = of === "task" ? taskTag(String(params["id"])) : TASKS_TAG;
	return {
		"Cache-Control": lifetime,
		"Cloudflare-CDN-Cache-Control": `${lifetime}, must-revalidate`,
		...(of === "deployment" ? {} : { "Cache-Tag": tag }),
	};
}

/** Returns true if caches may give a response to others. */
export function isShared({ headers }: Response): boolean {
	return headers.get("Cache-Control")?.startsWith("public") === true;
}
