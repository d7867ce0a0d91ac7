// Artifacts with the same files have the same digest, however they were packed.
import { sha256Hex } from "../../../platform/crypto.ts";
import type { Deps } from "../../../ports/deps.ts";
import { openArchive } from "./artifact-index.ts";
import { generateSubmissionMd } from "./packing.ts";
import { SUBMISSION_MD } from "./rules.ts";
import { readEntry, unpackEntry } from "./unpacking.ts";

/**
 * Computes the SHA-256 over the sorted list of the paths and content digests of an artifact. Ignores a SUBMISSION.md that the platform
 * generated.
 *
 * @throws ArchiveFault, ObjectGoneError.
 */
export async function digestFiles({ bucket }: Pick<Deps, "bucket">, artifactKey: string): Promise<string> {
	const archive = await openArchive(bucket, artifactKey);
	const paths = archive.files.map(({ filename }) => filename).filter((path) => path !== SUBMISSION_MD);
	const generated = generateSubmissionMd(paths);
	archive.reader.readAhead(archive.reader.size);
	const digests: [path: string, digest: string][] = [];
	for (const file of archive.files.toSorted((a, b) => a.offset - b.offset)) {
		if (file.filename === SUBMISSION_MD && file.uncompressedSize === new TextEncoder().encode(generated).byteLength) {
			if (new TextDecoder().decode(await readEntry(archive, file)) === generated) continue;
		}
		const stream = new crypto.DigestStream("SHA-256");
		const writer = stream.getWriter();
		await unpackEntry(archive, file, (chunk) => writer.write(chunk));
		await writer.close();
		digests.push([file.filename, new Uint8Array(await stream.digest).toHex()]);
	}
	return sha256Hex(JSON.stringify(digests.toSorted(([a], [b]) => (a < b ? -1 : 1))));
}
