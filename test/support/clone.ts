// Provides a fresh clone of this project after `npm install`, and commands that run in it as a developer runs them.
import { type ChildProcess, spawn } from "node:child_process";
import { cp, mkdtemp, realpath, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { runCommandLine } from "./commands.ts";
import { findProcessesWith } from "./processes.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url).href);
/** Longer than `npm start` takes to end its runtime, which has its own process group. */
const STOP_TIMEOUT_MS = 20_000;
/** Every process that a clone has started inherits this variable, even if its parent and its group have changed. */
const MARK = "BOUNTY_PLATFORM_CLONE";

export interface CloneProcess {
	/** Returns the output so far, of both streams. */
	output(): string;
	/** Returns the exit code once the process has ended, null after a signal, and undefined before. */
	exitCode(): number | null | undefined;
	/** Ends the process and everything that it started. */
	stop(): Promise<void>;
}

export interface Clone {
	readonly path: string;
	start(command: readonly [string, ...string[]], env?: Readonly<Record<string, string>>): CloneProcess;
	/** Returns the ids of running processes that it has started. */
	processes(): number[];
	remove(): Promise<void>;
}

/** Copies the files that git has or would add, so that uncommitted changes are tested too. The dependencies are shared. */
export async function makeClone(): Promise<Clone> {
	const path = await realpath(await mkdtemp(join(tmpdir(), "bounty-platform-clone-")));
	const { stdout } = await runCommandLine(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate"]);
	const { stdout: deleted } = await runCommandLine(["git", "ls-files", "-z", "--deleted"]);
	const gone = new Set(deleted.split("\0"));
	const files = stdout.split("\0").filter((file) => file !== "" && !gone.has(file));
	for (const file of files) await cp(join(ROOT, file), join(path, file));
	await symlink(join(ROOT, "node_modules"), join(path, "node_modules"));
	return {
		path,
		start: ([command, ...args], env = {}) => {
			const child = spawn(command, args, {
				cwd: path,
				env: { ...developerEnvironment(), ...env, [MARK]: path },
				stdio: ["ignore", "pipe", "pipe"],
				detached: true,
			});
			const killAll = () => killMarked(path);
			// A test that is out of time never reaches its own clean-up.
			process.once("exit", killAll);
			return watchProcess(child, killAll);
		},
		processes: () => findProcessesWith(`${MARK}=${path}`),
		remove: () => rm(path, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 }),
	};
}

/**
 * Returns the environment of a developer, without what npm and the test runner add: npm's variables lead npx back to this checkout, and its
 * PATH has the project's Node.
 */
function developerEnvironment(): NodeJS.ProcessEnv {
	const dropped = Object.keys(process.env).filter((name) => /^(npm_|VITEST|NODE_ENV$|INIT_CWD$)/i.test(name));
	const path = (process.env["PATH"] ?? "").split(delimiter).filter((folder) => !folder.includes("node_modules"));
	const changes = { PATH: path.join(delimiter), NO_COLOR: "1", WRANGLER_SEND_METRICS: "false" };
	return { ...process.env, ...Object.fromEntries(dropped.map((name) => [name, undefined])), ...changes };
}

/** Ends every process with the mark of a clone. Without Linux's /proc it finds none, and only the group can be ended. */
function killMarked(path: string): void {
	for (const pid of findProcessesWith(`${MARK}=${path}`)) endProcess(pid, "SIGKILL");
}

/** Ends a process, which may have ended by itself. */
function endProcess(pid: number, signal: NodeJS.Signals): void {
	try {
		process.kill(pid, signal);
	} catch {
		// The process has ended by itself.
	}
}

function watchProcess(child: ChildProcess, killAll: () => void): CloneProcess {
	let output = "";
	let exitCode: number | null | undefined;
	for (const stream of [child.stdout, child.stderr]) {
		stream?.setEncoding("utf8").on("data", (text: string) => {
			output += text;
		});
	}
	const ended = new Promise<void>((resolve) =>
		child.once("close", (code) => {
			exitCode = code;
			resolve();
		}),
	);
	const signalGroup = (signal: NodeJS.Signals) => {
		if (child.pid !== undefined) endProcess(-child.pid, signal);
	};
	return {
		output: () => output,
		exitCode: () => exitCode,
		async stop() {
			signalGroup("SIGINT");
			await Promise.race([ended, delay(STOP_TIMEOUT_MS, undefined, { ref: false })]);
			signalGroup("SIGKILL");
			killAll();
			await ended;
		},
	};
}
