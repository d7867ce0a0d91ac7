// Lints docs/openapi.json with Spectral's rules for OpenAPI, but not with Spectral's own command, which reads JSON as YAML and fails on
// the tabs of a document of this size.
import { readFile } from "node:fs/promises";
import { Ruleset, Spectral } from "@stoplight/spectral-core";
import { oas } from "@stoplight/spectral-rulesets";

const file = new URL("../docs/openapi.json", import.meta.url).pathname;

const linter = new Spectral();
linter.setRuleset(new Ruleset({ extends: [[oas, "recommended"]] }));
const findings = await linter.run(JSON.parse(await readFile(file, "utf8")));

for (const { code, path, message } of findings) console.error(`${code} at ${path.join(".")}: ${message}`);
console.log(`Spectral has ${findings.length} findings in docs/openapi.json.`);
if (findings.length > 0) process.exitCode = 1;
