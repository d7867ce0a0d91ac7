// npm run docs builds the documentation for people (docs-site/) into dist/site/docs/ if one of its sources has changed. The documentation
// has its own packages, so that neither installing the platform nor its checks wait for them.
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { withLock } from "./setup/lock.mjs";
import { INSTALL_WITHOUT_SAVING, installPackages, isInstalled } from "./setup/packages.mjs";
import { DOCS, fingerprintSources, isBuiltFrom, recordBuild, STAGED_DOCS } from "./site/fingerprint.mjs";
import { readFiles, replaceFiles } from "./site/site-files.ts";
import { CommandError, runCommand } from "./support/command.ts";
import { PROJECT_ROOT } from "./support/wrangler.ts";

const FOLDER = join(PROJECT_ROOT, "docs-site");
const LOCK = join(PROJECT_ROOT, ".wrangler", "docs.lock");
/** Where files are written first. It is outside of dist/site, which wrangler may be reading. */
const STAGING = join(PROJECT_ROOT, "dist", `docs.${process.pid}`);

/** With `--staged`, the files go to a folder where a running platform finds them without a restart. */
const [target, folder] = process.argv.includes("--staged")
	? [STAGED_DOCS, join(PROJECT_ROOT, "dist", "docs-staged")]
	: [DOCS, join(PROJECT_ROOT, "dist", "site", "docs")];

await runCommand(async () => {
	const fingerprint = fingerprintSources(PROJECT_ROOT, target);
	if (isBuiltFrom(PROJECT_ROOT, target, fingerprint)) return;
	await withLock(LOCK, async () => {
		if (isBuiltFrom(PROJECT_ROOT, target, fingerprint)) return;
		install();
		build();
		await replaceFiles(folder, await readFiles(join(FOLDER, "dist")), { staging: STAGING });
		recordBuild(PROJECT_ROOT, target, fingerprint);
	});
});

function install(): void {
	if (isInstalled(FOLDER)) return;
	console.log("Installing the packages of the documentation (npm install in docs-site), once: this takes up to a minute.");
	const fault = installPackages(FOLDER, INSTALL_WITHOUT_SAVING);
	if (fault !== null) throw new CommandError(fault);
}

function build(): void {
	console.log("Building the documentation.");
	// A test runner sets these variables and NODE_ENV. Vite would use BASE_URL as the site's base, and the others would disable the search.
	const { BASE_URL: _base, DEV: _dev, MODE: _mode, PROD: _prod, SSR: _ssr, ...environment } = process.env;
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
