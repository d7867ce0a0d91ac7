// npm run check runs all checks that do not run the code. All checks run; any fault fails the command.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { PROJECT_ROOT } from "./support/wrangler.ts";

const CHECKS: Readonly<Record<string, readonly [command: string, ...args: string[]]>> = {
	"Types (tsc)": ["tsc", "--noEmit"],
	"Types of what browsers run (tsc)": ["tsc", "--noEmit", "-p", "site/client"],
	"Types of the console (tsc)": ["tsc", "--noEmit", "-p", "console"],
	"Types of the SDK (tsc)": ["tsc", "--noEmit", "-p", "packages/sdk"],
	"Types of the command line (tsc)": ["tsc", "--noEmit", "-p", "packages/cli"],
	"Types of the Action (tsc)": ["tsc", "--noEmit", "-p", "packages/action"],
	"Style and lint (biome)": ["biome", "check", "."],
	"Plain English (prose)": ["node", "scripts/prose.ts"],
	"Unused code and dependencies (knip)": ["knip", "--no-progress"],
	"worker-configuration.d.ts is current": ["wrangler", "types", "--include-runtime=false", "--check", "worker-configuration.d.ts"],
	"docs/openapi.json is current": ["node", "scripts/openapi.ts", "--check"],
	"Bundle builds, within its budget": ["node", "scripts/deploy.ts", "--dry-run"],
};

/** Checks of a part that has its own packages run when these are installed, which `npm run docs` does. */
const DOCS_TYPES = { "Types of the documentation site (tsc)": ["tsc", "--noEmit", "-p", "docs-site"] } as const;
const hasDocsTypes = existsSync(join(PROJECT_ROOT, "docs-site", ".astro", "types.d.ts"));

const environment = {
	...process.env,
	WRANGLER_SEND_METRICS: "false",
	WRANGLER_HIDE_BANNER: "true",
};

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
}
