// npm run docs: builds the documentation for people (docs-site/) into dist/site/docs/, when one of its sources has changed.
// It has its own packages, so that neither installing the platform nor its checks wait for them.
import { spawnSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { withLock } from "./setup/lock.mjs";
import { INSTALL_WITHOUT_SAVING, installPackages, isInstalled } from "./setup/packages.mjs";
import { DOCS, fingerprintSources, isBuiltFrom, recordBuild } from "./site/fingerprint.mjs";
import { listFiles, replaceFiles, type SiteFiles } from "./site/site-files.ts";
import { CommandError, runCommand } from "./support/command.ts";
import { PROJECT_ROOT } from "./support/wrangler.ts";

const FOLDER = join(PROJECT_ROOT, "docs-site");
const LOCK = join(PROJECT_ROOT, ".wrangler", "docs.lock");

await runCommand(async () => {
	const fingerprint = fingerprintSources(PROJECT_ROOT, DOCS);
	if (isBuiltFrom(PROJECT_ROOT, DOCS, fingerprint)) return;
	await withLock(LOCK, async () => {
		if (isBuiltFrom(PROJECT_ROOT, DOCS, fingerprint)) return;
		install();
		build();
		await replaceFiles(join(PROJECT_ROOT, "dist", "site", "docs"), await readFiles(join(FOLDER, "dist")));
		recordBuild(PROJECT_ROOT, DOCS, fingerprint);
	});
});

function install(): void {
	if (isInstalled(FOLDER)) return;
	console.log("Installing what the documentation is built with (npm install in docs-site), once: this takes up to a minute.");
	const fault = installPackages(FOLDER, INSTALL_WITHOUT_SAVING);
	if (fault !== null) throw new CommandError(fault);
}

function build(): void {
	console.log("Building the documentation.");
	// A test runner sets BASE_URL, which Vite would use as the site's base, and NODE_ENV, which would leave out the search.
	const { BASE_URL: _, ...environment } = process.env;
	const { status, stdout, stderr, error } = spawnSync(
		process.execPath,
		[join(FOLDER, "node_modules", "astro", "bin", "astro.mjs"), "build"],
		{
			cwd: FOLDER,
			encoding: "utf8",
			env: { ...environment, NODE_ENV: "production", ASTRO_TELEMETRY_DISABLED: "1", NO_COLOR: "1" },
			maxBuffer: 1 << 28,
		},
	);
	if (status !== 0) throw new CommandError(`Building the documentation failed:\n\n${error?.message ?? `${stdout}${stderr}`}`);
}

/** Pages come last, so that none refers to a file that is not there yet. */
async function readFiles(folder: string): Promise<SiteFiles> {
	const paths = await listFiles(folder);
	const ordered = [...paths.filter((path) => !path.endsWith(".html")), ...paths.filter((path) => path.endsWith(".html"))];
	const files: SiteFiles = new Map();
	for (const path of ordered) files.set(path, await readFile(join(folder, path)));
	return files;
}
