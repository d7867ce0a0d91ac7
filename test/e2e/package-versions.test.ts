// Tests that a project with a lock file is installed again after the platform was deployed with other packages.
import { createHash } from "node:crypto";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import * as z from "zod";
import { type Clone, type CloneProcess, makeClone } from "../support/clone.ts";
import { type Home, makeHome, runCommandLine, type StartedPlatform, startAtHome } from "../support/commands.ts";

const TIMEOUT_MS = 600_000;
const START_TIMEOUT_MS = 240_000;
/** The packages name the repository, so this makes packages with other bytes and other versions. */
const OTHER = { PACKAGE_REPOSITORY: "https://git.example/acme/bounties" };
const index = z.object({ packages: z.array(z.object({ name: z.string(), version: z.string(), url: z.string(), integrity: z.string() })) });
const lockFile = z.object({
	packages: z.record(z.string(), z.object({ version: z.string().optional(), integrity: z.string().optional() })),
});

let home: Home;
let clone: Clone;
let folder: string;
/** This project names the URL that follows the deployment. */
let looseFolder: string;

beforeAll(async () => {
	[home, clone] = await Promise.all([makeHome(), makeClone()]);
	[folder, looseFolder] = [await makeProject(), await makeProject()];
}, TIMEOUT_MS);

afterAll(async () => {
	for (const place of [home, clone]) await place?.remove();
	for (const each of [folder, looseFolder]) if (each !== undefined) await rm(each, { recursive: true, force: true });
});

async function makeProject(): Promise<string> {
	const project = await mkdtemp(join(tmpdir(), "bounty-lock-"));
	await writeFile(join(project, "package.json"), JSON.stringify({ private: true, type: "module" }));
	return project;
}

/** Runs a command in a project, which can reach no registry. Its cache is its own. */
function runIn(project: string, ...command: readonly [string, ...string[]]) {
	const env = { ...process.env, npm_config_registry: "http://127.0.0.1:9", npm_config_cache: join(project, "cache"), HOME: project };
	return runCommandLine(command, { cwd: project, env });
}

const install = (project: string, ...urls: readonly string[]) => runIn(project, "npm", "install", ...urls, "--no-audit", "--no-fund");

/** Installs what the lock file says, as on another machine. */
async function installAgain(project: string) {
	for (const path of ["cache", "node_modules"]) await rm(join(project, path), { recursive: true, force: true });
	return runIn(project, "npm", "ci", "--no-audit", "--no-fund");
}

async function listPackages(url: string) {
	return index.parse(await (await fetch(`${url}/packages/index.json`)).json()).packages;
}

async function integrityOf(url: string): Promise<string> {
	const response = await fetch(url);
	expect({ url, status: response.status }).toEqual({ url, status: 200 });
	const bytes = new Uint8Array(await response.arrayBuffer());
	return `sha512-${createHash("sha512").update(bytes).digest("base64")}`;
}

/** Deploys the clone, whose packages differ, over the storage of the first platform. */
async function deployOther(url: string): Promise<CloneProcess> {
	const other = clone.start(["npm", "start"], { ...home.env, ...OTHER });
	const isUp = () => other.output().includes("Ctrl-C");
	for (const giveUpAt = performance.now() + START_TIMEOUT_MS; !isUp(); await delay(250)) {
		if (other.exitCode() === undefined && performance.now() < giveUpAt) continue;
		await other.stop();
		throw new Error(other.output());
	}
	expect(other.output()).toContain(`The platform runs at ${url}`);
	return other;
}

it(
	"a lock file goes on working after the next deployment, although no one had asked for all of its packages",
	async () => {
		const first: StartedPlatform = await startAtHome(home);
		const packages = await listPackages(first.url);
		// Only the SDK and the command line are installed. The start has stored the wheel too.
		const [sdk, cli] = packages.map(({ url }) => url);
		expect(await install(folder, sdk ?? "", cli ?? "")).toMatchObject({ code: 0 });
		expect(await install(looseFolder, `${first.url}/packages/sdk.tgz`)).toMatchObject({ code: 0 });
		const lock = await readFile(join(folder, "package-lock.json"), "utf8");
		await first.stop("SIGTERM");

		const second = await deployOther(first.url);
		try {
			const others = await listPackages(first.url);
			expect(others.map(({ name }) => name)).toEqual(packages.map(({ name }) => name));
			const known = new Set(packages.flatMap(({ version, url, integrity }) => [version, url, integrity]));
			for (const { version, url, integrity } of others) {
				expect([version, url, integrity].filter((value) => known.has(value))).toEqual([]);
				expect({ url, integrity: await integrityOf(url) }).toEqual({ url, integrity });
			}
			for (const { url, integrity } of packages) expect({ url, integrity: await integrityOf(url) }).toEqual({ url, integrity });

			expect(await installAgain(folder)).toMatchObject({ code: 0 });
			expect(await readFile(join(folder, "package-lock.json"), "utf8")).toBe(lock);
			const { packages: installed } = lockFile.parse(
				JSON.parse(await readFile(join(folder, "node_modules", ".package-lock.json"), "utf8")),
			);
			for (const { name, version, integrity } of packages.slice(0, 2)) {
				expect(installed[`node_modules/${name}`]).toMatchObject({ version, integrity });
			}
			const program = 'import { BountyClient } from "@bounty-platform/sdk"; console.log(typeof BountyClient);';
			expect(await runIn(folder, "node", "--input-type=module", "-e", program)).toMatchObject({ code: 0, stdout: "function\n" });

			// The guide says so.
			const refused = await installAgain(looseFolder);
			expect({ code: refused.code, isWrongHash: refused.stderr.includes("EINTEGRITY") }).toEqual({ code: 1, isWrongHash: true });
		} finally {
			await second.stop();
		}
	},
	TIMEOUT_MS,
);
