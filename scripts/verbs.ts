// Writes docs/verbs.json: what Workers send to objects, by verb and number. With --check, only says whether the file is current. In both
// cases, fails if a type has changed under the same number, because during a deployment Workers and objects run different versions.
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import ts from "typescript";
import { PROJECT_ROOT } from "./support/wrangler.ts";
import { findChangedInputs } from "./verbs/compare-inputs.ts";
import { type Inputs, readInputs } from "./verbs/read-inputs.ts";

const FILE = join(PROJECT_ROOT, "docs", "verbs.json");
/** The files from which all verbs and classes can be reached through imports. */
const ENTRIES = ["src/worker-configuration.d.ts", "src/index.ts"];

function readProgram(): ts.Program {
	const { config } = ts.readConfigFile(join(PROJECT_ROOT, "tsconfig.json"), ts.sys.readFile);
	const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, PROJECT_ROOT);
	return ts.createProgram({ rootNames: ENTRIES.map((path) => join(PROJECT_ROOT, path)), options });
}

const stored = await readFile(FILE, "utf8").catch(() => "{}");
const before: Inputs = JSON.parse(stored);
const after = readInputs(readProgram());
const text = `${JSON.stringify(after, null, 1)}\n`;
const changed = findChangedInputs(before, after);
if (changed.length > 0) {
	console.error(`These have another input than before: ${changed.join(", ")}.`);
	console.error(
		'Give a verb the next number, as in taskVerb("name@2", …), and a method a new name. An added field may be optional instead.',
	);
	process.exitCode = 1;
} else if (!process.argv.includes("--check")) {
	await writeFile(FILE, text);
	console.log(`Wrote docs/verbs.json with ${Object.keys(after).length} verbs and methods.`);
} else if (text !== stored) {
	console.error("docs/verbs.json is stale. Run: npm run verbs");
	process.exitCode = 1;
}
