// The files of a stored artifact, one by one: read from the zip by range, without unpacking the rest. Contract: additions, "The work itself".
import * as z from "zod";
import { AppError } from "../../domain/errors.ts";
import { MODES } from "../../domain/modes.ts";
import { uuid } from "../../http/fields.ts";
import { decodeCursor, encodeCursor, invalidCursor, pageRows } from "../../http/pagination.ts";
import { contentDisposition, serveStoredBytes } from "../../http/stored-bytes.ts";
import { whileHolding } from "../../platform/memory-gate.ts";
import type { Ctx } from "../../ports/deps.ts";
import { type Archive, preloadEntry, readEntry, useArchive } from "../artifacts/archive.ts";
import { ArchiveFault } from "../artifacts/policy.ts";
import { ObjectGoneError } from "../artifacts/range-reader.ts";
import { describeReading, isTextIn, type Reading } from "../artifacts/reading.ts";
import { readReport } from "../evaluation/report.ts";
import { submissionNotFound } from "./service.ts";
import * as store from "./store.ts";

const MAX_FILE_BYTES = 10 * 1_048_576;

/** Where the next page starts, and in which artifact: another upload has other files. */
const fileCursor = z.tuple([z.number().int().min(1), uuid]);

/** Lists the files of a submission's artifact by path, with what the judge read of each, for its agent and the task's owner. */
export async function listSubmissionFiles(
	ctx: Ctx,
	submissionId: string,
	{ limit, cursor }: { limit: number; cursor?: string | undefined },
) {
	const place = decodeCursor(cursor, fileCursor);
	const work = await readStoredWork(ctx, submissionId);
	const artifactId = idOfArtifact(work.artifactKey);
	if (place !== null && place[1] !== artifactId) throw invalidCursor();
	const start = place?.[0] ?? 0;
	const listPage = async ({ files }: Archive) =>
		files.toSorted((a, b) => (a.filename < b.filename ? -1 : 1)).slice(start, start + limit + 1);
	const [rows, readingOf] = await Promise.all([useWork(ctx, work, listPage), readReadings(ctx, work)]);
	const page = pageRows(rows, limit, () => encodeCursor([start + limit, artifactId]));
	const data = page.rows.map((entry) => ({ path: entry.filename, size_bytes: entry.uncompressedSize, judged: readingOf(entry.filename) }));
	return { data, ...page.pagination };
}

/**
 * One file of a submission's artifact, unpacked. Text is shown as plain text; anything else is an attachment.
 *
 * @throws AppError `NOT_FOUND`, `NO_ARTIFACT`, `FILE_TOO_LARGE` over 10 MB, `CONFLICT` when the zip is broken, `SERVICE_BUSY`.
 */
export async function readSubmissionFile(ctx: Ctx, { id, path }: { id: string; path: string }): Promise<Response> {
	const work = await readStoredWork(ctx, id);
	const { bytes, offset } = await useWork(ctx, work, (archive) => unpackFile(ctx, archive, path));
	const isText = isTextIn(bytes);
	return serveStoredBytes({
		body: new Response(bytes).body,
		sizeBytes: bytes.byteLength,
		etag: `"${idOfArtifact(work.artifactKey)}-${offset.toString(16)}"`,
		contentType: isText ? "text/plain; charset=utf-8" : "application/octet-stream",
		contentDisposition: contentDisposition(path.slice(path.lastIndexOf("/") + 1), isText ? "inline" : "attachment"),
	});
}

async function unpackFile({ clock }: Ctx, archive: Archive, path: string): Promise<{ bytes: Uint8Array; offset: number }> {
	const entry = archive.files.find(({ filename }) => filename === path);
	if (entry === undefined) {
		throw new AppError("NOT_FOUND", {
			message: "The artifact has no such file. GET /api/v1/submissions/{id}/files lists its files.",
			reason: "no_such_file",
		});
	}
	// Packed data can be longer than what it unpacks to, and is held in memory too.
	if (entry.uncompressedSize > MAX_FILE_BYTES || entry.compressedSize > MAX_FILE_BYTES + PACKING_BYTES) throw fileTooLarge();
	return whileHolding(clock, async (hold) => {
		await hold(entry.compressedSize + entry.uncompressedSize);
		await preloadEntry(archive, entry);
		return { bytes: await readEntry(archive, entry), offset: entry.offset };
	});
}

/** Deflate makes data that does not compress longer by less than this, at {@link MAX_FILE_BYTES}. */
const PACKING_BYTES = 65_536;

function fileTooLarge(): AppError {
	return new AppError("FILE_TOO_LARGE", {
		message: "The file is larger than 10 MB. Download the whole artifact at artifact.url of the submission.",
		details: { max_bytes: MAX_FILE_BYTES },
	});
}

type StoredWork = store.ArtifactState & { readonly artifactKey: string };

/** @throws AppError `NOT_FOUND` for anyone but the submitting agent and the task's owner, `NO_ARTIFACT` while nothing is stored. */
async function readStoredWork(ctx: Ctx, submissionId: string): Promise<StoredWork> {
	const state = await store.findArtifactState(ctx, submissionId);
	if (state === null || ![state.agentId, state.companyId].includes(ctx.actor.agentId)) throw submissionNotFound();
	const { artifactKey } = state;
	if (artifactKey === null) throw noArtifact();
	return { ...state, artifactKey };
}

function noArtifact(cause?: unknown): AppError {
	return new AppError("NO_ARTIFACT", { message: "The submission has no artifact, so it has no files.", cause });
}

async function useWork<Result>(ctx: Ctx, { artifactKey }: StoredWork, use: (archive: Archive) => Promise<Result>): Promise<Result> {
	return useArchive(ctx, artifactKey, use).catch((error: unknown) => {
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
async function readReadings(ctx: Ctx, { reportKey, evalMode }: StoredWork): Promise<(path: string) => Reading | null> {
	const report = MODES[evalMode].usesJudge ? await readReport(ctx, reportKey) : null;
	const record = readingRecord.safeParse(report?.breakdown);
	if (!record.success) return () => null;
	const cutFiles = record.data.files_cut.map(({ path, lines_read, lines }) => ({ path, linesRead: lines_read, lines }));
	const readings = describeReading({ files: [], unreadPaths: record.data.files_not_read }, cutFiles);
	return (path) => readings.get(path) ?? "full";
}
