// Creates .dev.vars, installs what is missing, builds the static site if one of its sources has changed, and then runs the given command,
// such as `node scripts/setup.mjs vitest run`.
// This is plain JavaScript without dependencies, because it runs on the system's Node, before the project's own Node 24 is installed.
// The command starts from here, not after an `&&`, because a shell remembers which `node` it found before the installation.
import { spawn, spawnSync } from "node:child_process";
import { accessSync, constants, utimesSync } from "node:fs";
import { constants as osConstants } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { hasDevVars, makeDevVars } from "./setup/dev-vars.mjs";
import { chooseByCondition } from "./setup/extensions.mjs";
import { withLock } from "./setup/lock.mjs";
import { installPackages, isInstalled } from "./setup/packages.mjs";
import { DOCS, ensureRecord, fingerprintSources, isBuiltFrom, recordBuild, SITE, WHOLE_SITE } from "./site/fingerprint.mjs";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const BIN = join(ROOT, "node_modules", ".bin");
const LOCK = join(ROOT, ".wrangler", "setup.lock");
Object.assign(process.env, chooseByCondition());
const PARENT_CHECK_MS = 500;
const FORWARDED_SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"];

/** Returns true if node_modules contains exactly the versions of the lock file, with the project's own Node. */
function isReady() {
	try {
		accessSync(join(BIN, "node"), constants.X_OK);
		return isInstalled(ROOT);
	} catch {
		return false;
	}
}

/** Runs `npm ci`, and shows its output only if it fails. */
function install() {
	if (isReady()) return 0;
	// npm ci would delete the wrangler that runs this as its custom build.
	if (process.env.WRANGLER_COMMAND !== undefined) {
		console.error("node_modules differs from package-lock.json. Run npm ci; then run the command again.");
		return 1;
	}
	console.error("Installing dependencies (npm ci), once: this takes up to a minute.");
	const fault = installPackages(ROOT);
	if (fault === null) return 0;
	console.error(fault);
	return 1;
}

/** Returns true if nothing has to be prepared before a command can run. */
function isPrepared() {
	return hasDevVars(ROOT) && isReady() && isBuiltFrom(ROOT, SITE, fingerprintSources(ROOT, SITE));
}

function prepare() {
	// wrangler looks for .dev.vars before it runs this as its custom build, and looks again when its configuration changes.
	if (makeDevVars(ROOT) && process.env.WRANGLER_COMMAND === "dev") utimesSync(join(ROOT, "wrangler.toml"), new Date(), new Date());
	return install() || buildSite();
}

/** Builds dist/site/. A source that changes during the build makes the record stale, so the next command builds again. */
function buildSite() {
	const fingerprint = fingerprintSources(ROOT, SITE);
	if (isBuiltFrom(ROOT, SITE, fingerprint)) return 0;
	const built = spawnSync(join(BIN, "node"), [join(ROOT, "scripts", "site.ts")], { cwd: ROOT, encoding: "utf8", maxBuffer: 1 << 28 });
	if (built.status === 0) {
		recordBuild(ROOT, SITE, fingerprint);
		// wrangler watches the records of the whole platform, even while it runs only the core.
		for (const target of [WHOLE_SITE, DOCS]) ensureRecord(ROOT, target);
		return 0;
	}
	console.error(built.error?.message ?? `${built.stdout}${built.stderr}`);
	console.error("Building the site failed. See the message above; then run the command again.");
	return 1;
}

/** Runs the command with the project's own programs first on PATH, passes signals on, and ends with its exit code. */
function run([command, ...args]) {
	const path = [BIN, process.env.PATH ?? ""].join(delimiter);
	const child = spawn(command, args, { stdio: "inherit", env: { ...process.env, PATH: path } });
	for (const signal of FORWARDED_SIGNALS) process.on(signal, () => child.kill(signal));
	// npm passes a signal only to its shell, which then dies. After that, only this process can stop the command.
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

const fault = isPrepared() ? 0 : withLock(LOCK, prepare);
const command = process.argv.slice(2);
if (fault !== 0) process.exitCode = fault;
else if (command.length > 0) run(command);
