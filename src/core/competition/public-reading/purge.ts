import { TASKS_TAG, taskTag } from "../../../http/shared-responses.ts";
import type { Deps } from "../../../ports/deps.ts";

/**
 * Purges the responses that show a task or list tasks from Cloudflare's cache, so that readers see at once that it was published, changed, hidden or closed. Only the Worker can do this, because Durable Objects have no access to the cache. Changes that an object makes by itself become visible when the response expires.
 */
export function purgeResponses({ sharedCache }: Deps, taskId: string): Promise<void> {
	return sharedCache.purge([taskTag(taskId), TASKS_TAG]);
}
