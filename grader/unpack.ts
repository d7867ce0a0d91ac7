// Fetches an artifact and unpacks it into a folder, under the same strict policy as the platform's.
import { constants } from "node:fs";
import { mkdir, open } from "node:fs/promises";
import { dirname, join } from "node:path";
import { examineArchive, takeFirst } from "../src/core/judging/artifacts/archive.ts";
import { ArchiveFault, type ArchiveFile } from "../src/core/judging/artifacts/policy.ts";
import { rangesOf } from "../src/core/judging/artifacts/range-reader.ts";
import { readEntry } from "../src/core/judging/artifacts/unpacking.ts";

const MAX_ARTIFACT_BYTES = 100 * 1_048_576;
const MAX_SUITE_BYTES = 5 * 1_048_576;
const DOWNLOAD_TIMEOUT_MS = 120_000;
const PLAIN_MODE = 0o644;
const EXECUTABLE_MODE = 0o755;
const ANY_EXECUTE_BIT = 0o111;

/** A download failed, which is a fault of the platform and may be temporary. */
export class DownloadFault extends Error {
	override readonly name = "DownloadFault";
}

/** @throws DownloadFault */
export function downloadArtifact(url: string, signal: AbortSignal): Promise<Uint8Array> {
	return download(url, { what: "artifact", maxBytes: MAX_ARTIFACT_BYTES, signal });
}

/** @throws DownloadFault */
export function downloadSuite(url: string, signal: AbortSignal): Promise<Uint8Array> {
	return download(url, { what: "test suite", maxBytes: MAX_SUITE_BYTES, signal });
}

interface Download {
	readonly what: string;
	readonly maxBytes: number;
	readonly signal: AbortSignal;
}

/**
 * Downloads a file. A signed URL never redirects, so a redirect is a fault. Messages do not contain the URL, because it is a credential.
 */
async function download(url: string, { what, maxBytes, signal }: Download): Promise<Uint8Array> {
	try {
		const limit = AbortSignal.any([signal, AbortSignal.timeout(DOWNLOAD_TIMEOUT_MS)]);
		const response = await fetch(url, { signal: limit, redirect: "error" });
		if (!response.ok) throw new DownloadFault(`The ${what} could not be fetched: status ${response.status}.`);
		const chunks: Uint8Array[] = [];
		let size = 0;
		for await (const chunk of response.body ?? []) {
			size += chunk.byteLength;
			if (size > maxBytes) throw new DownloadFault(`The ${what} has more than ${maxBytes / 1_048_576} MB.`);
			chunks.push(chunk);
		}
		return new Uint8Array(Buffer.concat(chunks));
	} catch (cause) {
		if (cause instanceof DownloadFault || signal.aborted) throw cause;
		throw new DownloadFault(`The ${what} could not be fetched.`, { cause });
	}
}

/**
 * Unpacks a zip into an empty folder that nothing else writes to.
 *
 * @throws ArchiveFault if the zip is broken or not allowed. Part of it may then be unpacked.
 */
export async function unpack(zip: Uint8Array, folder: string): Promise<void> {
	const archive = await takeFirst(examineArchive(rangesOf(zip)));
	for (const entry of archive.files) {
		const location = join(folder, entry.filename);
		const content = await readEntry(archive, entry);
		try {
			await mkdir(dirname(location), { recursive: true });
			await writeNew(location, content, modeOf(entry));
		} catch (error) {
			throw toArchiveFault(error, entry.filename);
		}
	}
}

/** File systems report these errors for names that they do not support. Every other error is a fault of this machine. */
const NAME_FAULTS = ["ENAMETOOLONG", "EEXIST", "ENOTDIR", "EISDIR", "EILSEQ", "EINVAL", "ENOENT"];

function toArchiveFault(error: unknown, name: string): unknown {
	const code = error instanceof Error && "code" in error ? String(error.code) : "";
	if (!NAME_FAULTS.includes(code)) return error;
	return new ArchiveFault(`The entry ${JSON.stringify(name.slice(0, 200))} cannot be written as a file (${code}).`, { cause: error });
}

/** Keeps executable files executable, and ignores every other bit of the archive's mode. */
function modeOf({ externalFileAttributes }: ArchiveFile): number {
	return ((externalFileAttributes >>> 16) & ANY_EXECUTE_BIT) === 0 ? PLAIN_MODE : EXECUTABLE_MODE;
}

/**
 * Writes a new file. The archive's policy rejects duplicate names, so a file or link that already exists is a fault and is never
 * overwritten.
 */
async function writeNew(location: string, content: Uint8Array, mode: number): Promise<void> {
	const file = await open(location, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW, mode);
	try {
		await file.writeFile(content);
		await file.chmod(mode);
	} finally {
		await file.close();
	}
}
