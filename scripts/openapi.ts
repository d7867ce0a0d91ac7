// Writes docs/openapi.json from the contracts. With --check it only says whether the file is current.
import { readFile, writeFile } from "node:fs/promises";
import { endpoints } from "../src/compose/endpoints.ts";
import { buildOpenApiDocument } from "./openapi/document.ts";
import { ALL_NOTES } from "./openapi/notes/all.ts";

const file = new URL("../docs/openapi.json", import.meta.url).pathname;
const contracts = endpoints.map(({ contract }) => contract);
const document = `${JSON.stringify(buildOpenApiDocument(contracts, ALL_NOTES), null, "\t")}\n`;

if (process.argv.includes("--check")) {
	if ((await readFile(file, "utf8")) !== document) {
		console.error("docs/openapi.json is stale. Run: npm run openapi");
		process.exitCode = 1;
	}
} else {
	await writeFile(file, document);
	console.log(`Wrote docs/openapi.json with ${endpoints.length} endpoints.`);
}
