// Installs the packages of a folder. This is plain JavaScript without dependencies, like scripts/setup.mjs.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";

function readLockedPackages(folder, path) {
	return JSON.parse(readFileSync(join(folder, path), "utf8")).packages;
}

/** Returns true if node_modules contains exactly the versions of the lock file, regardless of file times. */
export function isInstalled(folder) {
	try {
		const locked = readLockedPackages(folder, "package-lock.json");
		const installed = readLockedPackages(folder, join("node_modules", ".package-lock.json"));
		return Object.entries(locked).every(([path, entry]) => {
			if (path === "") return true;
			const found = installed[path];
			return found === undefined ? entry.optional === true || entry.peer === true : found.version === entry.version;
		});
	} catch {
		return false;
	}
}

const INSTALL = ["ci"];
/**
 * npm's arguments for a lock file without the optional packages of other systems, which `npm ci` rejects. They change no file of the
 * project.
 */
export const INSTALL_WITHOUT_SAVING = ["install", "--no-save"];

/** Installs the locked packages of a folder. Returns null, or npm's output if it failed. */
export function installPackages(folder, install = INSTALL) {
	const npm = process.env.npm_execpath;
	const [command, args] = npm?.endsWith(".js") ? [process.execPath, [npm]] : ["npm", []];
	const done = spawnSync(command, [...args, ...install, "--no-audit", "--no-fund", "--loglevel=error"], {
		cwd: folder,
		encoding: "utf8",
		maxBuffer: 1 << 28,
	});
	if (done.error === undefined && done.status === 0 && isInstalled(folder)) return null;
	const advice =
		done.status === 0
			? "npm did not install everything. If install scripts are switched off (npm config get ignore-scripts), allow them for this project: npm ci --ignore-scripts=false"
			: "Installing failed. See the messages above; then run the command again.";
	return `${done.error?.message ?? `${done.stdout}${done.stderr}`}\n${advice}`;
}
