// Installs what is missing, builds the static site when one of its sources has changed, then runs the command it is given:
// node scripts/setup.mjs [command [argument...]]
// Plain JavaScript without dependencies: it runs on the Node of the system, before the project's own Node 24 is there.
// The command starts from here, not after an `&&`, because a shell remembers which `node` it found before the installation.
import { spawn, spawnSync } from "node:child_process";
import { accessSync, constants, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { constants as osConstants } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { fingerprintSources, isBuiltFrom, recordBuild } from "./site/fingerprint.mjs";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const BIN = join(ROOT, "node_modules", ".bin");
const LOCK = join(ROOT, ".wrangler", "setup.lock");
const WAIT_MS = 250;
const PARENT_CHECK_MS = 500;
const FORWARDED_SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"];

function readLockedPackages(path) {
	return JSON.parse(readFileSync(join(ROOT, path), "utf8")).packages;
}

/** Whether node_modules holds exactly the versions of the lock file. File times do not matter. */
function isInstalled() {
	try {
		accessSync(join(BIN, "node"), constants.X_OK);
		const locked = readLockedPackages("package-lock.json");
		const installed = readLockedPackages(join("node_modules", ".package-lock.json"));
		return Object.entries(locked).every(([path, entry]) => {
			if (path === "") return true;
			const found = installed[path];
			return found === undefined ? entry.optional === true || entry.peer === true : found.version === entry.version;
		});
	} catch {
		return false;
	}
}

function isAlive(pid) {
	try {
		process.kill(pid, 0);
		return true;
	} catch (error) {
		return error.code === "EPERM";
	}
}

/** Takes the lock of this checkout, waiting for another preparation that is under way. A lock whose owner has died is removed. */
function withLock(prepare) {
	mkdirSync(join(ROOT, ".wrangler"), { recursive: true });
	for (let hasSaid = false; ; ) {
		try {
			writeFileSync(LOCK, String(process.pid), { flag: "wx" });
			break;
		} catch (error) {
			if (error.code !== "EEXIST") throw error;
		}
		const owner = readLockOwner();
		if (owner !== null && !isAlive(owner)) rmSync(LOCK, { force: true });
		else if (!hasSaid) {
			hasSaid = true;
			console.error("Waiting for another command that prepares this folder.");
		}
		Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, WAIT_MS);
	}
	try {
		return prepare();
	} finally {
		rmSync(LOCK, { force: true });
	}
}

/** Null while the owner is between making the file and writing its id. */
function readLockOwner() {
	try {
		return Number(readFileSync(LOCK, "utf8")) || null;
	} catch {
		return null;
	}
}

/** Runs `npm ci`. Its output is shown only when it fails. */
function install() {
	if (isInstalled()) return 0;
	// npm ci would delete the wrangler that runs this as its custom build.
	if (process.env.WRANGLER_COMMAND !== undefined) {
		console.error("node_modules differs from package-lock.json. Run npm ci; then run the command again.");
		return 1;
	}
	console.error("Installing dependencies (npm ci), once: this takes up to a minute.");
	const npm = process.env.npm_execpath;
	const [command, args] = npm?.endsWith(".js") ? [process.execPath, [npm]] : ["npm", []];
	const done = spawnSync(command, [...args, "ci", "--no-audit", "--no-fund", "--loglevel=error"], {
		cwd: ROOT,
		encoding: "utf8",
		maxBuffer: 1 << 28,
	});
	if (done.error === undefined && done.status === 0 && isInstalled()) return 0;
	console.error(done.error?.message ?? `${done.stdout}${done.stderr}`);
	console.error(
		done.status === 0
			? "npm ci did not install everything. If install scripts are switched off (npm config get ignore-scripts), allow them for this project: npm ci --ignore-scripts=false"
			: "Installing failed. See the messages above; then run the command again.",
	);
	return 1;
}

/** Whether nothing has to be done before a command can run. */
function isPrepared() {
	return isInstalled() && isBuiltFrom(ROOT, fingerprintSources(ROOT));
}

function prepare() {
	return install() || buildSite();
}

/** Builds dist/site/. A source that changes during the build makes the record stale, so the next command builds again. */
function buildSite() {
	const fingerprint = fingerprintSources(ROOT);
	if (isBuiltFrom(ROOT, fingerprint)) return 0;
	const built = spawnSync(join(BIN, "node"), [join(ROOT, "scripts", "site.ts")], { cwd: ROOT, encoding: "utf8", maxBuffer: 1 << 28 });
	if (built.status === 0) {
		recordBuild(ROOT, fingerprint);
		return 0;
	}
	console.error(built.error?.message ?? `${built.stdout}${built.stderr}`);
	console.error("Building the documentation and the site failed. See the message above; then run the command again.");
	return 1;
}

/** Runs the command with the project's own programs first on PATH, passing signals on, and ends as it ends. */
function run([command, ...args]) {
	const path = [BIN, process.env.PATH ?? ""].join(delimiter);
	const child = spawn(command, args, { stdio: "inherit", env: { ...process.env, PATH: path } });
	for (const signal of FORWARDED_SIGNALS) process.on(signal, () => child.kill(signal));
	// npm passes a signal only to its shell, which dies of it. Then only this process can stop the command.
	const parent = process.ppid;
	const parentCheck = setInterval(() => {
		if (process.ppid === parent) return;
		clearInterval(parentCheck);
		child.kill("SIGTERM");
	}, PARENT_CHECK_MS);
	parentCheck.unref();
	child.on("error", (error) => {
		console.error(`${command} could not be started: ${error.message}`);
		process.exitCode = 127;
	});
	child.on("exit", (code, signal) => {
		process.exitCode = code ?? 128 + osConstants.signals[signal];
	});
}

const fault = isPrepared() ? 0 : withLock(prepare);
const command = process.argv.slice(2);
if (fault !== 0) process.exitCode = fault;
else if (command.length > 0) run(command);
