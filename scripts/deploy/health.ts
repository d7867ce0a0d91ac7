import { setTimeout as delay } from "node:timers/promises";
import { CommandError } from "../support/command.ts";

const ATTEMPTS = 10;
const PAUSE_MS = 3_000;

/**
 * Waits until the deployed Worker answers and prints what it says of itself. A new workers.dev name takes a while to resolve.
 *
 * @throws CommandError when it still does not answer well after half a minute.
 */
export async function awaitHealth(urls: readonly string[]): Promise<void> {
	const [url] = urls;
	if (url === undefined) {
		console.log("The Worker has no public address yet. Add a route or a custom domain (docs/deploying.md).");
		return;
	}
	let last = "no answer";
	for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
		try {
			const response = await fetch(`${url}/health`, { signal: AbortSignal.timeout(10_000) });
			last = `${response.status} ${await response.text()}`;
			if (response.ok) {
				console.log(`${url}/health answers ${last}`);
				return;
			}
		} catch (error) {
			last = error instanceof Error ? error.message : String(error);
		}
		await delay(PAUSE_MS);
	}
	throw new CommandError(`The Worker is deployed, but ${url}/health says: ${last}. Look at its log: npm run -s wrangler -- tail`);
}
