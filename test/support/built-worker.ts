// Builds the Worker once for all test files that start it, because wrangler takes seconds for each build.
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { writeConfiguration } from "../../scripts/deploy/container.ts";
import { withLock } from "../../scripts/setup/lock.mjs";
import { fingerprintSources, WHOLE_SITE } from "../../scripts/site/fingerprint.mjs";
import { askWrangler, PROJECT_ROOT } from "../../scripts/support/wrangler.ts";
import { DAY_MS } from "./times.ts";

const FOLDER = join(PROJECT_ROOT, ".wrangler", "test-worker");
const SOURCES = { ...WHOLE_SITE, sources: [...WHOLE_SITE.sources, "wrangler.toml"] };

let build: Promise<string> | null = null;

/**
 * Returns the folder with the Worker that was built from the present sources. A process asks for the lock only once, because waiting for it
 * blocks the process.
 */
export function buildWorkerOnce(): Promise<string> {
	build ??= findOrBuild();
	return build;
}

async function findOrBuild(): Promise<string> {
	const built = join(FOLDER, fingerprintSources(PROJECT_ROOT, SOURCES).slice(0, 16));
	await withLock(`${FOLDER}.lock`, async () => {
		if (existsSync(built)) return;
		await mkdir(FOLDER, { recursive: true });
		await removeOld();
		const unfinished = await mkdtemp(join(FOLDER, "new-"));
		await buildInto(unfinished);
		await rename(unfinished, built);
	});
	return built;
}

/** Other processes may still start servers from the Worker of earlier sources, so a build stays for a day. */
async function removeOld(): Promise<void> {
	for (const name of await readdir(FOLDER)) {
		const folder = join(FOLDER, name);
		const { mtimeMs } = await stat(folder);
		if (mtimeMs < Date.now() - DAY_MS) await rm(folder, { recursive: true, force: true });
	}
}

async function buildInto(folder: string): Promise<void> {
	// wrangler would build the image of a container even in a dry run.
	const { args, end } = await writeConfiguration({ isChosen: false, hasClass: false, jurisdiction: null });
	try {
		const env = { PLATFORM_DEPLOYS: "true" };
		const { ok, output } = await askWrangler({ args: ["deploy", "--dry-run", "--minify", "--outdir", folder, "--env", "", ...args], env });
		if (!ok) throw new Error(`The Worker was not built:\n\n${output}`);
		// At each start, wrangler parses the entry to see which kind of module it is, so the entry only names the module with the code.
		await rename(join(folder, "index.js"), join(folder, "worker.mjs"));
		await writeFile(join(folder, "index.js"), 'export * from "./worker.mjs";\nexport { default } from "./worker.mjs";\n');
	} finally {
		await end();
	}
}
