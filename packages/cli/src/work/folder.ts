// Reads the files of a folder that a submission is made of.
import { readdir, readFile, realpath, stat } from "node:fs/promises";
import { join, relative, resolve, sep } from "node:path";
import { isMissing } from "../core/config.ts";
import { usageError } from "../core/exit-codes.ts";
import { type IgnoreRules, isIgnored, readRules } from "./ignore-rules.ts";
import { isSecretPath } from "./secrets.ts";
import { LINK_FILE } from "./task-link.ts";

/** Never part of a submission: history, what can be installed again, and what this command writes itself. */
const LEFT_OUT = new Set([".git", "node_modules", ".DS_Store", ".bountyignore", LINK_FILE]);
/** More than any submission may have. */
const MAX_BYTES = 300 * 1024 * 1024;

export interface WorkFolder {
	readonly files: Map<string, Uint8Array<ArrayBuffer>>;
	readonly totalBytes: number;
	/** Paths that were left out because they look like secrets. */
	readonly secrets: readonly string[];
	/** Links that were not followed. */
	readonly links: readonly string[];
	/** How many files and folders the ignore files left out. */
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
			if (LEFT_OUT.has(entry.name)) continue;
			if (isIgnored(rules, entry.isDirectory() ? `${path}/` : path)) this.ignored += 1;
			else if (entry.isDirectory()) await this.readFolder(`${path}/`, rules);
			else if (entry.isSymbolicLink()) await this.#readLink(path, rules);
			else if (entry.isFile()) await this.#readFile(path, path);
		}
	}

	/** Reads a link to a file of the same folder. Others could lead to anything on this machine. */
	async #readLink(path: string, rules: IgnoreRules): Promise<void> {
		const target = await realpath(join(this.#root, path)).catch(() => null);
		const inside = target === null ? "" : relative(this.#root, resolve(target)).split(sep).join("/");
		const isInside = inside !== "" && inside !== ".." && !inside.startsWith("../");
		const leadsOut = target === null || !isInside || inside.split("/").some((part) => LEFT_OUT.has(part)) || isIgnored(rules, inside);
		if (leadsOut || !(await stat(target)).isFile()) this.links.push(path);
		else await this.#readFile(path, inside);
	}

	async #readFile(path: string, source: string): Promise<void> {
		const { includeSecrets = false, onFile } = this.#options;
		if (!includeSecrets && (isSecretPath(path) || isSecretPath(source))) {
			this.secrets.push(path);
			return;
		}
		const place = join(this.#root, source);
		this.totalBytes += (await stat(place)).size;
		if (this.totalBytes > MAX_BYTES)
			throw usageError(`The folder has more than ${MAX_BYTES / 1024 / 1024} MB.`, "Leave files out with .bountyignore.");
		const content = await readFile(place);
		if (!includeSecrets && this.#marker !== null && content.includes(this.#marker)) {
			this.secrets.push(path);
			this.totalBytes -= content.length;
			return;
		}
		this.files.set(path, new Uint8Array(content));
		onFile?.(this.files.size);
	}
}
