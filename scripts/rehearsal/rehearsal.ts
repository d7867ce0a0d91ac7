// A rehearsal works with two checkouts, a local platform, and an imitation of Cloudflare's API that uses its database.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findFreePort } from "../support/platform.ts";
import { type CommandResult, runCommandLine } from "../support/run-command.ts";
import type { CloudflareApi } from "./api-state.ts";
import { copyProject } from "./checkout.ts";
import { startCloudflareApi } from "./cloudflare-api.ts";
import { createDatabases, openDatabase } from "./databases.ts";
import type { Place, RunningPlatform } from "./platform.ts";

export interface Rehearsal {
	readonly api: CloudflareApi;
	/** This checkout is deployed first, and the one that replaces it. */
	readonly first: string;
	readonly second: string;
	/** The deployed platform has this URL. */
	readonly place: Place;
	/** This file has the secrets of the first deployment. */
	readonly secretsFile: string;
	/** This command plays Docker. By default it is missing, as on a machine without it. */
	readonly docker: string;
	/** This platform runs; null between two. */
	running: RunningPlatform | null;
	/** It runs when a Worker is uploaded. */
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
		...{ api, first, second, place, secretsFile: join(folder, "secrets.env"), docker: "/nowhere/docker" },
		running: null,
		onUpload: async () => undefined,
		async end() {
			await rehearsal.running?.stop();
			await api.close();
			await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
		},
	};
	return rehearsal;
}

/** Starts a second deployment of the same checkouts, in an account of its own and on a machine that plays Docker. The first one's platform plays its Worker. */
export async function prepareOther({ first, ...rehearsal }: Rehearsal): Promise<Rehearsal> {
	const docker = join(first, "docker.sh");
	await writeFile(docker, PLAYED_DOCKER, { mode: 0o755 });
	return { ...rehearsal, first, docker, api: await startCloudflareApi() };
}

/** Builds and pushes nothing, and describes each image as one that was pushed. */
const PLAYED_DOCKER = `#!/bin/sh
case "$1 $2 $5" in
*RepoDigests*) echo "[\\"\${3%:*}@sha256:$(printf '%064d' 1)\\"]" ;;
*Size*) echo "1000000 3" ;;
*) cat > /dev/null ;;
esac
`;

/** Runs a script of a checkout with its arguments. */
export interface Command {
	readonly root: string;
	readonly line: readonly [script: string, ...args: string[]];
}

/** Runs a command of a checkout against the imitation, as `npm run` does. */
export async function run({ api, place, docker }: Rehearsal, { root, line: [script, ...args] }: Command): Promise<CommandResult> {
	const route = ["--import", join(root, "scripts", "rehearsal", "route-to-local.mjs")];
	const env = {
		...api.env,
		WRANGLER_DOCKER_BIN: docker,
		REHEARSAL_URL: `http://127.0.0.1:${place.port}`,
		SECRETS_KEY: api.values.get("SECRETS_KEY") ?? "",
	};
	return runCommandLine([process.execPath, "--js-base-64", ...route, join(root, script), ...args], { env, cwd: root });
}

/** @throws Error with everything that the command said when it fails. */
export async function succeed(rehearsal: Rehearsal, command: Command): Promise<CommandResult> {
	const result = await run(rehearsal, command);
	if (result.code === 0) return result;
	throw new Error(`${command.line.join(" ")} ended with ${result.code}:\n${result.stdout}${result.stderr}`);
}
