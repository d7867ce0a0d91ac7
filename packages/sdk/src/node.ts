// The entry for Node, Deno and Bun adds files by path to the portable client.
import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { BountyClient as PortableClient } from "./client.ts";
import { BountyUsageError } from "./core/errors.ts";
import { isSecretPath, LEFT_OUT } from "./submit/files.ts";
import type { SubmissionHandle } from "./submit/handle.ts";
import type { SubmitOptions, Submittable } from "./submit/submit.ts";

export * from "./index.ts";

export interface ReadFolderOptions {
	/** True for a path that is read. Paths are relative, with `/`; folders have a slash at their end. */
	readonly filter?: ((path: string) => boolean) | undefined;
	readonly signal?: AbortSignal | undefined;
}

/**
 * The files below a folder by their relative paths, in the order of their names. Leaves out `.git`, `node_modules` and `.DS_Store`.
 *
 * @throws BountyUsageError for a link, because it could lead out of the folder.
 */
export async function readFolder(folder: string, options: ReadFolderOptions = {}): Promise<Map<string, Uint8Array>> {
	const files = new Map<string, Uint8Array>();
	await readInto(files, { folder, prefix: "" }, options);
	return files;
}

async function readInto(files: Map<string, Uint8Array>, at: { folder: string; prefix: string }, options: ReadFolderOptions): Promise<void> {
	const entries = await readdir(at.folder, { withFileTypes: true });
	for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
		options.signal?.throwIfAborted();
		const path = `${at.prefix}${entry.name}`;
		const isFolder = entry.isDirectory();
		if (LEFT_OUT.has(entry.name) || options.filter?.(isFolder ? `${path}/` : path) === false) continue;
		const place = join(at.folder, entry.name);
		if (isFolder) await readInto(files, { folder: place, prefix: `${path}/` }, options);
		else if (entry.isFile()) files.set(path, new Uint8Array(await readFile(place)));
		else throw new BountyUsageError(`${path} is neither a file nor a folder. Links are not followed.`);
	}
}

/** Files by path, a zip, or the path of a folder, a zip or a single file. */
export type NodeSubmittable = Submittable | string;

export interface NodeSubmitOptions extends SubmitOptions {
	/** True for a path that is read. Paths are relative to the folder, with `/`. */
	readonly filter?: ((path: string) => boolean) | undefined;
	/** True also sends files of a folder that are usually secrets by their names, such as `.env`. By default they are left out, with a warning. */
	readonly includeSecrets?: boolean | undefined;
}

/** A client that also takes paths of files and folders. */
export class BountyClient extends PortableClient {
	/** As in the portable client. A string is the path of a folder, of a zip, or of a single file. */
	override async submit(taskId: string, work: NodeSubmittable, options: NodeSubmitOptions = {}): Promise<SubmissionHandle> {
		const { filter, includeSecrets = false, ...rest } = options;
		if (typeof work !== "string") return super.submit(taskId, work, rest);
		const leftOut: string[] = [];
		const isSent = (path: string): boolean => {
			if (filter?.(path) === false) return false;
			if (includeSecrets || path.endsWith("/") || !isSecretPath(path)) return true;
			leftOut.push(path);
			return false;
		};
		const found = await readPath(work, { filter: isSent, signal: rest.signal });
		if (leftOut.length > 0) {
			process.emitWarning(`Left out because they look like secrets: ${leftOut.join(", ")}. includeSecrets sends them.`, "BountyWarning");
		}
		return super.submit(taskId, found, rest);
	}
}

/** Reads the files of a folder, the bytes of a zip, or one file under its name. @throws BountyUsageError for a path that cannot be read. */
export async function readPath(path: string, options: ReadFolderOptions = {}): Promise<Submittable> {
	const found = await stat(path).catch((error: unknown) => {
		throw new BountyUsageError(`${path} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
	});
	if (found.isDirectory()) return readFolder(path, options);
	const bytes = new Uint8Array(await readFile(path));
	const name = path.split(/[/\\]/).at(-1) ?? path;
	return isZip(bytes) && name.toLowerCase().endsWith(".zip") ? bytes : new Map([[name, bytes]]);
}

function isZip(bytes: Uint8Array): boolean {
	return bytes[0] === 0x50 && bytes[1] === 0x4b;
}
