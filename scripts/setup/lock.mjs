// Lets one process at a time prepare a part of the checkout. This is plain JavaScript without dependencies, like scripts/setup.mjs.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

const WAIT_MS = 250;

function isAlive(pid) {
	try {
		process.kill(pid, 0);
		return true;
	} catch (error) {
		return error.code === "EPERM";
	}
}

/**
 * Runs `prepare`, which may return a promise, while holding the lock. Waits for another process that holds it. Removes a lock whose owner
 * has died.
 */
export function withLock(file, prepare) {
	mkdirSync(dirname(file), { recursive: true });
	for (let hasSaid = false; ; ) {
		try {
			writeFileSync(file, String(process.pid), { flag: "wx" });
			break;
		} catch (error) {
			if (error.code !== "EEXIST") throw error;
		}
		const owner = readOwner(file);
		if (owner !== null && !isAlive(owner)) rmSync(file, { force: true });
		else if (!hasSaid) {
			hasSaid = true;
			console.error("Waiting for another command that prepares this folder.");
		}
		Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, WAIT_MS);
	}
	const release = () => rmSync(file, { force: true });
	let result;
	try {
		result = prepare();
	} catch (error) {
		release();
		throw error;
	}
	if (result instanceof Promise) return result.finally(release);
	release();
	return result;
}

/** Returns null if the owner has created the file but not yet written its id. */
function readOwner(file) {
	try {
		return Number(readFileSync(file, "utf8")) || null;
	} catch {
		return null;
	}
}
