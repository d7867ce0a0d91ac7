// Writes docs/openapi.json from the contracts, from it the generated files of the SDK and of the Python package, the bundle of the Action, and the tables on the page of settings. With
// --check it only says whether they are current.
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { bundleAction } from "../packages/action/build.mjs";
import { endpoints } from "../src/compose/endpoints.ts";
import { generateClientMethods } from "./openapi/client-methods.ts";
import { generateClientTexts } from "./openapi/client-texts.ts";
import { generateClientTypes } from "./openapi/client-types.ts";
import { buildOpenApiDocument } from "./openapi/document.ts";
import { generatePython } from "./openapi/python-methods.ts";
import { generatePythonRules } from "./openapi/python-secrets.ts";
import { SETTINGS_PAGE, writeSettings } from "./openapi/settings-page.ts";
import { PROJECT_ROOT } from "./support/wrangler.ts";

const GENERATED = "packages/sdk/src/generated";
const PYTHON = "packages/python/src/bounty_platform/generated";
const document = `${JSON.stringify(buildOpenApiDocument(endpoints), null, "\t")}\n`;
const python = generatePython(document);
const files = {
	"docs/openapi.json": document,
	[`${GENERATED}/methods.ts`]: generateClientMethods(document),
	[`${GENERATED}/texts.ts`]: generateClientTexts(document),
	[`${GENERATED}/schema.ts`]: await generateClientTypes(document),
	[`${PYTHON}/models.py`]: python.models,
	[`${PYTHON}/methods.py`]: python.methods,
	[`${PYTHON}/rules.py`]: generatePythonRules(),
	[SETTINGS_PAGE]: writeSettings(await readFile(join(PROJECT_ROOT, SETTINGS_PAGE), "utf8")),
};

/** The Action contains the client, so it is bundled after the client is written. */
const writeAll = async (texts: Readonly<Record<string, string>>) => {
	for (const [path, text] of Object.entries(texts)) await writeFile(join(PROJECT_ROOT, path), text);
};

if (process.argv.includes("--check")) {
	for (const [path, text] of Object.entries({ ...files, ...(await bundleAction()) })) {
		if ((await readFile(join(PROJECT_ROOT, path), "utf8").catch(() => "")) === text) continue;
		console.error(`${path} is stale. Run: npm run openapi`);
		process.exitCode = 1;
	}
} else {
	for (const folder of [GENERATED, PYTHON, "packages/action/bundle"]) await mkdir(join(PROJECT_ROOT, folder), { recursive: true });
	await writeAll(files);
	await writeAll(await bundleAction());
	console.log(`Wrote ${Object.keys(files).join(", ")} with ${endpoints.length} endpoints.`);
}
