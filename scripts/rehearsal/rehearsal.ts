// Prepares a rehearsal, which works with two checkouts, a local platform, and an imitation of Cloudflare's API that uses the platform's
// database.
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { findFreePort } from "../support/platform.ts";
import { type CommandResult, runCommandLine } from "../support/run-command.ts";
import type { CloudflareApi } from "./api-state.ts";
import { copyProject } from "./checkout.ts";
import { startCloudflareApi } from "./cloudflare-api.ts";
import { createDatabases, openDatabase } from "./databases.ts";
import type { PlatformPlace, RunningPlatform } from "./platform.ts";

export interface Rehearsal {
	readonly api: CloudflareApi;
	/** The checkout that is deployed first. The second one replaces it. */
	readonly first: string;
	readonly second: string;
	/** Where the deployed platform runs. */
	readonly place: PlatformPlace;
	/** The command that plays Docker. By default, it is missing, as on a machine without Docker. */
	readonly docker: string;
	/** The PATH of the commands that an operator types. */
	readonly path: string;
	/** The platform that is running. Null between two platforms. */
	running: RunningPlatform | null;
	/** The deployment's admin token. Empty before there is one. */
	adminToken: string;
	onUpload: () => Promise<void>;
	end(): Promise<void>;
}

export async function prepareRehearsal(): Promise<Rehearsal> {
	const folder = await mkdtemp(join(tmpdir(), "bounty-platform-rehearsal-"));
	const place = { port: await findFreePort(), stateDir: join(folder, "state") };
	const [first, second] = await Promise.all([copyProject(join(folder, "first")), copyProject(join(folder, "second"))]);
	await createDatabases(place.stateDir);
	const api = await startCloudflareApi({
		openDatabase: (name) => openDatabase(place.stateDir, name.endsWith("-search") ? "SEARCH" : "DB"),
		onUpload: () => rehearsal.onUpload(),
	});
	const rehearsal: Rehearsal = {
		...{ api, first, second, place, docker: "/nowhere/docker", path: await makePath(join(folder, "bin")) },
		running: null,
		adminToken: "",
		onUpload: async () => undefined,
		async end() {
			await rehearsal.running?.stop();
			await api.close();
			await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
		},
	};
	return rehearsal;
}

/**
 * Prepares a second deployment of the same checkouts, in another account and on a machine where a script plays Docker. The first
 * deployment's platform also plays the Worker of the second.
 */
export async function prepareOther({ first, ...rehearsal }: Rehearsal): Promise<Rehearsal> {
	const docker = join(first, "docker.sh");
	await writeFile(docker, PLAYED_DOCKER, { mode: 0o755 });
	return { ...rehearsal, first, docker, api: await startCloudflareApi() };
}

/** Plays `docker`: builds and pushes nothing, and describes each image as a pushed image. */
const PLAYED_DOCKER = `#!/bin/sh
case "$1 $2 $5" in
*RepoDigests*) echo "[\\"\${3%:*}@sha256:$(printf '%064d' 1)\\"]" ;;
*Size*) echo "1000000 3" ;;
*) cat > /dev/null ;;
esac
`;

/** Plays `npm`: runs what scripts/setup.mjs would run after preparing a checkout, which the rehearsal has done. */
const PLAYED_NPM = `#!/bin/sh
[ "$1" = run ] && shift
[ "$1" = -s ] && shift
name=$1
shift
[ "$1" = -- ] && shift
case $name in
wrangler) exec node node_modules/wrangler/bin/wrangler.js "$@" ;;
*) exec node --js-base-64 --import ./scripts/rehearsal/route-to-local.mjs "scripts/$name.ts" "$@" ;;
esac
`;

/** Puts the played npm before all others, together with the project's own Node. Returns the variable PATH. */
async function makePath(folder: string): Promise<string> {
	await mkdir(folder);
	await writeFile(join(folder, "npm"), PLAYED_NPM, { mode: 0o755 });
	return [folder, dirname(process.execPath), process.env["PATH"] ?? ""].join(delimiter);
}

/** What an operator types in a checkout, in the form of docs/pages/operating. test/e2e/rehearsal.test.ts compares them. */
export interface TypedCommand {
	readonly root: string;
	/** One line, or several for one shell. */
	readonly command: string;
	/** What the operator types as the command's input. */
	readonly input?: string;
	readonly env?: Readonly<Record<string, string>>;
}

/** Prints what is typed, and runs it against the imitation. */
export async function run(
	{ api, place, docker, path }: Rehearsal,
	{ root, command, input, env = {} }: TypedCommand,
): Promise<CommandResult> {
	for (const line of command.split("\n")) console.log(`    $ ${line}`);
	const played = {
		...api.env,
		PATH: path,
		// wrangler then asks nothing, and accepts its own defaults.
		CI: "true",
		WRANGLER_HIDE_BANNER: "true",
		WRANGLER_SEND_METRICS: "false",
		WRANGLER_DOCKER_BIN: docker,
		REHEARSAL_URL: `http://127.0.0.1:${place.port}`,
	};
	return runCommandLine(["sh", "-c", command], { env: { ...played, ...env }, cwd: root, ...(input === undefined ? {} : { input }) });
}

/** @throws Error with the command's whole output if it fails. */
export async function succeed(rehearsal: Rehearsal, typed: TypedCommand): Promise<CommandResult> {
	const result = await run(rehearsal, typed);
	if (result.code === 0) return result;
	throw new Error(`${typed.command} ended with ${result.code}:\n${result.stdout}${result.stderr}`);
}
