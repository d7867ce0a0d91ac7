// Runs the project's own commands as separate processes, as a user does.
import type { ChildProcess } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { cp, mkdtemp, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { withLock } from "../../scripts/setup/lock.mjs";
import { BINDINGS, listMigrations, MIGRATION_FOLDERS } from "../../scripts/support/databases.ts";
import { migrateLocally } from "../../scripts/support/local-database.ts";
import { findFreePort } from "../../scripts/support/platform.ts";
import { type CommandOptions, type CommandResult, runCommandLine, startCommand } from "../../scripts/support/run-command.ts";
import { PROJECT_ROOT as ROOT } from "../../scripts/support/wrangler.ts";
import { descendantsOf } from "./processes.ts";

const START_TIMEOUT_MS = 240_000;

export { type CommandResult, runCommandLine };

/** Runs one of `scripts/` with the project's Node. */
export function runScript(script: string, args: readonly string[] = [], options: CommandOptions = {}): Promise<CommandResult> {
	return runCommandLine([process.execPath, join(ROOT, "scripts", script), ...args], options);
}

/** Starts a script, and returns its output so far and a way to stop it. */
export function startScript(script: string, args: readonly string[], options: CommandOptions) {
	const { child, output, ended } = startCommand([process.execPath, join(ROOT, "scripts", script), ...args], options);
	return { ended, output: () => output.stdout, signal: (signal: NodeJS.Signals) => child.kill(signal) };
}

export interface Home {
	readonly port: number;
	readonly stateDir: string;
	readonly env: Readonly<Record<string, string>>;
	remove(): Promise<void>;
}

/** Creates a state folder with migrated and empty databases for one platform, and finds it a free port. */
export async function makeHome(): Promise<Home> {
	const stateDir = await mkdtemp(join(tmpdir(), "bounty-platform-test-"));
	await cp(await migrateOnce(), stateDir, { recursive: true });
	const port = await findFreePort();
	return {
		port,
		stateDir,
		// Other tests cover the documentation, and build it once.
		env: { PORT: String(port), STATE_DIR: stateDir, DOCS: "false" },
		remove: () => rm(stateDir, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 }),
	};
}

let migration: Promise<string> | null = null;

/**
 * Migrates empty databases once for all test files, because wrangler takes seconds for it. Clones of the project migrate their own. A
 * process asks for the lock only once, because waiting for it blocks the process, even if the process itself holds it.
 */
function migrateOnce(): Promise<string> {
	migration ??= migrateFolder();
	return migration;
}

async function migrateFolder(): Promise<string> {
	const migrations = BINDINGS.flatMap((binding) => {
		const folder = MIGRATION_FOLDERS[binding];
		return listMigrations(folder).map((file) => readFileSync(join(folder, file), "utf8"));
	});
	const name = createHash("sha256").update(migrations.join()).digest("hex").slice(0, 16);
	const migrated = join(ROOT, ".wrangler", "migrated", name);
	await withLock(`${migrated}.lock`, async () => {
		if (existsSync(migrated)) return;
		const unfinished = await mkdtemp(`${migrated}-`);
		await migrateLocally(unfinished);
		await rename(unfinished, migrated);
	});
	return migrated;
}

export interface StartedPlatform {
	readonly url: string;
	/** What the command printed until the platform was up. */
	readonly greeting: string;
	/** Requests a stop, as Ctrl-C or a service manager does. */
	stop(signal: "SIGINT" | "SIGTERM"): Promise<CommandResult>;
	/** Ends the command and all that it has started at once, as a power cut does. */
	kill(): Promise<void>;
}

/** Runs scripts/start.ts until it says where it runs. */
export async function startAtHome({ env }: Home): Promise<StartedPlatform> {
	const { child, output, ended } = startCommand([process.execPath, join(ROOT, "scripts", "start.ts")], { env });
	const url = await Promise.race([readAddress(child, output), ended.then(({ stderr }) => Promise.reject(new Error(stderr)))]);
	return {
		url,
		greeting: output.stdout,
		stop(signal) {
			child.kill(signal);
			return ended;
		},
		async kill() {
			const pids = [String(child.pid), ...descendantsOf(String(child.pid))];
			for (const pid of pids) process.kill(Number(pid), "SIGKILL");
			await ended;
		},
	};
}

function readAddress(child: ChildProcess, output: { readonly stdout: string }): Promise<string> {
	return new Promise((resolve, reject) => {
		const timer = setTimeout(() => {
			child.kill("SIGTERM");
			reject(new Error(`Not up after ${START_TIMEOUT_MS / 1000} s:\n${output.stdout}`));
		}, START_TIMEOUT_MS);
		child.stdout?.on("data", () => {
			const address = /runs at (http:[^\s,]+)/.exec(output.stdout)?.[1];
			// The whole greeting comes in one write, which ends with how to stop the platform.
			if (address === undefined || !output.stdout.includes("Ctrl-C")) return;
			clearTimeout(timer);
			resolve(address);
		});
	});
}

/** Returns the command lines of running processes that contain this text. */
export async function findProcesses(text: string): Promise<string[]> {
	const { stdout } = await runCommandLine(["ps", "-A", "-o", "stat=,args="]);
	return stdout.split("\n").filter((line) => line.includes(text) && !line.startsWith("Z"));
}
