import { TASKS_TAG, taskTag } from "../../../http/shared-responses.ts";
import type { Deps } from "../../../ports/deps.ts";

/**
 * Purges from Cloudflare's cache the responses that show the task or list tasks, so that readers see at once that it was published,
 * changed, hidden or closed. Only the Worker can do this, because Durable Objects have no access to the cache. When an object changes by
 * itself, readers see the change after the response expires.
 */
export function purgeResponses({ sharedCache }: Deps, taskId: string): Promise<void> {
	return sharedCache.purge([taskTag(taskId), TASKS_TAG]);
}
