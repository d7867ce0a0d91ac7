import { chunksOf } from "../domain/chunks.ts";
import { describeError, type Log } from "./log.ts";

/** The cache in front of the Worker, in which Cloudflare keeps shared responses. */
export interface SharedCache {
	/**
	 * Drops the responses that have one of these tags. Never throws. A purge may have no effect, because local development has no such cache
	 * and Cloudflare accepts few purges. Readers then see the change a few seconds later, when the response has expired.
	 */
	purge(tags: readonly string[]): Promise<void>;
}

/** The maximum number of tags that Cloudflare accepts in one purge. */
const MAX_TAGS = 100;

/**
 * Opens Workers Cache for an invocation. Collects the tags of all calls in one turn of the event loop into a single purge, because an
 * account may send only five purges a minute.
 *
 * @param cache Undefined in local development, in Durable Objects, and if `[cache]` is off in wrangler.toml.
 */
export function createSharedCache(cache: Pick<CacheContext, "purge"> | undefined, log: Log): SharedCache {
	let collected: { readonly tags: Set<string>; readonly sent: Promise<void> } | null = null;

	async function send(tags: readonly string[]): Promise<void> {
		for (const chunk of chunksOf(tags, MAX_TAGS)) {
			try {
				const result = await cache?.purge({ tags: chunk });
				if (result?.success === false) log.info("purge_refused", { tags: chunk.length, reason: result.errors[0]?.message ?? "" });
			} catch (error) {
				log.error("purge_failed", { tags: chunk.length, ...describeError(error) });
			}
		}
	}

	function collect() {
		const tags = new Set<string>();
		const sent = Promise.resolve().then(() => {
			collected = null;
			return send([...tags]);
		});
		return { tags, sent };
	}

	return {
		purge(tags) {
			if (cache === undefined) return Promise.resolve();
			collected ??= collect();
			for (const tag of tags) collected.tags.add(tag);
			return collected.sent;
		},
	};
}
