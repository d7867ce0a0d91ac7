// A lock is a file that exists while a command changes something that other commands may also change.
import { randomUUID } from "node:crypto";
import { link, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { CommandError } from "./exit-codes.ts";
import { sleep } from "./sdk.ts";

const POLL_MS = 100;
/** No command holds a lock for this long, because it holds it for only one request, which takes at most 30 s. */
const STALE_MS = 60_000;
const MAX_WAIT_MS = 70_000;

/**
 * Runs `work` while no other command has the lock.
 *
 * @param path The lock's file. Its folder must exist.
 * @throws CommandError if another command keeps the lock for more than a minute.
 */
export async function withLock<Result>(path: string, work: () => Promise<Result>, signal?: AbortSignal): Promise<Result> {
	const own = `${hostname()} ${process.pid} ${randomUUID()}`;
	for (const endsAt = Date.now() + MAX_WAIT_MS; !(await isTaken(path, own)); ) {
		if (await isStale(path)) await removeStale(path);
		else if (Date.now() > endsAt)
			throw new CommandError(`Another command is using ${path}.`, {
				exitCode: 1,
				hints: ["If no other command is running, delete this file."],
			});
		else await sleep(POLL_MS, signal);
	}
	try {
		return await work();
	} finally {
		if ((await readOwner(path)) === own) await rm(path, { force: true });
	}
}

async function isTaken(path: string, own: string): Promise<boolean> {
	try {
		await writeFile(path, own, { flag: "wx", mode: 0o600 });
		return true;
	} catch (error) {
		// Windows reports a file that is being deleted as EPERM.
		if (error instanceof Error && "code" in error && (error.code === "EEXIST" || error.code === "EPERM")) return false;
		throw error;
	}
}

function readOwner(path: string): Promise<string | null> {
	return readFile(path, "utf8").catch(() => null);
}

/**
 * Returns true if a killed command has left its lock behind. On the machine of that command, its process shows this.
 * Elsewhere, only the lock's age does.
 */
async function isStale(path: string): Promise<boolean> {
	const [host, pid] = (await readOwner(path))?.split(" ") ?? [];
	if (host === hostname() && pid !== undefined && !isRunning(Number(pid))) return true;
	return stat(path).then(
		({ mtimeMs }) => Date.now() - mtimeMs > STALE_MS,
		() => false,
	);
}

function isRunning(pid: number): boolean {
	try {
		process.kill(pid, 0);
		return true;
	} catch (error) {
		return error instanceof Error && "code" in error && error.code === "EPERM";
	}
}

/** Moves the lock away before checking it again, because another command may have replaced it with its own. */
async function removeStale(path: string): Promise<void> {
	const removed = `${path}.${randomUUID()}`;
	const isMoved = await rename(path, removed).then(
		() => true,
		() => false,
	);
	if (!isMoved) return;
	if (!(await isStale(removed))) await link(removed, path).catch(() => undefined);
	await rm(removed, { force: true });
}
