// Builds everything static that the Worker serves into dist/site/. scripts/setup.mjs runs it when a source has changed.
import { join } from "node:path";
import { buildHtml } from "../site/build.ts";
import { buildPublicAssets } from "../site/public-assets.ts";
import { buildHandbookFile } from "./handbook/handbook.ts";
import { buildAgentFiles } from "./site/agents.ts";
import { buildConsole } from "./site/console.ts";
import { buildOpenApiFile } from "./site/openapi.ts";
import { buildPagesFile, readPages } from "./site/pages.ts";
import { replaceFiles, type SiteFiles } from "./site/site-files.ts";
import { runCommand } from "./support/command.ts";
import { PROJECT_ROOT } from "./support/wrangler.ts";

await runCommand(async () => {
	const library = await readPages(join(PROJECT_ROOT, "docs", "pages"));
	const parts = [
		await buildOpenApiFile(),
		buildPagesFile(library),
		await buildAgentFiles(library),
		buildHandbookFile(),
		await buildHtml(library),
		await buildConsole(),
		await buildPublicAssets(),
	];
	const files: SiteFiles = new Map(parts.flatMap((part) => [...part]));
	await replaceFiles(join(PROJECT_ROOT, "dist", "site"), files);
});
