// Builds the console with Vite. The console's files are in console/ on the site.
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { PROJECT_ROOT } from "../support/wrangler.ts";
import { listFiles, type SiteFiles } from "./site-files.ts";

const OUTPUT = join(PROJECT_ROOT, "dist", "console");

/** Builds the console, and returns its files with their paths in the site. */
export async function buildConsole(): Promise<SiteFiles> {
	await runVite();
	const paths = await listFiles(OUTPUT);
	const files = paths.map(async (path) => [`console/${path}`, await readFile(join(OUTPUT, path))] as const);
	return new Map(await Promise.all(files));
}

async function runVite(): Promise<void> {
	const command = join(PROJECT_ROOT, "node_modules", ".bin", "vite");
	const options = { cwd: join(PROJECT_ROOT, "console"), env: { ...process.env, NODE_ENV: "production" } };
	await promisify(execFile)(command, ["build", "--logLevel", "warn"], options);
}
