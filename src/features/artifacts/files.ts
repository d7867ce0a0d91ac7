// Reading an artifact: which files a judge gets to see, in a fixed order, within a budget of characters.

import { EvaluationFault } from "../../domain/evaluation-fault.ts";
import type { Deps } from "../../ports/deps.ts";
import type { JudgedFile } from "../../ports/judge.ts";
import { openArchive, readEntry } from "./archive.ts";
import { ArchiveFault } from "./policy.ts";
import { ObjectGoneError } from "./range-reader.ts";

/** Characters of all files together that one judgement reads. */
const TEXT_BUDGET = 400_000;
/** A file larger than this is listed, not read. */
const MAX_FILE_BYTES = 200_000;
/** Files whose bytes lie scattered cost a request each, and a Worker may not make any number of them. */
const MAX_FETCHES = 400;

export interface ArtifactFiles {
	readonly files: readonly JudgedFile[];
	readonly unreadPaths: readonly string[];
	/** Path and unpacked bytes of every file, read or not. */
	readonly manifest: readonly { readonly path: string; readonly bytes: number }[];
}

/**
 * Reads the text files of an artifact from R2, by range, in a deterministic order.
 *
 * @throws EvaluationFault when the artifact is gone or is not a zip that is allowed.
 */
export async function readArtifactFiles(deps: Deps, key: string): Promise<ArtifactFiles> {
	try {
		const archive = await openArchive(deps.bucket, key);
		const files: JudgedFile[] = [];
		const unreadPaths: string[] = [];
		let remaining = TEXT_BUDGET;
		for (const entry of archive.files.toSorted((a, b) => compareForReading(a.filename, b.filename))) {
			const isReadable = entry.uncompressedSize <= Math.min(MAX_FILE_BYTES, remaining) && archive.reader.fetches < MAX_FETCHES;
			const text = isReadable ? decodeText(await readEntry(archive, entry)) : null;
			if (text === null) unreadPaths.push(entry.filename);
			else files.push({ path: entry.filename, text, isClaim: isClaim(entry.filename) });
			remaining -= text?.length ?? 0;
		}
		const manifest = archive.files.map((entry) => ({ path: entry.filename, bytes: entry.uncompressedSize }));
		return { files, unreadPaths, manifest };
	} catch (error) {
		throw toEvaluationFault(error);
	}
}

/** What a fault of an artifact means for its evaluation; any other error stays what it is. */
export function toEvaluationFault(error: unknown): unknown {
	if (error instanceof ArchiveFault)
		return new EvaluationFault(error.message, { blame: "submission", isRetryable: false, failure: "artifact", cause: error });
	if (error instanceof ObjectGoneError) {
		return new EvaluationFault("The artifact is gone from storage.", { blame: "platform", isRetryable: false, cause: error });
	}
	return error;
}

/** Null for binary content. */
export function decodeText(bytes: Uint8Array): string | null {
	try {
		const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
		return text.includes("\0") ? null : text;
	} catch {
		return null;
	}
}

const MANIFESTS = ["package.json", "pyproject.toml", "requirements.txt", "Cargo.toml", "go.mod", "Makefile", "Dockerfile"];

/** SUBMISSION.md, READMEs, manifests, then everything by path. */
export function compareForReading(a: string, b: string): number {
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
