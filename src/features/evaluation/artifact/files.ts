// Reading an artifact: which files a judge gets to see, in a fixed order, within a budget of characters.
import { type FileEntry, Reader, Uint8ArrayWriter, ZipReader } from "@zip.js/zip.js/lib/zip-core-external.js";
import type { Deps } from "../../../deps.ts";
import { EvaluationFault } from "../faults.ts";
import type { JudgedFile } from "../judge/port.ts";

/** Characters of all files together that one judgement reads. */
const TEXT_BUDGET = 400_000;
/** A file larger than this is listed, not read. */
const MAX_FILE_BYTES = 200_000;

export interface ArtifactFiles {
	readonly files: readonly JudgedFile[];
	readonly unreadPaths: readonly string[];
}

/**
 * Reads the text files of an artifact from R2, by range, in a deterministic order.
 *
 * @throws EvaluationFault when the artifact is gone or is no readable zip.
 */
export async function readArtifactFiles(deps: Deps, key: string): Promise<ArtifactFiles> {
	const head = await deps.bucket.head(key);
	if (head === null) throw new EvaluationFault("The artifact is gone from storage.", { blame: "platform", isRetryable: false });
	const zip = new ZipReader(new R2Reader(deps.bucket, key, head.size), { useWebWorkers: false });
	try {
		const entries = (await zip.getEntries()).filter((entry): entry is FileEntry => !entry.directory);
		return await readWithinBudget(entries);
	} catch (cause) {
		if (cause instanceof EvaluationFault) throw cause;
		throw new EvaluationFault("The artifact is not a readable zip.", { blame: "submission", isRetryable: false, cause });
	} finally {
		await zip.close();
	}
}

class R2Reader extends Reader<string> {
	override size: number;
	readonly #bucket: R2Bucket;
	readonly #key: string;

	constructor(bucket: R2Bucket, key: string, size: number) {
		super(key);
		this.#bucket = bucket;
		this.#key = key;
		this.size = size;
	}

	override async readUint8Array(offset: number, length: number): Promise<Uint8Array> {
		const object = await this.#bucket.get(this.#key, { range: { offset, length } });
		if (object === null) throw new EvaluationFault("The artifact is gone from storage.", { blame: "platform", isRetryable: false });
		return new Uint8Array(await object.arrayBuffer());
	}
}

async function readWithinBudget(entries: readonly FileEntry[]): Promise<ArtifactFiles> {
	const files: JudgedFile[] = [];
	const unreadPaths: string[] = [];
	let remaining = TEXT_BUDGET;
	for (const entry of entries.toSorted((a, b) => compareForReading(a.filename, b.filename))) {
		const isReadable = entry.uncompressedSize <= Math.min(MAX_FILE_BYTES, remaining);
		const text = isReadable ? decodeText(await entry.getData(new Uint8ArrayWriter())) : null;
		if (text === null) {
			unreadPaths.push(entry.filename);
			continue;
		}
		remaining -= text.length;
		files.push({ path: entry.filename, text, isClaim: isClaim(entry.filename) });
	}
	return { files, unreadPaths };
}

/** Null for binary content. */
function decodeText(bytes: Uint8Array): string | null {
	try {
		const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
		return text.includes("\0") ? null : text;
	} catch {
		return null;
	}
}

const MANIFESTS = ["package.json", "pyproject.toml", "requirements.txt", "Cargo.toml", "go.mod", "Makefile", "Dockerfile"];

/** SUBMISSION.md, READMEs, manifests, then everything by path. */
function compareForReading(a: string, b: string): number {
	return readingRank(a) - readingRank(b) || (a < b ? -1 : 1);
}

function readingRank(path: string): number {
	if (path === "SUBMISSION.md") return 0;
	if (isClaim(path)) return 1;
	return MANIFESTS.includes(path.split("/").at(-1) ?? "") ? 2 : 3;
}

function isClaim(path: string): boolean {
	return path === "SUBMISSION.md" || /(^|\/)readme(\.[a-z]+)?$/i.test(path);
}
