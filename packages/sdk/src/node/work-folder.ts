// Reads the files of a folder for a submission.
// The command line, the Action and `bounty mcp` also use this, and the Python package has the same rules.
import type { Dirent } from "node:fs";
import { readdir, readFile, realpath, stat } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { containsSecret, isSecretPath } from "../../../../src/domain/secret-files.ts";
import { GENERATED_FOLDERS, isSystemFile, NEVER_SENT } from "../../../../src/domain/work-files.ts";
import { BountyUsageError } from "../core/errors.ts";
import { decodeUtf8 } from "../submit/files.ts";
import { type IgnoreRules, isIgnored, readRules } from "./ignore-rules.ts";

/** The maximum size of a submission. */
const MAX_BYTES = 300 * 1024 * 1024;
/** Larger texts are not searched for credentials. */
const MAX_SEARCHED_BYTES = 1024 * 1024;

/** The files of a folder, and those that are left out. */
export interface WorkFolder {
	/** Contents by relative path with `/`. */
	readonly files: Map<string, Uint8Array<ArrayBuffer>>;
	readonly totalBytes: number;
	/** The paths that were left out because they look like secrets. */
	readonly secrets: readonly string[];
	/** The links that were not followed. */
	readonly links: readonly string[];
	/** The number of files and folders that the ignore files left out. */
	readonly ignored: number;
	/** Folders that were left out because tools can regenerate them, such as `__pycache__`. */
	readonly generated: readonly string[];
}

export interface WorkFolderOptions {
	/** If true, also sends files that look like secrets, such as `.env`. */
	readonly includeSecrets?: boolean | undefined;
	/** The API key in use. A file that contains it counts as a secret. */
	readonly apiKey?: string | undefined;
	/** Returns true for a path that should be read. Paths are relative, with `/`; folders have a slash at their end. */
	readonly filter?: ((path: string) => boolean) | undefined;
	readonly signal?: AbortSignal | undefined;
	/** Called after each file with the number of files so far. */
	readonly onFile?: ((count: number) => void) | undefined;
}

/**
 * Reads a folder without what `.gitignore` and `.bountyignore` name, what looks like a secret, and what tools can regenerate.
 * Links are followed only to files that are read.
 *
 * @throws BountyUsageError for something that is not a folder, or for more than a submission may have.
 */
export async function readWorkFolder(folder: string, options: WorkFolderOptions = {}): Promise<WorkFolder> {
	const found = await stat(folder).catch((error: unknown) => {
		if (error instanceof Error && "code" in error && error.code === "ENOENT") throw new BountyUsageError(`${folder} does not exist.`);
		throw error;
	});
	if (!found.isDirectory()) throw new BountyUsageError(`${folder} is not a folder.`);
	const reading = new Reading(await realpath(folder), options);
	await reading.readFolder("", []);
	await reading.resolveLinks();
	return reading;
}

class Reading implements WorkFolder {
	readonly files = new Map<string, Uint8Array<ArrayBuffer>>();
	readonly secrets: string[] = [];
	readonly links: string[] = [];
	readonly generated: string[] = [];
	ignored = 0;
	totalBytes = 0;
	readonly #root: string;
	readonly #options: WorkFolderOptions;
	readonly #marker: Buffer | null;
	readonly #linkPaths: string[] = [];

	constructor(root: string, options: WorkFolderOptions) {
		this.#root = root;
		this.#options = options;
		this.#marker = options.apiKey === undefined ? null : Buffer.from(options.apiKey);
	}

	async readFolder(prefix: string, outer: IgnoreRules): Promise<void> {
		const folder = join(this.#root, prefix);
		const rules = await readRules(outer, { folder, prefix });
		const entries = await readdir(folder, { withFileTypes: true });
		for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
			this.#options.signal?.throwIfAborted();
			if (!NEVER_SENT.has(entry.name) && !isSystemFile(entry.name)) await this.#readEntry(entry, { path: prefix + entry.name, rules });
		}
	}

	async #readEntry(entry: Dirent, { path, rules }: { path: string; rules: IgnoreRules }): Promise<void> {
		const isFolder = entry.isDirectory();
		if (isIgnored(rules, path, { isFolder })) this.ignored += 1;
		else if (isFolder && GENERATED_FOLDERS.has(entry.name)) this.generated.push(path);
		else if (this.#options.filter?.(isFolder ? `${path}/` : path) === false) return;
		else if (isFolder) await this.readFolder(`${path}/`, rules);
		else if (entry.isSymbolicLink()) this.#linkPaths.push(path);
		else if (entry.isFile()) await this.#readFile(path);
	}

	/**
	 * Follows the links to files that were read. Any other link could lead to a secret, an ignored file, or anything on this machine.
	 * Must run after all folders were read.
	 */
	async resolveLinks(): Promise<void> {
		for (const path of this.#linkPaths) {
			const target = await realpath(join(this.#root, path)).catch(() => null);
			const source = target === null ? "" : relative(this.#root, target).split(sep).join("/");
			const content = this.files.get(source);
			if (this.secrets.includes(source) || (content !== undefined && this.#isSecretName(path))) this.secrets.push(path);
			else if (content === undefined) this.links.push(path);
			else this.#add(path, content);
		}
	}

	async #readFile(path: string): Promise<void> {
		if (this.#isSecretName(path)) {
			this.secrets.push(path);
			return;
		}
		const place = join(this.#root, path);
		this.#assertSize((await stat(place)).size);
		const content = await readFile(place);
		if (this.#options.includeSecrets !== true && this.#hasSecret(content)) this.secrets.push(path);
		else this.#add(path, new Uint8Array(content));
	}

	#isSecretName(path: string): boolean {
		return this.#options.includeSecrets !== true && isSecretPath(path);
	}

	#hasSecret(content: Buffer): boolean {
		if (this.#marker !== null && content.includes(this.#marker)) return true;
		const text = content.length > MAX_SEARCHED_BYTES ? null : decodeUtf8(content);
		return text !== null && containsSecret(text);
	}

	#assertSize(more: number): void {
		if (this.totalBytes + more <= MAX_BYTES) return;
		throw new BountyUsageError(`The folder has more than ${MAX_BYTES / 1024 / 1024} MB. Exclude files with .bountyignore.`);
	}

	#add(path: string, content: Uint8Array<ArrayBuffer>): void {
		this.#assertSize(content.length);
		this.totalBytes += content.length;
		this.files.set(path, content);
		this.#options.onFile?.(this.files.size);
	}
}
