import { setTimeout as delay } from "node:timers/promises";
import { z } from "zod";
import { CommandError } from "../support/command.ts";

const ATTEMPTS = 10;
const PAUSE_MS = 3_000;
const checks = z.record(z.string(), z.string());
/** `GET /ready` returns the first form when it is ready, and an error with the checks when it is not. */
const report = z.union([z.object({ checks }), z.object({ error: z.object({ details: z.object({ checks }) }) })]);

/**
 * Waits until the deployed Worker says that its database, its bucket and its schema are ready, and prints its checks. A new workers.dev
 * name takes a while to resolve. A long queue does not fail the deployment: it is only shown.
 *
 * @throws CommandError when a check still fails after half a minute.
 */
export async function awaitReadiness(urls: readonly string[]): Promise<void> {
	const [url] = urls;
	if (url === undefined) {
		console.log("The Worker has no public URL yet. Add a route or a custom domain (docs/pages/operating/deploying.mdx).");
		return;
	}
	let last = "no response";
	for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
		try {
			const response = await fetch(`${url}/ready`, { signal: AbortSignal.timeout(10_000) });
			const text = await response.text();
			last = `${response.status} ${text}`;
			const found = readChecks(text);
			if (found !== null && Object.entries(found).every(([name, check]) => check === "ok" || name === "queue")) {
				const list = Object.entries(found).map(([name, check]) => `${name} ${check}`);
				console.log(`${url}/ready: ${list.join(", ")}.`);
				return;
			}
		} catch (error) {
			last = error instanceof Error ? error.message : String(error);
		}
		await delay(PAUSE_MS);
	}
	throw new CommandError(
		`The Worker is deployed, but ${url}/ready says: ${last}. Look at its log: npm run -s wrangler -- tail. To go back to the version before it: npm run -s wrangler -- rollback`,
	);
}

function readChecks(text: string): Record<string, string> | null {
	try {
		const body = report.parse(JSON.parse(text));
		return "checks" in body ? body.checks : body.error.details.checks;
	} catch {
		return null;
	}
}
