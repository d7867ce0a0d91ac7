// Builds the console with Vite and the types of its API client with openapi-typescript. The site has the console's files below console/.
import { execFile } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import generate, { astToString } from "openapi-typescript";
import { PROJECT_ROOT } from "../support/wrangler.ts";
import { listFiles, type SiteFiles } from "./site-files.ts";

const OUTPUT = join(PROJECT_ROOT, "dist", "console");
const TYPES = join(PROJECT_ROOT, "dist", "types", "openapi.d.ts");

/** Builds the console, and returns its files with their paths in the site. */
export async function buildConsole(): Promise<SiteFiles> {
	await Promise.all([writeApiTypes(), runVite()]);
	const paths = await listFiles(OUTPUT);
	const files = paths.map(async (path) => [`console/${path}`, await readFile(join(OUTPUT, path))] as const);
	return new Map(await Promise.all(files));
}

/** Writes the types of the API, which `tsc -p console` reads. Fields with a default stay optional in requests. */
async function writeApiTypes(): Promise<void> {
	const document = JSON.parse(await readFile(join(PROJECT_ROOT, "docs", "openapi.json"), "utf8"));
	const text = astToString(await generate(document, { defaultNonNullable: false }));
	await mkdir(dirname(TYPES), { recursive: true });
	await writeFile(TYPES, text);
}

async function runVite(): Promise<void> {
	const command = join(PROJECT_ROOT, "node_modules", ".bin", "vite");
	const options = { cwd: join(PROJECT_ROOT, "console"), env: { ...process.env, NODE_ENV: "production" } };
	await promisify(execFile)(command, ["build", "--logLevel", "warn"], options);
}
