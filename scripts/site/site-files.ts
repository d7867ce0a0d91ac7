// Writes the files of the built site to the folder that running servers read.
import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join, relative, sep } from "node:path";

/** Maps paths to contents, with `/` between folders and none at the start: `docs/quickstart.html`. */
export type SiteFiles = Map<string, string | Uint8Array>;

/**
 * Makes a folder contain these files and no others, except those whose path starts with `keep`. Each file is replaced in one step, and an
 * unchanged file is not touched, so a server that reads the folder in parallel never sees half a file or misses one. If a server reads a
 * parent of the folder, `staging` must name a folder outside of it, on the same disk, because the server would also list the staged file.
 */
export async function replaceFiles(
	folder: string,
	files: SiteFiles,
	{ keep, staging = `${folder}.${process.pid}` }: { keep?: string; staging?: string } = {},
): Promise<void> {
	await mkdir(staging, { recursive: true });
	try {
		for (const [path, content] of files) await replaceFile({ target: join(folder, path), staged: join(staging, "file"), content });
	} finally {
		await rm(staging, { recursive: true, force: true });
	}
	const isKept = (path: string): boolean => files.has(path) || (keep !== undefined && path.startsWith(keep));
	for (const path of await listFiles(folder)) if (!isKept(path)) await rm(join(folder, path));
}

async function replaceFile({ target, staged, content }: { target: string; staged: string; content: string | Uint8Array }): Promise<void> {
	const bytes = Buffer.from(content);
	const present = await readFile(target).catch(() => null);
	if (present?.equals(bytes)) return;
	await mkdir(dirname(target), { recursive: true });
	await writeFile(staged, bytes);
	await rename(staged, target);
}

/** Lists the paths of all files below a folder in the form of {@link SiteFiles}. Empty if the folder does not exist. */
export async function listFiles(folder: string): Promise<string[]> {
	const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
	return entries
		.filter((entry) => entry.isFile())
		.map((entry) => relative(folder, join(entry.parentPath, entry.name)).replaceAll(sep, "/"))
		.toSorted();
}

/** Reads all files below a folder. Pages come last, so that no page refers to a file that does not exist yet. */
export async function readFiles(folder: string): Promise<SiteFiles> {
	const paths = await listFiles(folder);
	const ordered = [...paths.filter((path) => !path.endsWith(".html")), ...paths.filter((path) => path.endsWith(".html"))];
	const files: SiteFiles = new Map();
	for (const path of ordered) files.set(path, await readFile(join(folder, path)));
	return files;
}
