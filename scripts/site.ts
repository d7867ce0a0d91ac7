// Builds everything static that the Worker serves into dist/site/. scripts/setup.mjs runs it when a source has changed.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { buildPublicAssets } from "../site/public-assets.ts";
import { buildHandbookFile } from "./handbook/handbook.ts";
import { isCoreOnly } from "./setup/extensions.mjs";
import { buildAgentFiles, fillSizes } from "./site/agents.ts";
import { buildConsole } from "./site/console.ts";
import { SITE_FOLDER } from "./site/fingerprint.mjs";
import { buildOpenApiFile } from "./site/openapi.ts";
import { buildOperationsFile } from "./site/operations.ts";
import { buildPackages } from "./site/packages.ts";
import { appendPage, buildPagesFile, type Library, parseChangelog, readPages } from "./site/pages.ts";
import { buildPendingPage } from "./site/pending-docs.ts";
import { replaceFiles, type SiteFiles } from "./site/site-files.ts";
import { buildToolsFile } from "./site/tools.ts";
import { runCommand } from "./support/command.ts";
import { PROJECT_ROOT } from "./support/wrangler.ts";

await runCommand(async () => {
	const changelog = parseChangelog(await readFile(join(PROJECT_ROOT, "CHANGELOG.md"), "utf8"));
	const library = appendPage(await readPages(join(PROJECT_ROOT, "docs", "pages")), changelog);
	const ofCore = [await buildOpenApiFile(), buildPagesFile(library), buildHandbookFile(), buildPendingPage(library)];
	const parts = isCoreOnly() ? ofCore : [...ofCore, ...(await buildFilesOfExtensions(library))];
	const files: SiteFiles = new Map(parts.flatMap((part) => [...part]));
	if (!isCoreOnly()) fillSizes(files, library);
	// scripts/docs.ts builds docs/.
	await replaceFiles(join(PROJECT_ROOT, SITE_FOLDER), files, { keep: "docs/" });
});

async function buildFilesOfExtensions(library: Library): Promise<SiteFiles[]> {
	const ofMcp = [buildOperationsFile(), buildToolsFile()];
	const ofPages = [await buildConsole(), await buildPublicAssets()];
	const ofDoors = [await buildAgentFiles(library), await buildPackages()];
	return [...ofMcp, ...ofPages, ...ofDoors];
}
