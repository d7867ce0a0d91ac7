// Packs the files of a quick-submit into the artifact zip.
import { type DeflateOptions, Zip, ZipDeflate, ZipPassThrough } from "fflate";
import { type FileContent, findMissingSections, SUBMISSION_MD } from "./rules.ts";

/** A fixed time, so that the same files always become the same bytes with the same hash. */
const PACKED_AT = "1980-01-02T00:00:00Z";

/**
 * Packs files, and adds a SUBMISSION.md if there is none. Empties the list, so that each file can be freed once it is packed. Otherwise,
 * memory would contain both the files and the zip.
 */
export function packFiles(files: FileContent[]): {
	/** The zip, which is created while it is being read. */
	readonly zip: AsyncIterable<Uint8Array>;
	readonly missingSections: string[];
} {
	const own = files.find((file) => file.path === SUBMISSION_MD);
	const submission = own ?? { path: SUBMISSION_MD, content: new TextEncoder().encode(generateSubmissionMd(files.map(({ path }) => path))) };
	const missingSections = findMissingSections(new TextDecoder().decode(submission.content));
	const all = [...(own === undefined ? [submission] : []), ...files.splice(0)];
	return { zip: zipFiles(all.toSorted((a, b) => (a.path < b.path ? 1 : -1))), missingSections };
}

/** A larger file is stored uncompressed, because compressing it would need as much memory again. */
const LARGEST_PACKED_BYTES = 1_048_576;

/**
 * Returns the packer's memory level for a file. By default, the packer allocates tables of half a megabyte for each file, even for small
 * ones. A level means a table of 2^level times 8 KB.
 */
function tableLevel(bytes: number): NonNullable<DeflateOptions["mem"]> {
	return MEMORY_LEVELS.find((level) => bytes <= 4_096 << level) ?? 6;
}

const MEMORY_LEVELS = [0, 1, 2, 3, 4, 5, 6] as const;

/**
 * Packs the files, removing each from the end of the list. They are added one by one, because the packer's call for a whole object loses a file that
 * is named `__proto__`.
 */
async function* zipFiles(files: FileContent[]): AsyncGenerator<Uint8Array, void> {
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
	for (let file = files.pop(); file !== undefined; file = files.pop()) {
		const { path, content } = file;
		const mem = tableLevel(content.byteLength);
		const entry = content.byteLength > LARGEST_PACKED_BYTES ? new ZipPassThrough(path) : new ZipDeflate(path, { level: 6, mem });
		entry.mtime = PACKED_AT;
		zip.add(entry);
		entry.push(content, true);
		yield* drain();
	}
	zip.end();
	yield* drain();
}

/** @param paths The paths of the other files. */
export function generateSubmissionMd(paths: readonly string[]): string {
	const list = paths.map((path) => `- ${path}`).toSorted();
	return [
		"# Submission",
		"",
		"The platform generated this file, because the submission had no SUBMISSION.md.",
		"",
		"Files received:",
		...list,
		"",
	].join("\n");
}
