import type { Clock } from "../platform/clock.ts";
import { type AdmitLargeBody, readAdmittedChunks, useAdmitted } from "./large-bodies.ts";
import { FORM_OVERHEAD_BYTES, type FormFile, noFile, readParts, refuseForm, severalFiles } from "./multipart.ts";
import { bodyTooLarge, collect, limitChunks } from "./raw-body.ts";

export interface FormWithFile {
	/** The first value of each field. */
	readonly fields: ReadonlyMap<string, string>;
	readonly file: Pick<FormFile, "filename" | "mediaType"> & { readonly bytes: Uint8Array };
}

interface FormRules {
	readonly clock: Clock;
	readonly maxBytes: number;
	readonly admitLarge: AdmitLargeBody;
}

/**
 * Reads a multipart form and the one file in its field `file` into memory, for files that are checked as a whole. A large form takes
 * its turn among the large bodies of this isolate, until `use` has ended.
 *
 * @throws AppError `FILE_TOO_LARGE`, `VALIDATION_ERROR` without exactly one file or when the form is broken, `BAD_REQUEST` when the body
 * breaks off, `SERVICE_BUSY` when other large bodies take too long.
 */
export async function useFormWithFile<Result>(
	request: Request,
	{ clock, maxBytes, admitLarge }: FormRules,
	use: (form: FormWithFile) => Promise<Result>,
): Promise<Result> {
	return useAdmitted(clock, admitLarge, async (admit) => use(await readForm(request, maxBytes, admit)));
}

async function readForm(request: Request, maxBytes: number, admit: AdmitLargeBody): Promise<FormWithFile> {
	const fields = new Map<string, string>();
	let file: FormWithFile["file"] | null = null;
	const body = readAdmittedChunks(request, { maxBytes, overheadBytes: FORM_OVERHEAD_BYTES, admitLarge: admit });
	for await (const part of readParts(body, request.headers.get("Content-Type") ?? "")) {
		if (part.kind === "field") {
			if (!fields.has(part.name)) fields.set(part.name, part.value);
			continue;
		}
		if (file !== null) throw severalFiles();
		const bytes = await collect(limitChunks(part.content, maxBytes, () => bodyTooLarge(maxBytes, "The file")));
		file = { filename: part.filename, mediaType: part.mediaType, bytes };
	}
	if (file === null) throw noFile();
	if (file.bytes.byteLength === 0) throw refuseForm("is empty");
	return { fields, file };
}
