import * as z from "zod";
import { AppError } from "../../../domain/errors.ts";
import { ID } from "../../../domain/example-story.ts";
import { endpoint } from "../../../http/endpoint.ts";
import { uuid } from "../../../http/fields.ts";
import {
	type ByteRange,
	chooseBytes,
	contentDisposition,
	EXAMPLE_CONDITIONS,
	partsOfBytes,
	STORED_BYTES_CONDITIONS,
	STORED_BYTES_HEADERS,
	serveStoredBytes,
} from "../../../http/stored-bytes.ts";
import type { Archive } from "../../judging/artifacts/archive.ts";
import type { ArchiveFile } from "../../judging/artifacts/policy.ts";
import { TextDetector } from "../../judging/artifacts/reading.ts";
import { readAhead, unpackStart } from "../../judging/artifacts/unpacking.ts";
import { getReadableWork, idOfArtifact, openSubmissionArchive, toArtifactError } from "./artifact-files.ts";

export const MAX_FILE_BYTES = 10 * 1_048_576;
/** Above the longest path in an artifact (512 bytes), so that a path that is too long returns 404, like any unknown path. */
const MAX_PATH_CHARACTERS = 4_096;

export const readSubmissionFile = endpoint({
	method: "get",
	path: "/api/v1/submissions/{id}/files/{path}",
	operationId: "readSubmissionFile",
	summary: "Read one file of a submission's artifact",
	description: [
		"The unpacked bytes, at most 10 MB. UTF-8 text is returned as `text/plain`, anything else as an attachment. The submitting agent and the task's owner can read the file.",
		"You can send slashes in the path unescaped or as %2F. Returns 413 for a file over 10 MB, and 404 for an unknown path.",
	].join("\n\n"),
	page: "concepts/submissions",
	tags: ["Submissions"],
	auth: "key",
	rate: "general",
	params: z.object({ id: uuid, path: z.string().min(1).max(MAX_PATH_CHARACTERS).describe("The file's path in the zip, percent-encoded.") }),
	headers: z.object(STORED_BYTES_CONDITIONS),
	greedyParam: "path",
	response: {
		status: 200,
		description: "The file.",
		contentType: "text/plain",
		schema: z.string(),
		headers: STORED_BYTES_HEADERS,
		others: [
			{ status: 200, description: "A file that is not UTF-8 text.", contentType: "application/octet-stream" },
			...partsOfBytes("text/plain"),
		],
	},
	errors: ["NOT_FOUND", "TASK_NOT_CLOSED", "NO_ARTIFACT", "CONFLICT", "FILE_TOO_LARGE", "RANGE_NOT_SATISFIABLE"],
	examples: {
		params: { id: ID.submission, path: "src/ledger.py" },
		headers: EXAMPLE_CONDITIONS,
		texts: { "text/plain": "import csv, sys\n" },
	},

	async handle(ctx, { params: { id, path }, request }) {
		const work = await getReadableWork(ctx, id);
		const archive = await openSubmissionArchive(ctx, work);
		const entry = getArchiveEntry(archive, path);
		const sizeBytes = entry.uncompressedSize;
		const etag = `"${idOfArtifact(work.artifactKey)}-${entry.offset.toString(16)}"`;
		const selection = chooseBytes(request, { etag, sizeBytes });
		if (selection instanceof Response) return selection;
		const { range, isHead } = selection;
		const isText = await isTextFile(archive, entry, range).catch((error: unknown) => {
			throw toArtifactError(error);
		});
		return serveStoredBytes({
			body: isHead ? null : streamFile(archive, entry, range ?? { offset: 0, length: sizeBytes }),
			sizeBytes,
			etag,
			contentType: isText ? "text/plain; charset=utf-8" : "application/octet-stream",
			contentDisposition: contentDisposition(path.slice(path.lastIndexOf("/") + 1), isText ? "inline" : "attachment"),
			range,
		});
	},
});

function getArchiveEntry({ files }: Archive, path: string): ArchiveFile {
	const entry = files.find(({ filename }) => filename === path);
	if (entry === undefined) {
		throw new AppError("NOT_FOUND", {
			message: "The artifact has no such file. GET /api/v1/submissions/{id}/files lists its files.",
			reason: "no_such_file",
		});
	}
	if (entry.uncompressedSize <= MAX_FILE_BYTES) return entry;
	throw new AppError("FILE_TOO_LARGE", {
		message: "The file is larger than 10 MB. Download the whole artifact from the submission's artifact.url.",
		details: { max_bytes: MAX_FILE_BYTES },
	});
}

/**
 * Unpacks the file without keeping it in memory, to find out before the response begins whether it is broken and whether it is text. For a
 * range, stops at its end, because the rest would only be needed for the media type.
 */
async function isTextFile(archive: Archive, entry: ArchiveFile, range: ByteRange | null): Promise<boolean> {
	const end = range === null ? entry.uncompressedSize : range.offset + range.length;
	readAhead(archive, entry, end);
	const detector = new TextDetector();
	for await (const chunk of unpackStart(archive, entry, end)) detector.add(chunk);
	return end < entry.uncompressedSize ? detector.mayBeText() : detector.isText();
}

/** Unpacks the bytes while the client reads them. Otherwise a slow client would occupy 10 MB of memory. */
function streamFile(archive: Archive, entry: ArchiveFile, range: ByteRange): ReadableStream {
	const { readable, writable } = new FixedLengthStream(range.length);
	const writer = writable.getWriter();
	writeRange(writer, unpackStart(archive, entry, range.offset + range.length), range)
		.then(() => writer.close())
		.catch((error: unknown) => writer.abort(error).catch(() => undefined));
	return readable;
}

/** Compressed data can only be read from its beginning, so everything before the range must be unpacked too. */
async function writeRange(writer: WritableStreamDefaultWriter<Uint8Array>, chunks: AsyncIterable<Uint8Array>, { offset }: ByteRange) {
	let skipped = 0;
	for await (const chunk of chunks) {
		const from = Math.min(chunk.byteLength, offset - skipped);
		skipped += from;
		if (from < chunk.byteLength) await writer.write(chunk.subarray(from));
	}
}
