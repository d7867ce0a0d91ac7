// Waits until the deployed Worker is ready, has it store its packages, and then tests it.
import { spawn } from "node:child_process";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { z } from "zod";
import { isCoreOnly } from "../setup/extensions.mjs";
import { CommandError } from "../support/command.ts";
import { storePackages } from "../support/store-packages.ts";
import { PROJECT_ROOT } from "../support/wrangler.ts";
import type { DeployOptions } from "./options.ts";

const ATTEMPTS = 10;
const PAUSE_MS = 3_000;
/** Checks that only describe the deployment, and do not make it fail. */
const ONLY_SHOWN = new Set(["queue", "grader", "d1_reads"]);
const checks = z.record(z.string(), z.string());
/** What `GET /ready` returns: the first form if the Worker is ready, and otherwise an error with the checks. */
const report = z.union([z.object({ checks }), z.object({ error: z.object({ details: z.object({ checks }) }) })]);

/**
 * Waits until the deployed Worker reports that it is ready, and prints its checks. A new workers.dev name takes a while to resolve. A check
 * of {@link ONLY_SHOWN}, such as a long queue, does not fail the deployment.
 *
 * @returns The Worker's URL, or null if it has none.
 * @throws CommandError if another check still fails after half a minute.
 */
export async function awaitReadiness(urls: readonly string[], environment: string | null): Promise<string | null> {
	const [url] = urls;
	if (url === undefined) {
		console.log(
			"The Worker has no public URL yet, so its packages are not stored. Add a route or a custom domain (docs/pages/operating/deploying.mdx).",
		);
		return null;
	}
	let last = "no response";
	for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
		try {
			const response = await fetch(`${url}/ready`, { signal: AbortSignal.timeout(10_000) });
			const text = await response.text();
			last = `${response.status} ${text}`;
			const found = readChecks(text);
			if (found !== null && Object.entries(found).every(([name, check]) => check === "ok" || ONLY_SHOWN.has(name))) {
				const list = Object.entries(found).map(([name, check]) => `${name} ${check}`);
				console.log(`${url}/ready: ${list.join(", ")}.`);
				return url;
			}
		} catch (error) {
			last = error instanceof Error ? error.message : String(error);
		}
		await delay(PAUSE_MS);
	}
	throw new CommandError(`The Worker is deployed, but ${url}/ready says: ${last}. ${wayBack(environment)}`);
}

/** Has the deployed Worker store its packages, before another version replaces it. @throws CommandError if they are not stored. */
export async function keepPackages(url: string): Promise<void> {
	if (isCoreOnly()) return;
	const files = await storePackages(url, { attempts: ATTEMPTS });
	console.log(`The packages are stored: ${files.join(", ")}.`);
}

function wayBack(environment: string | null): string {
	const flag = environment === null ? "" : ` --env ${environment}`;
	return `Look at its log: npm run -s wrangler -- tail${flag}. To go back to the version before it: npm run -s wrangler -- rollback${flag} --durable-objects-code-update-mode immediate`;
}

/**
 * Runs the smoke test on the deployed Worker, in this terminal, unless the options exclude it.
 *
 * @throws CommandError if one of its steps fails.
 */
export async function runSmoke(url: string, { smoke, environment }: Pick<DeployOptions, "smoke" | "environment">): Promise<void> {
	if (smoke === "none") return;
	const args = ["--url", url, ...(smoke === "full" ? [] : ["--without-webhook"])];
	const code = await new Promise<number | null>((resolve, reject) => {
		const script = [...process.execArgv, join(PROJECT_ROOT, "scripts", "smoke.ts")];
		const child = spawn(process.execPath, [...script, ...args], { stdio: ["ignore", "inherit", "inherit"] });
		child.once("error", reject);
		child.once("close", resolve);
	});
	if (code !== 0) throw new CommandError(`The Worker is deployed, but its smoke test has failed. ${wayBack(environment)}`);
}

function readChecks(text: string): Record<string, string> | null {
	try {
		const body = report.parse(JSON.parse(text));
		return "checks" in body ? body.checks : body.error.details.checks;
	} catch {
		return null;
	}
}
