// Packing the files of a quick-submit into the artifact zip: neither a rule nor SQL, and the only user of the packer.
import { type Zippable, zipSync } from "fflate";
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
	// A null prototype, because `__proto__` is a possible file name.
	const entries: Zippable = Object.create(null);
	for (const file of all.toSorted((a, b) => (a.path < b.path ? -1 : 1))) entries[file.path] = file.content;
	const zip = zipSync(entries, { level: 6, mtime: PACKED_AT });
	const missingSections = findMissingSections(new TextDecoder().decode(submission.content));
	return { zip, sha256: await sha256Hex(zip), missingSections };
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
