// Responses that are the same for everyone. Cloudflare keeps them in front of the Worker (`[cache]` in wrangler.toml) and looks at nothing
// but path, query and the headers that `Vary` names, so every other response must say that it is private or not to be stored.

export interface SharedResponse {
	/** How old it may be. */
	readonly seconds: number;
	/** What it shows, and so what changes it: the task that the path names, tasks in general, or only a deployment. */
	readonly of: "task" | "tasks" | "deployment";
}

/** On what shows tasks in general. A change of any of them purges it. */
export const TASKS_TAG = "tasks";

/** On what shows one task. */
export function taskTag(taskId: string): string {
	return `task-${taskId}`;
}

/**
 * The headers of a shared response. Only Cloudflare reads the last two. Without `must-revalidate` it would serve an expired response for as
 * long as the Worker fails, and with it a task that was taken down.
 *
 * @param params Of the path; what shows one task has its id there.
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

/** Whether caches may give a response to others. */
export function isShared({ headers }: Response): boolean {
	return headers.get("Cache-Control")?.startsWith("public") === true;
}
