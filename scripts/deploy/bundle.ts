// Builds and uploads the Worker, and reads the result from the report that wrangler writes for programs.
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { CommandError } from "../support/command.ts";
import { askWrangler } from "../support/wrangler.ts";
import { writeConfiguration } from "./container.ts";

const KILOBYTE = 1024;
/** Cloudflare allows 64 MB before compression, so this budget only stops code that would multiply the start-up time. A count does not depend on the machine. */
export const BUNDLE_BUDGET_KILOBYTES = 1024;
/** Cloudflare refuses a Worker whose start takes longer, and half of it is this project's budget. */
const STARTUP_LIMIT_MS = 1_000;
const STARTUP_BUDGET_MS = STARTUP_LIMIT_MS / 2;

const deployReport = z.object({
	type: z.literal("deploy"),
	version_id: z.string().nullable(),
	targets: z.array(z.string()).default([]),
	bundle_size: z.object({ raw_bytes: z.number(), gzip_bytes: z.number() }).optional(),
});

/**
 * Builds the Worker as for a deployment, starts it in the local runtime, and prints its size and the time of its start here. A busy
 * machine takes longer, so only the size is refused here, and the time at the upload counts.
 *
 * @throws CommandError if it does not build or is too large.
 */
export async function buildWorker(): Promise<void> {
	const folder = await mkdtemp(join(tmpdir(), "bounty-platform-bundle-"));
	// This configuration has no container, because wrangler would build its image even in a dry run.
	const configuration = await writeConfiguration({ isChosen: false, hasClass: false, jurisdiction: null });
	try {
		const bundle = join(folder, "worker.bundle");
		const { bundle_size } = (await runDeploy(["--dry-run", "--outfile", bundle, "--env", "", ...configuration.args])).report;
		const { raw_bytes = 0, gzip_bytes = 0 } = bundle_size ?? {};
		const kilobytes = gzip_bytes / KILOBYTE;
		const startupMs = await measureStartup(bundle, folder);
		const size = [
			`The Worker has ${kilobytes.toFixed(1)} KB (gzip) of at most ${BUNDLE_BUDGET_KILOBYTES} KB.`,
			`To start, it reads ${(raw_bytes / KILOBYTE).toFixed(1)} KB of code in ${startupMs ?? "more than 10,000"} ms on this machine. Cloudflare allows ${STARTUP_LIMIT_MS} ms.`,
		].join(" ");
		if (kilobytes > BUNDLE_BUDGET_KILOBYTES) throw new CommandError(`${size} Remove or replace what makes it so large.`);
		console.log(size);
	} finally {
		await configuration.end();
		await rm(folder, { recursive: true, force: true });
	}
}

/** Returns the milliseconds in which the local runtime works on the start of a built Worker, or null if wrangler stopped waiting for it. */
async function measureStartup(bundle: string, folder: string): Promise<number | null> {
	const { ok, output } = await askWrangler({
		args: ["check", "startup", "--worker", bundle, "--outfile", join(folder, "start.cpuprofile")],
	});
	// A very busy machine takes longer than wrangler waits, which says nothing about the Worker.
	if (output.includes("startup profiling timed out")) return null;
	const [, active] = /Active: ([\d.]+) ms/.exec(output) ?? [];
	if (!ok || active === undefined) throw new CommandError(`wrangler check startup failed:\n\n${output}`);
	return Math.round(Number(active));
}

/**
 * Uploads the Worker. wrangler provisions the bucket and the producers' queues that do not exist yet. It warns if Cloudflare needs long
 * to start it.
 */
export async function uploadWorker(args: readonly string[]): Promise<{ versionId: string; urls: string[] }> {
	const {
		report: { version_id, targets },
		output,
	} = await runDeploy(args);
	const startupMs = Number(/Worker Startup Time: (\d+) ms/.exec(output)?.[1] ?? 0);
	console.log(`Cloudflare has started the Worker in ${startupMs} ms.`);
	if (startupMs > STARTUP_BUDGET_MS)
		console.warn(`The budget is ${STARTUP_BUDGET_MS} ms, and Cloudflare refuses more than ${STARTUP_LIMIT_MS} ms.`);
	return { versionId: version_id ?? "unknown", urls: targets.filter((target) => target.startsWith("https://")) };
}

async function runDeploy(args: readonly string[]): Promise<{ report: z.output<typeof deployReport>; output: string }> {
	const folder = await mkdtemp(join(tmpdir(), "bounty-platform-deploy-"));
	const reportFile = join(folder, "report.ndjson");
	try {
		// scripts/wrangler-build.mjs refuses deployments that this command has not begun.
		const env = { WRANGLER_OUTPUT_FILE_PATH: reportFile, PLATFORM_DEPLOYS: "true" };
		const { ok, output } = await askWrangler({ args: ["deploy", "--minify", ...args], env });
		if (!ok) throw new CommandError(`wrangler deploy failed:\n\n${output}`);
		const lines = (await readFile(reportFile, "utf8")).trim().split("\n");
		const report = lines.map((line): unknown => JSON.parse(line)).find((entry) => deployReport.safeParse(entry).success);
		return { report: deployReport.parse(report), output };
	} finally {
		await rm(folder, { recursive: true, force: true });
	}
}
