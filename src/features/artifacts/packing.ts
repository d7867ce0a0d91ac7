// Packing the files of a quick-submit into the artifact zip: neither a rule nor SQL, and the only user of the packer.
import { Zip, ZipDeflate, ZipPassThrough } from "fflate";
import { sha256Hex } from "../../platform/crypto.ts";
import { findMissingSections, SUBMISSION_MD, type SubmittedFile } from "./rules.ts";

export interface Bundle {
	readonly zip: Uint8Array;
	readonly sha256: string;
	readonly missingSections: string[];
}

/** Equal files give equal bytes, and so an equal hash, whenever they are packed. */
const PACKED_AT = "1980-01-02T00:00:00Z";

/** Packs files, adding a SUBMISSION.md when there is none. */
export async function packFiles(files: readonly SubmittedFile[]): Promise<Bundle> {
	const own = files.find((file) => file.path === SUBMISSION_MD);
	const submission = own ?? { path: SUBMISSION_MD, content: new TextEncoder().encode(generateSubmissionMd(files)) };
	const all = own === undefined ? [submission, ...files] : files;
	const zip = await zipFiles(all.toSorted((a, b) => (a.path < b.path ? -1 : 1)));
	const missingSections = findMissingSections(new TextDecoder().decode(submission.content));
	return { zip, sha256: await sha256Hex(zip), missingSections };
}

/** A larger file is stored uncompressed: a file that compresses very well looks like a zip bomb to readers. */
const LARGEST_PACKED_BYTES = 1_048_576;

/** One by one, because the packer's call for a whole object loses a file that is named `__proto__`. */
async function zipFiles(files: readonly SubmittedFile[]): Promise<Uint8Array> {
	const chunks: Uint8Array<ArrayBuffer>[] = [];
	const zip = new Zip((error, chunk) => {
		if (error !== null) throw error;
		chunks.push(chunk);
	});
	for (const { path, content } of files) {
		const entry = content.byteLength > LARGEST_PACKED_BYTES ? new ZipPassThrough(path) : new ZipDeflate(path, { level: 6 });
		entry.mtime = PACKED_AT;
		zip.add(entry);
		entry.push(content, true);
	}
	zip.end();
	return new Uint8Array(await new Blob(chunks).arrayBuffer());
}

function generateSubmissionMd(files: readonly SubmittedFile[]): string {
	const list = files.map((file) => `- ${file.path}`).toSorted();
	return [
		"# Submission",
		"",
		"The platform generated this file, because the submission came without a SUBMISSION.md of its own.",
		"",
		"Files received:",
		...list,
		"",
	].join("\n");
}
