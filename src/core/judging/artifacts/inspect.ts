// Checks an artifact when its submission is completed, or else before its evaluation.
import { EvaluationFault } from "../../../domain/evaluation-fault.ts";
import type { Deps } from "../../../ports/deps.ts";
import { type Archive, onlyArchiveFault, takeFirst } from "./archive.ts";
import { openArchive } from "./artifact-index.ts";
import { toArtifactFault } from "./files.ts";
import { sortForReading } from "./paths.ts";
import { ArchiveFault, type ArchiveFile } from "./policy.ts";
import { findMissingSections, SUBMISSION_MD } from "./rules.ts";
import { readEntry } from "./unpacking.ts";

const MAX_SUBMISSION_MD_BYTES = 1_048_576;
/** The number of packed bytes whose checksums are verified. A small artifact is verified as a whole, a large one in part. */
const VERIFIED_PACKED_BYTES = 256 * 1024;
const VERIFIED_UNPACKED_BYTES = 8 * 1_048_576;
/** An inspection verifies no more files after this many bytes or requests. Scattered files cost one request each. */
const MAX_SAMPLING_BYTES = 640 * 1024;
const MAX_SAMPLING_FETCHES = 24;

/**
 * Checks an artifact's directory, its SUBMISSION.md, and a sample of its other files.
 *
 * @throws ArchiveFault, ObjectGoneError.
 */
export async function inspectArtifact(
	{ bucket }: Pick<Deps, "bucket">,
	key: string,
): Promise<{
	/** The sections that SUBMISSION.md lacks. Null if there is no SUBMISSION.md at the root. */
	readonly missingSections: string[] | null;
	readonly paths: readonly string[];
	/** The number of bytes that were read from storage. */
	readonly bytesRead: number;
}> {
	const archive = await openArchive(bucket, key);
	const missingSections = await takeFirst(inspectArchive(archive));
	return { missingSections, paths: archive.files.map(({ filename }) => filename), bytesRead: archive.reader.bytesRead };
}

/**
 * Yields the faults of individual entries in a zip that is valid as a whole. Returns the missing sections, or null without a SUBMISSION.md.
 */
export async function* inspectArchive(archive: Archive): AsyncGenerator<ArchiveFault, string[] | null, void> {
	const submission = archive.files.find((file) => file.filename === SUBMISSION_MD);
	if (submission === undefined) return null;
	const markdown = await readSubmissionMd(archive, submission).catch(onlyArchiveFault);
	if (markdown instanceof ArchiveFault) yield markdown;
	yield* verifySample(archive);
	return findMissingSections(typeof markdown === "string" ? markdown : "");
}

async function readSubmissionMd(archive: Archive, submission: ArchiveFile): Promise<string> {
	if (submission.uncompressedSize > MAX_SUBMISSION_MD_BYTES) {
		throw new ArchiveFault("SUBMISSION.md is larger than 1 MB.", { path: SUBMISSION_MD });
	}
	return new TextDecoder().decode(await readEntry(archive, submission));
}

/**
 * Checks an artifact before its evaluation, unless it has passed these checks before. A re-evaluation can be requested even for an artifact
 * that was rejected when its submission was completed.
 *
 * @throws EvaluationFault
 */
export async function assertAcceptable(
	deps: Deps,
	{
		artifactKey,
		missingSections,
	}: {
		readonly artifactKey: string;
		/** The sections that SUBMISSION.md lacks. Null if the artifact has not been inspected yet. */
		readonly missingSections: readonly string[] | null;
	},
): Promise<void> {
	if (missingSections !== null) return;
	const inspection = await inspectArtifact(deps, artifactKey).catch((error: unknown) => {
		throw toArtifactFault(error);
	});
	if (inspection.missingSections !== null) return;
	throw new EvaluationFault("The zip has no SUBMISSION.md at its root.", { blame: "submission", isRetryable: false, failure: "artifact" });
}

async function* verifySample(archive: Archive): AsyncGenerator<ArchiveFault, void, void> {
	const { files, reader } = archive;
	let packed = VERIFIED_PACKED_BYTES;
	let unpacked = VERIFIED_UNPACKED_BYTES;
	const placed = files.map((file) => ({ file, path: file.filename, bytes: file.uncompressedSize }));
	for (const { file } of sortForReading(placed)) {
		packed -= file.compressedSize;
		unpacked -= file.uncompressedSize;
		const isSpent = reader.bytesRead > MAX_SAMPLING_BYTES || reader.fetches > MAX_SAMPLING_FETCHES;
		if (packed < 0 || unpacked < 0 || isSpent) return;
		if (file.filename === SUBMISSION_MD) continue;
		const content = await readEntry(archive, file).catch(onlyArchiveFault);
		if (content instanceof ArchiveFault) yield content;
	}
}
