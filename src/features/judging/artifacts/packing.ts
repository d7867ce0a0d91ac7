// Packs the files of a quick-submit into the artifact zip.
import { Zip, ZipDeflate, ZipPassThrough } from "fflate";
import { type FileContent, findMissingSections, SUBMISSION_MD } from "./rules.ts";

/** Equal files give equal bytes, and so an equal hash, whenever they are packed. */
const PACKED_AT = "1980-01-02T00:00:00Z";

/** Packs files, and adds a SUBMISSION.md if there is none. */
export function packFiles(files: readonly FileContent[]): {
	/** The zip is made while it is read. */
	readonly zip: AsyncIterable<Uint8Array>;
	readonly missingSections: string[];
} {
	const own = files.find((file) => file.path === SUBMISSION_MD);
	const submission = own ?? { path: SUBMISSION_MD, content: new TextEncoder().encode(generateSubmissionMd(files)) };
	const all = own === undefined ? [submission, ...files] : files;
	const zip = zipFiles(all.toSorted((a, b) => (a.path < b.path ? -1 : 1)));
	return { zip, missingSections: findMissingSections(new TextDecoder().decode(submission.content)) };
}

/** A larger file is stored as it is, because packing it would take as much memory again. */
const LARGEST_PACKED_BYTES = 1_048_576;

/** The files are added one by one, because the packer's call for a whole object loses a file that is named `__proto__`. */
async function* zipFiles(files: readonly FileContent[]): AsyncGenerator<Uint8Array, void> {
	let chunks: Uint8Array[] = [];
	const zip = new Zip((error, chunk) => {
		if (error !== null) throw error;
		chunks.push(chunk);
	});
	const drain = () => {
		const made = chunks;
		chunks = [];
		return made;
	};
	for (const { path, content } of files) {
		const entry = content.byteLength > LARGEST_PACKED_BYTES ? new ZipPassThrough(path) : new ZipDeflate(path, { level: 6 });
		entry.mtime = PACKED_AT;
		zip.add(entry);
		entry.push(content, true);
		yield* drain();
	}
	zip.end();
	yield* drain();
}

function generateSubmissionMd(files: readonly FileContent[]): string {
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
