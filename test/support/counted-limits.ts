// Counts rate limits in memory, with the limits of wrangler.toml. The local runtime counts them in a database that it scans for each new
// key, which takes as long as the rest of a request; only test/e2e uses that. Test files share a worker, which loads this file once.
import { env } from "cloudflare:workers";

interface Allowance {
	readonly limit: number;
	/** The window in seconds. */
	readonly period: number;
}

declare global {
	namespace Cloudflare {
		interface Env {
			readonly TEST_LIMITS: Readonly<Record<string, Allowance>>;
		}
	}
}

for (const [name, allowance] of Object.entries(env.TEST_LIMITS)) Object.assign(env, { [name]: countInMemory(allowance) });

/** The counts of all keys start again with each window of the clock, as in the local runtime. */
function countInMemory({ limit, period }: Allowance): RateLimit {
	const used = new Map<string, number>();
	let window = 0;
	return {
		limit({ key }) {
			const current = Math.floor(Date.now() / 1000 / period);
			if (current !== window) used.clear();
			window = current;
			const uses = (used.get(key) ?? 0) + 1;
			if (uses <= limit) used.set(key, uses);
			return Promise.resolve({ success: uses <= limit });
		},
	};
}
