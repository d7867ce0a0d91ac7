// Creates the folders that an image may write to, 8 MB and some files each. A mount has no size limit, so each gets a file system of
// that size, or is watched.
import { execFile } from "node:child_process";
import { chmod, lstat, mkdir, opendir, statfs } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Mount } from "./engine/port.ts";

export const MAX_RESULT_BYTES = 8 * 1_048_576;
export const MAX_RESULT_FILES = 1_000;
const WATCH_INTERVAL_MS = 200;
const BLOCK_BYTES = 512;
/** The kernel uses one more inode for the folder itself. */
const MOUNT_OPTIONS = `size=${MAX_RESULT_BYTES},nr_inodes=${MAX_RESULT_FILES + 1},mode=0777,nosuid,nodev,noexec`;
/** An image can run as any user, and that user must be able to write. */
const OPEN_MODE = 0o777;

const run = promisify(execFile);

export interface ResultFolders {
	readonly mounts: readonly Mount[];
	/** Aborts when a watched folder has grown past its limit. Never aborts for mounted folders. */
	readonly overflow: AbortSignal;
	/** Returns true if a folder has no room left. */
	isFull(): Promise<boolean>;
	/** Unmounts the folders or stops watching them. The caller removes them. */
	release(): Promise<void>;
}

/**
 * `mount` gives each folder a memory file system of limited size, which only root on Linux may do.
 * `watch` measures the folders several times a second, so a fast writer exceeds the limit a little before it is stopped.
 */
export type ResultLimit = "mount" | "watch";

/** Makes empty folders for one run below `folder`, one for each target. */
export async function makeResultFolders(folder: string, targets: readonly string[], limit: ResultLimit): Promise<ResultFolders> {
	const mounts = targets.map((target) => ({ target, folder: join(folder, target.slice(1).replaceAll("/", "-")) }));
	for (const mount of mounts) {
		await mkdir(mount.folder, { recursive: true });
		await chmod(mount.folder, OPEN_MODE);
	}
	return limit === "mount" ? mountEach(mounts) : watchEach(mounts);
}

async function mountEach(mounts: readonly Mount[]): Promise<ResultFolders> {
	const mounted: string[] = [];
	const release = async () => {
		for (const location of mounted) await unmount(location);
	};
	try {
		for (const mount of mounts) {
			await run("mount", ["-t", "tmpfs", "-o", MOUNT_OPTIONS, "bounty-results", mount.folder]);
			mounted.push(mount.folder);
		}
	} catch (error) {
		await release();
		throw error;
	}
	const isFull = async () => {
		const states = await Promise.all(mounted.map((location) => statfs(location)));
		return states.some(({ bavail, ffree }) => bavail === 0 || ffree === 0);
	};
	return { mounts, overflow: new AbortController().signal, isFull, release };
}

/**
 * Unmounts lazily, because a process that still has the folder open would block the unmount.
 * The kernel frees the memory when the last process closes it.
 */
export async function unmount(location: string): Promise<void> {
	await run("umount", ["--lazy", "--", location]);
}

function watchEach(mounts: readonly Mount[]): ResultFolders {
	const overflow = new AbortController();
	let isBusy = false;
	const measure = async () => {
		const states = await Promise.all(mounts.map((mount) => isOverLimit(mount.folder)));
		if (states.some(Boolean)) overflow.abort();
	};
	const look = async () => {
		if (isBusy) return;
		isBusy = true;
		await measure();
		isBusy = false;
	};
	const timer = setInterval(() => void look(), WATCH_INTERVAL_MS);
	return {
		mounts,
		overflow: overflow.signal,
		async isFull() {
			// A measurement that is under way began before the end, so it may have missed the last files.
			await measure();
			return overflow.signal.aborted;
		},
		async release() {
			clearInterval(timer);
		},
	};
}

/** Walks up to the limit and follows no links. Files that vanish during the walk do not count. */
async function isOverLimit(root: string): Promise<boolean> {
	const open = [root];
	let bytes = 0;
	let files = 0;
	for (let location = open.pop(); location !== undefined; location = open.pop()) {
		for (const entry of await entriesOf(location)) {
			files += 1;
			bytes += entry.bytes;
			if (files > MAX_RESULT_FILES || bytes > MAX_RESULT_BYTES) return true;
			if (entry.isFolder) open.push(entry.location);
		}
	}
	return false;
}

/** Lists a folder. A folder that cannot be read counts as over the limit, because its size is unknown. */
async function entriesOf(location: string) {
	const entries: { location: string; bytes: number; isFolder: boolean }[] = [];
	try {
		for await (const { name } of await opendir(location)) {
			const status = await statusOf(join(location, name));
			if (status === null) continue;
			entries.push({ location: join(location, name), bytes: status.blocks * BLOCK_BYTES, isFolder: status.isDirectory() });
			if (entries.length > MAX_RESULT_FILES) break;
		}
	} catch (error) {
		if (!hasCode(error, ["ENOENT", "ENOTDIR"])) return [{ location, bytes: Number.POSITIVE_INFINITY, isFolder: false }];
	}
	return entries;
}

/** Returns null for a file that is gone. */
async function statusOf(location: string) {
	try {
		return await lstat(location);
	} catch (error) {
		if (hasCode(error, ["ENOENT", "ENOTDIR"])) return null;
		throw error;
	}
}

function hasCode(error: unknown, codes: readonly string[]): boolean {
	return error instanceof Error && "code" in error && codes.includes(String(error.code));
}
