// Cleans up after a grader that was killed: folders of jobs, and the file systems mounted in them.
import { createHash } from "node:crypto";
import { chmod, mkdir, readdir, readFile, realpath, rm } from "node:fs/promises";
import { createConnection, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join, sep } from "node:path";
import { unmount } from "./result-folders.ts";

/** The folder contains submissions, so other users must not read it. */
const PRIVATE_MODE = 0o700;

export interface WorkFolder {
	/** The folder's real path. */
	readonly path: string;
	/** The owner's name, which identifies it on this machine. */
	readonly owner: string;
	/** Unmounts every file system that is mounted in the folder. */
	unmountAll(): Promise<void>;
	/** Returns the path of every entry of the folder. */
	list(): Promise<string[]>;
	/** Releases the folder for another grader. */
	release(): Promise<void>;
}

/** Another grader is using the folder, or the folder cannot be used. */
export class WorkFolderFault extends Error {
	override readonly name = "WorkFolderFault";
}

/**
 * Takes over a folder that no other grader is using, and creates it if it is missing. A grader that has ended left its contents behind.
 *
 * @throws WorkFolderFault
 */
export async function takeWorkFolder(location: string): Promise<WorkFolder> {
	await mkdir(location, { recursive: true, mode: PRIVATE_MODE });
	const path = await realpath(location);
	// The engine reads a mount as a line of comma-separated values.
	if (/[,"\r\n]/.test(path)) throw new WorkFolderFault(`${path}: a work folder's path must not contain commas, quotes or line breaks.`);
	await chmod(path, PRIVATE_MODE);
	const owner = ownerOf(path);
	const release = await lock(join(tmpdir(), `bounty-grader-${owner}.sock`), path);
	return {
		path,
		owner,
		unmountAll: async () => {
			for (const location of await mountsBelow(path)) await unmount(location);
		},
		list: async () => (await readdir(path)).map((name) => join(path, name)),
		release,
	};
}

/** Returns the machine-wide name of the grader that works in a folder, given the folder's real path. */
export function ownerOf(path: string): string {
	return createHash("sha256").update(path).digest("hex").slice(0, 16);
}

/** Locks the folder with a socket, which always disappears together with its process. A file with a process id would stay. */
async function lock(socket: string, path: string): Promise<() => Promise<void>> {
	const server = createServer((connection) => connection.destroy());
	const listen = () =>
		new Promise<void>((resolve, reject) => {
			server.once("error", reject);
			server.listen(socket, () => {
				server.off("error", reject);
				resolve();
			});
		});
	await listen().catch(async (error: unknown) => {
		if (await isAnswering(socket)) throw new WorkFolderFault(`Another grader is using ${path}. Give this one its own WORK_FOLDER.`);
		if (!(error instanceof Error && "code" in error && error.code === "EADDRINUSE")) throw error;
		await rm(socket, { force: true });
		await listen();
	});
	server.unref();
	return () => new Promise((resolve) => server.close(() => resolve()));
}

function isAnswering(socket: string): Promise<boolean> {
	return new Promise((resolve) => {
		const connection = createConnection(socket);
		connection.once("connect", () => {
			connection.destroy();
			resolve(true);
		});
		connection.once("error", () => resolve(false));
	});
}

/**
 * Returns the mounts below a folder, deepest first. Empty on systems without a list of mounts, where the grader does not mount anything.
 */
async function mountsBelow(path: string): Promise<string[]> {
	const table = await readFile("/proc/self/mountinfo", "utf8").catch(() => "");
	const locations = table.split("\n").map((line) => unescapeMount(line.split(" ")[4] ?? ""));
	return locations.filter((location) => location.startsWith(path + sep)).toReversed();
}

/** Decodes spaces, tabs, newlines and backslashes, which the list writes as octal numbers. */
function unescapeMount(text: string): string {
	return text.replace(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)));
}
