// The files of a stored artifact, one by one: read from the zip by range, without unpacking the rest. Contract: additions, "The work itself".
import * as z from "zod";
import { AppError } from "../../../domain/errors.ts";
import { type EvalMode, MODES } from "../../../domain/modes.ts";
import { uuid } from "../../../http/fields.ts";
import { decodeCursor, encodeCursor, invalidCursor, pageRows } from "../../../http/pagination.ts";
import { contentDisposition, serveStoredBytes } from "../../../http/stored-bytes.ts";
import type { Ctx } from "../../../ports/deps.ts";
import { type Archive, openArchive, readAhead, unpackEntry } from "../../judging/artifacts/archive.ts";
import { ArchiveFault, type ListedEntry } from "../../judging/artifacts/policy.ts";
import { ObjectGoneError } from "../../judging/artifacts/range-reader.ts";
import { describeReading, type Reading, TextDetector } from "../../judging/artifacts/reading.ts";
import type { EvaluationReport } from "../judgements/report.ts";

const MAX_FILE_BYTES = 10 * 1_048_576;

/** Where the next page starts, and in which artifact: another upload has other files. */
const fileCursor = z.tuple([z.number().int().min(1), uuid]);

/** Lists the files of a submission's artifact by path, with what the judge read of each, for its agent and the task's owner. */
export async function listSubmissionFiles(
	ctx: Ctx,
	readWork: () => Promise<StoredWork>,
	{ limit, cursor }: { limit: number; cursor?: string | undefined },
) {
	const place = decodeCursor(cursor, fileCursor);
	const work = await readWork();
	const artifactId = idOfArtifact(work.artifactKey);
	if (place !== null && place[1] !== artifactId) throw invalidCursor();
	const start = place?.[0] ?? 0;
	const { files } = await openWork(ctx, work);
	const readingOf = readReadings(work);
	const rows = files.toSorted((a, b) => (a.filename < b.filename ? -1 : 1)).slice(start, start + limit + 1);
	const page = pageRows(rows, limit, () => encodeCursor([start + limit, artifactId]));
	const data = page.rows.map((entry) => ({ path: entry.filename, size_bytes: entry.uncompressedSize, judged: readingOf(entry.filename) }));
	return { data, ...page.pagination };
}

/**
 * One file of a submission's artifact, unpacked. Text is shown as plain text; anything else is an attachment.
 *
 * @throws AppError `NOT_FOUND`, `NO_ARTIFACT`, `FILE_TOO_LARGE` over 10 MB, `CONFLICT` when the zip is broken.
 */
export async function readSubmissionFile(ctx: Ctx, work: StoredWork, path: string): Promise<Response> {
	const archive = await openWork(ctx, work);
	const entry = findFile(archive, path);
	const isText = await isTextFile(archive, entry).catch((error: unknown) => {
		throw toRefusal(error);
	});
	return serveStoredBytes({
		body: streamFile(archive, entry),
		sizeBytes: entry.uncompressedSize,
		etag: `"${idOfArtifact(work.artifactKey)}-${entry.offset.toString(16)}"`,
		contentType: isText ? "text/plain; charset=utf-8" : "application/octet-stream",
		contentDisposition: contentDisposition(path.slice(path.lastIndexOf("/") + 1), isText ? "inline" : "attachment"),
	});
}

function findFile({ files }: Archive, path: string): ListedEntry {
	const entry = files.find(({ filename }) => filename === path);
	if (entry === undefined) {
		throw new AppError("NOT_FOUND", {
			message: "The artifact has no such file. GET /api/v1/submissions/{id}/files lists its files.",
			reason: "no_such_file",
		});
	}
	if (entry.uncompressedSize > MAX_FILE_BYTES) throw fileTooLarge();
	return entry;
}

/** Unpacks the file without holding it, which also finds out whether it is broken before the response begins. */
async function isTextFile(archive: Archive, entry: ListedEntry): Promise<boolean> {
	readAhead(archive, entry);
	const detector = new TextDetector();
	await unpackEntry(archive, entry, (chunk) => detector.add(chunk));
	return detector.isText();
}

/** Unpacks the file while the client reads it, because a slow client would hold 10 MB of memory. */
function streamFile(archive: Archive, entry: ListedEntry): ReadableStream {
	const { readable, writable } = new FixedLengthStream(entry.uncompressedSize);
	const writer = writable.getWriter();
	unpackEntry(archive, entry, (chunk) => writer.write(chunk))
		.then(() => writer.close())
		.catch((error: unknown) => writer.abort(error).catch(() => undefined));
	return readable;
}

function fileTooLarge(): AppError {
	return new AppError("FILE_TOO_LARGE", {
		message: "The file is larger than 10 MB. Download the whole artifact at artifact.url of the submission.",
		details: { max_bytes: MAX_FILE_BYTES },
	});
}

/** A submission's work, for a reader who may see it. */
export interface StoredWork {
	readonly artifactKey: string;
	readonly evalMode: EvalMode;
	/** The report of the evaluation that is shown; null before there is one. */
	readonly report: EvaluationReport | null;
}

export function noArtifact(cause?: unknown): AppError {
	return new AppError("NO_ARTIFACT", { message: "The submission has no artifact, so it has no files.", cause });
}

async function openWork({ bucket }: Ctx, { artifactKey }: StoredWork): Promise<Archive> {
	return openArchive(bucket, artifactKey).catch((error: unknown) => {
		throw toRefusal(error);
	});
}

/** An artifact that was never completed, or that was refused, need not be a zip. A replaced one is gone. */
function toRefusal(error: unknown): unknown {
	if (error instanceof ArchiveFault)
		return new AppError("CONFLICT", { message: `The artifact cannot be read. ${error.message}`, cause: error });
	return error instanceof ObjectGoneError ? noArtifact(error) : error;
}

/** The name of an object, which no other artifact has. */
function idOfArtifact(key: string): string {
	return key.slice(key.lastIndexOf("/") + 1, -".zip".length);
}

const readingRecord = z.object({
	files_not_read: z.array(z.string()),
	files_cut: z.array(z.object({ path: z.string(), lines_read: z.number(), lines: z.number() })),
});

/** How much of each file the judge read, as its last report says; null before there is one, and in modes without a judge. */
function readReadings({ report, evalMode }: StoredWork): (path: string) => Reading | null {
	const record = readingRecord.safeParse(MODES[evalMode].usesJudge ? report?.breakdown : null);
	if (!record.success) return () => null;
	const cutFiles = record.data.files_cut.map(({ path, lines_read, lines }) => ({ path, linesRead: lines_read, lines }));
	const readings = describeReading({ files: [], unreadPaths: record.data.files_not_read }, cutFiles);
	return (path) => readings.get(path) ?? "full";
}
