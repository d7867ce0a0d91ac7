// What a rehearsal works with: two checkouts, two local platforms, and an imitation of Cloudflare's API that uses their databases.
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { getPlatformProxy } from "wrangler";
import { findFreePort } from "../support/platform.ts";
import { type CommandResult, runCommandLine } from "../support/run-command.ts";
import type { CloudflareApi } from "./api-state.ts";
import { copyProject } from "./checkout.ts";
import { startCloudflareApi } from "./cloudflare-api.ts";
import { createDatabase, openDatabase } from "./databases.ts";
import type { Place, RunningPlatform } from "./platform.ts";

export interface Rehearsal {
	readonly api: CloudflareApi;
	/** The checkout that is deployed first, and the one that replaces it. */
	readonly first: string;
	readonly second: string;
	/** Where the deployed platform runs, and where its backup is restored. */
	readonly place: Place;
	readonly newPlace: Place;
	/** A copy of the bucket with the backups. */
	readonly backups: string;
	/** State folders on this machine: one that does not exist yet, and one with an empty database. */
	readonly localState: string;
	readonly oldState: string;
	/** The platform that runs; null between two. */
	running: RunningPlatform | null;
	/** What an upload of a Worker starts. */
	onUpload: () => Promise<void>;
	end(): Promise<void>;
}

/** The bucket of backups as the account has it, and as the local platform has it, which runs from the top level of wrangler.toml. */
const BACKUP_BUCKET = "bounty-platform-staging-backup";
const LOCAL_BACKUP_BUCKET = "bounty-platform-backup";

export async function prepareRehearsal(): Promise<Rehearsal> {
	const folder = await mkdtemp(join(tmpdir(), "bounty-platform-rehearsal-"));
	const backups = join(folder, "backups");
	const place = { port: await findFreePort(), stateDir: join(folder, "state") };
	const newPlace = { port: await findFreePort(), stateDir: join(folder, "new-state") };
	const [first, second] = await Promise.all([copyProject(join(folder, "first")), copyProject(join(folder, "second"))]);
	await createDatabase(place.stateDir);
	const oldState = join(folder, "old-state");
	for (const other of [newPlace.stateDir, oldState]) await cp(place.stateDir, other, { recursive: true });
	const api = await startCloudflareApi({
		openDatabase: (name) => openDatabase(name === "bounty-platform-production" ? newPlace.stateDir : place.stateDir),
		readObject: (bucket, key) => (bucket === BACKUP_BUCKET ? readFile(join(backups, key)).catch(() => null) : Promise.resolve(null)),
		onUpload: () => rehearsal.onUpload(),
	});
	const rehearsal: Rehearsal = {
		...{ api, first, second, place, newPlace, backups },
		localState: join(folder, "local-state"),
		oldState,
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

/** A script of a checkout with its arguments. */
export interface Command {
	readonly root: string;
	readonly line: readonly [script: string, ...args: string[]];
	readonly stateDir?: string;
}

/** Runs a command of a checkout against the imitation, as `npm run` does. */
export async function run({ api, place }: Rehearsal, { root, line: [script, ...args], stateDir }: Command): Promise<CommandResult> {
	const route = ["--import", join(root, "scripts", "rehearsal", "route-to-local.mjs")];
	const env = {
		...api.env,
		// As on a machine without Docker.
		WRANGLER_DOCKER_BIN: "/nowhere/docker",
		REHEARSAL_URL: `http://127.0.0.1:${place.port}`,
		...(stateDir === undefined ? {} : { STATE_DIR: stateDir }),
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

/** Copies the bucket with the backups to a folder, as rclone does, and every object to the new platform. */
export async function copyBuckets({ backups, place, newPlace }: Rehearsal): Promise<void> {
	const configPath = `${backups}.json`;
	const bucket = { binding: "BACKUPS", bucket_name: LOCAL_BACKUP_BUCKET };
	await writeFile(configPath, JSON.stringify({ name: "copy", compatibility_date: "2026-11-01", r2_buckets: [bucket] }));
	const proxy = await getPlatformProxy<{ BACKUPS: R2Bucket }>({
		configPath,
		persist: { path: join(place.stateDir, "v3") },
		remoteBindings: false,
	});
	try {
		const { objects } = await proxy.env.BACKUPS.list();
		for (const { key } of objects) {
			const object = await proxy.env.BACKUPS.get(key);
			await mkdir(dirname(join(backups, key)), { recursive: true });
			await writeFile(join(backups, key), new Uint8Array((await object?.arrayBuffer()) ?? new ArrayBuffer(0)));
		}
	} finally {
		await proxy.dispose();
	}
	await cp(join(place.stateDir, "v3", "r2"), join(newPlace.stateDir, "v3", "r2"), { recursive: true });
}
