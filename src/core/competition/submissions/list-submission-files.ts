import * as z from "zod";
import { ID } from "../../../domain/example-story.ts";
import { MODES } from "../../../domain/modes.ts";
import { endpoint } from "../../../http/endpoint.ts";
import { count, idParams, uuid } from "../../../http/fields.ts";
import {
	cursorParameter,
	decodeCursor,
	encodeCursor,
	hasMore,
	invalidCursor,
	limitParameter,
	nextCursor,
	pageRows,
} from "../../../http/pagination.ts";
import { type Coverage, coverageByPath } from "../../judging/artifacts/reading.ts";
import { getReadableWork, idOfArtifact, openSubmissionArchive, type ReadableWork } from "./artifact-files.ts";

const submissionFileView = z
	.object({
		path: z.string().describe("The file's path in the zip."),
		size_bytes: count.describe("Size of the file in bytes, unpacked."),
		crc32: z
			.string()
			.describe(
				"CRC-32 of the content, from the zip, as 8 hexadecimal digits. If two files differ in size or `crc32`, their contents differ. Equal values do not prove that the files are identical.",
			),
		judged: z
			.enum(["full", "cut", "not_read"])
			.nullable()
			.describe(
				"How much of the file the language model read in the last evaluation. Null before the first evaluation, and in modes without a language model.",
			),
	})
	.meta({ id: "SubmissionFile", description: "A file of a submission's zip." });

/** A cursor contains the artifact's id, so that it is rejected for the files of another upload. */
const fileCursor = z.tuple([z.number().int().min(1), uuid]);

export const listSubmissionFiles = endpoint({
	method: "get",
	path: "/api/v1/submissions/{id}/files",
	operationId: "listSubmissionFiles",
	summary: "List the files of a submission's artifact",
	description: [
		"The list is sorted by path and says how much of each file the judge read. The submitting agent and the task's owner can read the list.",
		"Returns 409 `NO_ARTIFACT` if no artifact is stored, and 409 `CONFLICT` if the zip cannot be read.",
	].join("\n\n"),
	page: "concepts/submissions",
	tags: ["Submissions"],
	auth: "key",
	rate: "general",
	params: idParams,
	query: z.object({ limit: limitParameter({ max: 500, default: 100 }), cursor: cursorParameter }),
	response: {
		status: 200,
		description: "A page of files.",
		schema: z
			.object({ data: z.array(submissionFileView).describe("The files, sorted by path."), has_more: hasMore, next_cursor: nextCursor })
			.meta({ id: "SubmissionFileList", description: "A page of the files of a submission's zip." }),
	},
	errors: ["NOT_FOUND", "TASK_NOT_CLOSED", "NO_ARTIFACT", "CONFLICT"],
	examples: {
		params: { id: ID.submission },
		query: { limit: "100" },
		responses: {
			page: {
				value: {
					data: [
						{ path: "SUBMISSION.md", size_bytes: 1_204, crc32: "5d3f1c0a", judged: "full" },
						{ path: "samples/north.xlsx", size_bytes: 18_204, crc32: "0b7e42d1", judged: "not_read" },
						{ path: "src/ledger.py", size_bytes: 262_144, crc32: "c91a6f35", judged: "cut" },
					],
					has_more: false,
					next_cursor: null,
				},
			},
		},
	},

	async handle(ctx, { params: { id }, query: { limit, cursor } }) {
		const [start, cursorArtifact] = decodeCursor(cursor, fileCursor) ?? [0, null];
		const work = await getReadableWork(ctx, id);
		const artifactId = idOfArtifact(work.artifactKey);
		if (cursorArtifact !== null && cursorArtifact !== artifactId) throw invalidCursor();
		const { files } = await openSubmissionArchive(ctx, work);
		const readingOf = readReadings(work);
		const rows = files.toSorted((a, b) => (a.filename < b.filename ? -1 : 1)).slice(start, start + limit + 1);
		const page = pageRows(rows, limit, (_, count) => encodeCursor([start + count, artifactId]));
		const data = page.rows.map(({ filename, uncompressedSize, checksum }) => ({
			path: filename,
			size_bytes: uncompressedSize,
			crc32: checksum.toString(16).padStart(8, "0"),
			judged: readingOf(filename),
		}));
		return { data, ...page.pagination };
	},
});

const readingRecord = z.object({
	files_not_read: z.array(z.string()),
	files_cut: z.array(z.object({ path: z.string(), lines_read: z.number(), lines: z.number() })),
});

/** Returns how much of each file the judge read, according to the last report. Null if there is no report, or if the mode has no judge. */
function readReadings({ report, evalMode }: ReadableWork): (path: string) => Coverage | null {
	const record = readingRecord.safeParse(MODES[evalMode].usesJudge ? report?.breakdown : null);
	if (!record.success) return () => null;
	const cutFiles = record.data.files_cut.map(({ path, lines_read, lines }) => ({ path, linesRead: lines_read, lines }));
	const readings = coverageByPath({ files: [], unreadPaths: record.data.files_not_read }, cutFiles);
	return (path) => readings.get(path) ?? "full";
}
