// Writes docs/openapi.json from the contracts, and from it the generated files of the SDK. With --check it only says whether they are
// current.
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { endpoints } from "../src/compose/endpoints.ts";
import { generateClientMethods } from "./openapi/client-methods.ts";
import { generateClientTypes } from "./openapi/client-types.ts";
import { buildOpenApiDocument } from "./openapi/document.ts";
import { ALL_NOTES } from "./openapi/notes/all.ts";
import { PROJECT_ROOT } from "./support/wrangler.ts";

const GENERATED = "packages/sdk/src/generated";
const contracts = endpoints;
const document = `${JSON.stringify(buildOpenApiDocument(contracts, ALL_NOTES), null, "\t")}\n`;
const files = {
	"docs/openapi.json": document,
	[`${GENERATED}/methods.ts`]: generateClientMethods(document),
	[`${GENERATED}/schema.ts`]: await generateClientTypes(document),
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
	console.log(`Wrote ${Object.keys(files).join(", ")} with ${endpoints.length} endpoints.`);
}
