// npm run check runs all checks that do not run the code. All checks run; any fault fails the command.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { refuseOwnValues } from "./setup/own-values.ts";
import { PROJECT_ROOT } from "./support/wrangler.ts";

type Command = readonly [name: string, ...args: string[]];

const BINDINGS = "src/worker-configuration.d.ts";

const CHECKS: Readonly<Record<string, Command>> = {
	"Types (tsc)": typesOf("."),
	"Types of the core (tsc)": typesOf("scripts/check/tsconfig.core.json"),
	"Types of what browsers run (tsc)": typesOf("site/client"),
	"Types of the console (tsc)": typesOf("console"),
	"Types of the SDK (tsc)": typesOf("packages/sdk"),
	"Types of the command line (tsc)": typesOf("packages/cli"),
	"Types of the Action (tsc)": typesOf("packages/action"),
	"Style and lint (biome)": ["biome", "check", "."],
	"Plain English (prose)": ["node", "scripts/prose.ts"],
	"Unused code and dependencies (knip)": ["knip", "--config", "scripts/check/knip.json", "--no-progress"],
	"src/worker-configuration.d.ts is current": ["wrangler", "types", "--include-runtime=false", "--check", BINDINGS],
	"docs/openapi.json is current": ["node", "scripts/openapi.ts", "--check"],
	"docs/verbs.json is current": ["node", "scripts/verbs.ts", "--check"],
	"Bundle builds, within its budget": ["node", "scripts/deploy.ts", "--dry-run"],
};

/** Commands of this project that repair what a check finds. The tools themselves do not know them. */
const CURES: Readonly<Record<string, string>> = {
	"Style and lint (biome)": "npm run fix",
	"src/worker-configuration.d.ts is current": `npm run wrangler -- types --include-runtime=false ${BINDINGS}`,
};

/** Checks of the documentation site, which has its own packages. They run only if `npm run docs` has installed these. */
const DOCS_TYPES = { "Types of the documentation site (tsc)": typesOf("docs-site") };
const hasDocsTypes = existsSync(join(PROJECT_ROOT, "docs-site", ".astro", "types.d.ts"));

/**
 * Checks types with one checker, which needs half the processor time and memory of the four that tsc uses by default, because each of the
 * four checks the shared files. Stores what the next check can reuse, except in `.ci/run`, which has no next check: storing takes a fifth
 * longer.
 */
function typesOf(folder: string): Command {
	const stored = `node_modules/.cache/tsc/${folder.replaceAll(/\W/g, "_")}.tsbuildinfo`;
	const storing = process.env["CI"] === "true" ? [] : ["--incremental", "--tsBuildInfoFile", stored];
	return ["tsc", "--noEmit", "-p", folder, "--checkers", "1", ...storing];
}

const environment = {
	...process.env,
	WRANGLER_SEND_METRICS: "false",
	WRANGLER_HIDE_BANNER: "true",
	// Collecting garbage takes a third of tsc's time. Without it, tsc needs 2.7 GB instead of 2.2 GB.
	GOGC: "off",
};

try {
	refuseOwnValues(PROJECT_ROOT);
} catch (error) {
	console.error(error instanceof Error ? error.message : error);
	process.exit(1);
}

for (const [title, [command, ...args]] of Object.entries({ ...CHECKS, ...(hasDocsTypes ? DOCS_TYPES : {}) })) {
	const { status, stdout, stderr, error } = spawnSync(join(PROJECT_ROOT, "node_modules", ".bin", command), args, {
		cwd: PROJECT_ROOT,
		encoding: "utf8",
		env: environment,
		maxBuffer: 1 << 28,
		stdio: ["ignore", "pipe", "pipe"],
	});
	console.log(`${status === 0 ? "ok    " : "FAILED"}  ${title}`);
	if (status === 0) continue;
	process.exitCode = 1;
	console.log(`\n${error?.message ?? `${stdout}${stderr}`.trim()}\n`);
	const cure = CURES[title];
	if (cure !== undefined) console.log(`Run: ${cure}\n`);
}
