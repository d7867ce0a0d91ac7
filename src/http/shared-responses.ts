// Some responses are the same for everyone. Cloudflare keeps them in front of the Worker (`[cache]` in wrangler.toml) and looks only at the
// path, the query and the headers that `Vary` names, so every other response must say that it is private or not to be stored.

export interface SharedResponse {
	/** A cache may keep the response this long. */
	readonly seconds: number;
	/** The response shows the task that the path names, tasks in general, or nothing that changes between deployments. */
	readonly of: "task" | "tasks" | "deployment";
}

/** Responses that show tasks in general have this tag. A change of any task purges them. */
export const TASKS_TAG = "tasks";

/** Responses that show one task have this tag. */
export function taskTag(taskId: string): string {
	return `task-${taskId}`;
}

/**
 * Makes the headers of a shared response. Only Cloudflare reads the last two. Without `must-revalidate`, it would serve expired responses while the Worker fails, even for a task that was taken down.
 *
 * @param params The parameters of the path. A response that shows one task has the task's id there.
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
