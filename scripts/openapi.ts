// Writes docs/openapi.json from the contracts, from it the generated files of the SDK, and the tables on the page of settings. With
// --check it only says whether they are current.
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { generateClientMethods } from "./openapi/client-methods.ts";
import { generateClientTexts } from "./openapi/client-texts.ts";
import { generateClientTypes } from "./openapi/client-types.ts";
import { buildOpenApiDocument } from "./openapi/document.ts";
import { describedEndpoints } from "./openapi/notes/all.ts";
import { SETTINGS_PAGE, writeSettings } from "./openapi/settings-page.ts";
import { PROJECT_ROOT } from "./support/wrangler.ts";

const GENERATED = "packages/sdk/src/generated";
const document = `${JSON.stringify(buildOpenApiDocument(describedEndpoints), null, "\t")}\n`;
const files = {
	"docs/openapi.json": document,
	[`${GENERATED}/methods.ts`]: generateClientMethods(document),
	[`${GENERATED}/texts.ts`]: generateClientTexts(document),
	[`${GENERATED}/schema.ts`]: await generateClientTypes(document),
	[SETTINGS_PAGE]: writeSettings(await readFile(join(PROJECT_ROOT, SETTINGS_PAGE), "utf8")),
};

if (process.argv.includes("--check")) {
	for (const [path, text] of Object.entries(files)) {
		if ((await readFile(join(PROJECT_ROOT, path), "utf8").catch(() => "")) === text) continue;
		console.error(`${path} is stale. Run: npm run openapi`);
		process.exitCode = 1;
	}
} else {
	await mkdir(join(PROJECT_ROOT, GENERATED), { recursive: true });
	for (const [path, text] of Object.entries(files)) await writeFile(join(PROJECT_ROOT, path), text);
	console.log(`Wrote ${Object.keys(files).join(", ")} with ${describedEndpoints.length} endpoints.`);
}
