import type { Clock } from "../platform/clock.ts";
import { LARGE_BODY_BYTES, LARGE_BODY_READ_MS, useAdmitted } from "./large-bodies.ts";
import { FORM_OVERHEAD_BYTES, type FormFile, noFile, readParts, refuseForm, severalFiles } from "./multipart.ts";
import { announcedLengthOf, bodyTooLarge, collect, limitChunks, readChunks } from "./raw-body.ts";

export interface FormWithFile {
	/** The first value of each field. */
	readonly fields: ReadonlyMap<string, string>;
	readonly file: Pick<FormFile, "filename" | "mediaType"> & { readonly bytes: Uint8Array };
}

interface FormRules {
	readonly clock: Clock;
	readonly maxBytes: number;
	/** Runs before more than {@link LARGE_BODY_BYTES} of a form are held. What it throws refuses the request. */
	readonly admitLarge: () => Promise<unknown>;
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

async function* readAdmitted(request: Request, maxBytes: number, admit: () => Promise<void>): AsyncGenerator<Uint8Array> {
	let isAdmitted = (announcedLengthOf(request) ?? 0) > LARGE_BODY_BYTES;
	if (isAdmitted) await admit();
	let bytes = 0;
	const rules = { overheadBytes: FORM_OVERHEAD_BYTES, signal: AbortSignal.timeout(LARGE_BODY_READ_MS) };
	for await (const chunk of readChunks(request, maxBytes, rules)) {
		bytes += chunk.byteLength;
		if (!isAdmitted && bytes > LARGE_BODY_BYTES) {
			isAdmitted = true;
			await admit();
		}
		yield chunk;
	}
}

async function readForm(request: Request, maxBytes: number, admit: () => Promise<void>): Promise<FormWithFile> {
	const fields = new Map<string, string>();
	let file: FormWithFile["file"] | null = null;
	const body = readAdmitted(request, maxBytes, admit);
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
