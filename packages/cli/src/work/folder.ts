// Reads the files of a folder that a submission is made of.
import { readdir, readFile, realpath, stat } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { isMissing } from "../core/config.ts";
import { usageError } from "../core/exit-codes.ts";
import { isSecretPath, LEFT_OUT } from "../core/sdk.ts";
import { type IgnoreRules, isIgnored, readRules } from "./ignore-rules.ts";
import { LINK_FILE } from "./task-link.ts";

/** Never part of a submission: what the SDK leaves out, and what is only for this command. */
const NEVER_SENT = new Set([...LEFT_OUT, ".bountyignore", LINK_FILE]);
/** More than any submission may have. */
const MAX_BYTES = 300 * 1024 * 1024;

export interface WorkFolder {
	readonly files: Map<string, Uint8Array<ArrayBuffer>>;
	readonly totalBytes: number;
	/** Paths that were left out because they look like secrets. */
	readonly secrets: readonly string[];
	/** Links that were not followed. */
	readonly links: readonly string[];
	/** The number of files and folders that the ignore files left out. */
	readonly ignored: number;
}

export interface ReadOptions {
	readonly includeSecrets?: boolean;
	/** A file that contains this is a secret too: the API key in use. */
	readonly apiKey?: string | undefined;
	readonly signal?: AbortSignal;
	readonly onFile?: (count: number) => void;
}

/** Reads a folder. @throws CommandError for something that is not one, or for more than a submission may have. */
export async function readWorkFolder(folder: string, options: ReadOptions = {}): Promise<WorkFolder> {
	const found = await stat(folder).catch((error: unknown) => {
		if (isMissing(error)) throw usageError(`${folder} does not exist.`);
		throw error;
	});
	if (!found.isDirectory()) throw usageError(`${folder} is not a folder.`);
	const reading = new Reading(await realpath(folder), options);
	await reading.readFolder("", []);
	await reading.resolveLinks();
	return reading;
}

class Reading implements WorkFolder {
	readonly files = new Map<string, Uint8Array<ArrayBuffer>>();
	readonly secrets: string[] = [];
	readonly links: string[] = [];
	ignored = 0;
	totalBytes = 0;
	readonly #root: string;
	readonly #options: ReadOptions;
	readonly #marker: Buffer | null;
	readonly #linkPaths: string[] = [];

	constructor(root: string, options: ReadOptions) {
		this.#root = root;
		this.#options = options;
		this.#marker = options.apiKey === undefined ? null : Buffer.from(options.apiKey);
	}

	async readFolder(prefix: string, outer: IgnoreRules): Promise<void> {
		const folder = join(this.#root, prefix);
		const rules = await readRules(outer, { folder, prefix });
		const entries = await readdir(folder, { withFileTypes: true });
		for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
			this.#options.signal?.throwIfAborted();
			const path = prefix + entry.name;
			if (NEVER_SENT.has(entry.name)) continue;
			if (isIgnored(rules, entry.isDirectory() ? `${path}/` : path)) this.ignored += 1;
			else if (entry.isDirectory()) await this.readFolder(`${path}/`, rules);
			else if (entry.isSymbolicLink()) this.#linkPaths.push(path);
			else if (entry.isFile()) await this.#readFile(path);
		}
	}

	/**
	 * Follows the links to files that were read. Any other link could lead to a secret, an ignored file, or anything on this machine. Call it
	 * after all folders.
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
		if (this.#options.includeSecrets !== true && this.#marker !== null && content.includes(this.#marker)) this.secrets.push(path);
		else this.#add(path, new Uint8Array(content));
	}

	#isSecretName(path: string): boolean {
		return this.#options.includeSecrets !== true && isSecretPath(path);
	}

	#assertSize(more: number): void {
		if (this.totalBytes + more > MAX_BYTES)
			throw usageError(`The folder has more than ${MAX_BYTES / 1024 / 1024} MB.`, "Leave files out with .bountyignore.");
	}

	#add(path: string, content: Uint8Array<ArrayBuffer>): void {
		this.#assertSize(content.length);
		this.totalBytes += content.length;
		this.files.set(path, content);
		this.#options.onFile?.(this.files.size);
	}
}
