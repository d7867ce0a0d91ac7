// The sweep over stored objects: what a crash between storing an object and committing its row has left behind.

import { HOUR_MS } from "../../platform/clock.ts";
import type { Deps } from "../../ports/deps.ts";
import * as store from "./store.ts";

const PAGE = 500;
/** Objects younger than this may belong to a request that is still under way. */
const MIN_AGE_MS = HOUR_MS;
const PREFIXES = ["artifacts/", "reports/"] as const;

/**
 * Looks at one page of objects under each prefix, removes those that no row refers to, and remembers where it stopped.
 * Called every minute, it comes round to every object again and again.
 */
export async function removeOrphans(deps: Deps): Promise<void> {
	for (const prefix of PREFIXES) {
		const cursor = await store.findSweepCursor(deps, prefix);
		const page = await deps.bucket.list({ prefix, limit: PAGE, ...(cursor === null ? {} : { startAfter: cursor }) });
		const oldest = deps.clock.now() - MIN_AGE_MS;
		const keys = page.objects.filter((object) => object.uploaded.getTime() <= oldest).map((object) => object.key);
		const orphans = keys.length === 0 ? [] : await store.selectUnreferenced(deps, keys);
		if (orphans.length > 0) {
			await deps.bucket.delete(orphans);
			deps.log.info("orphans_removed", { prefix, count: orphans.length });
		}
		const last = page.objects.at(-1)?.key ?? null;
		await store.saveSweepCursor(deps, prefix, page.truncated ? last : null);
	}
}
