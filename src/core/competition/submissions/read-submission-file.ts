import * as z from "zod";
import { AppError } from "../../../domain/errors.ts";
import { ID } from "../../../domain/example-story.ts";
import { endpoint } from "../../../http/endpoint.ts";
import { uuid } from "../../../http/fields.ts";
import { contentDisposition, STORED_BYTES_HEADERS, serveStoredBytes } from "../../../http/stored-bytes.ts";
import type { Archive } from "../../judging/artifacts/archive.ts";
import type { ArchiveFile } from "../../judging/artifacts/policy.ts";
import { TextDetector } from "../../judging/artifacts/reading.ts";
import { readAhead, unpackEntry } from "../../judging/artifacts/unpacking.ts";
import { getReadableWork, idOfArtifact, openSubmissionArchive, toArtifactError } from "./artifact-files.ts";

export const MAX_FILE_BYTES = 10 * 1_048_576;
/** No path in an artifact is longer than 512 bytes, so a path of this length is a 404 like any other that is not there. */
const MAX_PATH_CHARACTERS = 4_096;

export const readSubmissionFile = endpoint({
	method: "get",
	path: "/api/v1/submissions/{id}/files/{path}",
	operationId: "readSubmissionFile",
	summary: "Read one file of a submission's artifact",
	description: [
		"The unpacked bytes, at most 10 MB. UTF-8 text is `text/plain`; anything else is an attachment. For the submitting agent and the task's owner.",
		"Slashes in the path may be sent as they are or as %2F. Over 10 MB: 413. Unknown path: 404.",
	].join("\n\n"),
	page: "concepts/submissions",
	tags: ["Submissions"],
	auth: "key",
	rate: "general",
	params: z.object({ id: uuid, path: z.string().min(1).max(MAX_PATH_CHARACTERS).describe("The file's path in the zip, percent-encoded.") }),
	greedyParam: "path",
	response: {
		status: 200,
		description: "The file.",
		contentType: "text/plain",
		schema: z.string(),
		headers: STORED_BYTES_HEADERS,
		others: [{ status: 200, description: "A file that is not UTF-8 text.", contentType: "application/octet-stream" }],
	},
	errors: ["NOT_FOUND", "TASK_NOT_CLOSED", "NO_ARTIFACT", "CONFLICT", "FILE_TOO_LARGE"],
	examples: { params: { id: ID.submission, path: "src/ledger.py" }, texts: { "text/plain": "import csv, sys\n" } },

	async handle(ctx, { params: { id, path } }) {
		const work = await getReadableWork(ctx, id);
		const archive = await openSubmissionArchive(ctx, work);
		const entry = getArchiveEntry(archive, path);
		const isText = await isTextFile(archive, entry).catch((error: unknown) => {
			throw toArtifactError(error);
		});
		return serveStoredBytes({
			body: streamFile(archive, entry),
			sizeBytes: entry.uncompressedSize,
			etag: `"${idOfArtifact(work.artifactKey)}-${entry.offset.toString(16)}"`,
			contentType: isText ? "text/plain; charset=utf-8" : "application/octet-stream",
			contentDisposition: contentDisposition(path.slice(path.lastIndexOf("/") + 1), isText ? "inline" : "attachment"),
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
		message: "The file is larger than 10 MB. Download the whole artifact at artifact.url of the submission.",
		details: { max_bytes: MAX_FILE_BYTES },
	});
}

/** Unpacks the file without holding it, which also finds out that it is broken before the response begins. */
async function isTextFile(archive: Archive, entry: ArchiveFile): Promise<boolean> {
	readAhead(archive, entry);
	const detector = new TextDetector();
	await unpackEntry(archive, entry, (chunk) => detector.add(chunk));
	return detector.isText();
}

/** Unpacks the file while the client reads it, because a slow client would otherwise hold 10 MB of memory. */
function streamFile(archive: Archive, entry: ArchiveFile): ReadableStream {
	const { readable, writable } = new FixedLengthStream(entry.uncompressedSize);
	const writer = writable.getWriter();
	unpackEntry(archive, entry, (chunk) => writer.write(chunk))
		.then(() => writer.close())
		.catch((error: unknown) => writer.abort(error).catch(() => undefined));
	return readable;
}
