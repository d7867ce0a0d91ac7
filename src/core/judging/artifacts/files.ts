// Reads the part of an artifact that a judge sees.
import { EvaluationFault } from "../../../domain/evaluation-fault.ts";
import type { Deps } from "../../../ports/deps.ts";
import type { Archive } from "./archive.ts";
import { openArchive } from "./artifact-index.ts";
import { ArchiveFault } from "./policy.ts";
import { ObjectGoneError } from "./range-reader.ts";
import { type ReadFiles, readTexts } from "./reading.ts";
import { readEntry } from "./unpacking.ts";

/** The maximum number of range requests for one artifact. A Worker may send a limited number, and scattered files cost one each. */
const MAX_FETCHES = 400;

export interface ArtifactFiles extends ReadFiles {
	/** The path of every file and its unpacked size, whether the file was read or not. */
	readonly manifest: readonly { readonly path: string; readonly bytes: number }[];
}

/**
 * Reads the text files of an artifact from R2, by range, in a deterministic order.
 *
 * @throws EvaluationFault if the artifact is gone or is not an allowed zip.
 */
export async function readArtifactFiles(deps: Deps, key: string): Promise<ArtifactFiles> {
	try {
		return await readFilesOf(await openArchive(deps.bucket, key));
	} catch (error) {
		throw toArtifactFault(error);
	}
}

/**
 * Reads the part of an archive that a judge sees, in a deterministic order.
 *
 * @throws ArchiveFault for an entry that cannot be unpacked.
 */
export async function readFilesOf(archive: Archive): Promise<ArtifactFiles> {
	const sources = archive.files.map((entry) => ({
		path: entry.filename,
		bytes: entry.uncompressedSize,
		isWithinReach: () => archive.reader.fetches < MAX_FETCHES,
		read: () => readEntry(archive, entry),
	}));
	return { ...(await readTexts(sources)), manifest: sources.map(({ path, bytes }) => ({ path, bytes })) };
}

/** Turns a fault of an artifact into a fault of its evaluation. Returns any other error unchanged. */
export function toArtifactFault(error: unknown): unknown {
	if (error instanceof ArchiveFault)
		return new EvaluationFault(error.message, { blame: "submission", isRetryable: false, failure: "artifact", cause: error });
	if (error instanceof ObjectGoneError) {
		return new EvaluationFault("The artifact is gone from storage.", { blame: "platform", isRetryable: false, cause: error });
	}
	return error;
}
