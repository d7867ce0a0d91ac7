import type { Clock } from "../platform/clock.ts";
import { FORM_OVERHEAD_BYTES, type FormFile, noFile, readParts, refuseForm, severalFiles } from "./multipart.ts";
import { bodyTooLarge, collectChunks, limitChunks, readChunks } from "./raw-body.ts";

export interface FormWithFile {
	/** The first value of each field, by the field's name. */
	readonly fields: ReadonlyMap<string, string>;
	readonly file: Pick<FormFile, "filename" | "mediaType"> & { readonly bytes: Uint8Array };
}

/**
 * Reads a multipart form and the one file in its field `file` into memory, for files that must be checked as a whole.
 *
 * @throws AppError `FILE_TOO_LARGE`; `VALIDATION_ERROR` unless the form is valid and has exactly one file, which must not be empty;
 * `BAD_REQUEST` if the body breaks off or is too slow.
 */
export async function readFormWithFile(request: Request, maxBytes: number, clock: Clock): Promise<FormWithFile> {
	const fields = new Map<string, string>();
	let file: FormWithFile["file"] | null = null;
	const body = readChunks(request, maxBytes, { overheadBytes: FORM_OVERHEAD_BYTES, clock });
	for await (const part of readParts(body, request.headers.get("Content-Type") ?? "")) {
		if (part.kind === "field") {
			if (!fields.has(part.name)) fields.set(part.name, part.value);
			continue;
		}
		if (file !== null) throw severalFiles();
		const bytes = await collectChunks(limitChunks(part.content, maxBytes, () => bodyTooLarge(maxBytes, "The file")));
		file = { filename: part.filename, mediaType: part.mediaType, bytes };
	}
	if (file === null) throw noFile();
	if (file.bytes.byteLength === 0) throw refuseForm("is empty");
	return { fields, file };
}
