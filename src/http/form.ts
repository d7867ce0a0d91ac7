import { AppError, invalidInput } from "../domain/errors.ts";
import { readBytes } from "./body.ts";
import { fileTooLarge } from "./raw-body.ts";

/** Boundaries, part headers and the other fields around the file. */
const FORM_OVERHEAD_BYTES = 64 * 1024;

/**
 * A multipart form that fits into memory, and the one file in its field `file`: for files that are judged by their whole content.
 *
 * @throws AppError `FILE_TOO_LARGE`, `VALIDATION_ERROR` when there is no such file, `BAD_REQUEST` when the upload breaks off.
 */
export async function readFormWithFile(request: Request, maxBytes: number): Promise<{ form: FormData; file: File }> {
	const form = await readForm(request, maxBytes);
	const files = form.getAll("file");
	const file = files[0];
	if (!(file instanceof File) || files.length > 1) throw refuse("send one file, in the field file");
	if (file.size > maxBytes) throw fileTooLarge(maxBytes);
	if (file.size === 0) throw refuse("is empty");
	return { form, file };
}

/** The form of a body that is read no further than its limit. */
async function readForm(request: Request, maxBytes: number): Promise<FormData> {
	const contentType = request.headers.get("Content-Type") ?? "";
	if (!/^multipart\/form-data\s*;/i.test(contentType)) throw refuse("send a multipart/form-data body with a boundary");
	const bytes = await readBody(request, maxBytes);
	try {
		return await new Response(bytes, { headers: { "Content-Type": contentType } }).formData();
	} catch {
		throw refuse("the form is broken or cut off");
	}
}

async function readBody(request: Request, maxBytes: number): Promise<Uint8Array> {
	try {
		return await readBytes(request, maxBytes + FORM_OVERHEAD_BYTES);
	} catch (cause) {
		if (!(cause instanceof AppError)) {
			throw new AppError("BAD_REQUEST", { message: "The upload broke off. Nothing was stored; send it again.", cause });
		}
		throw cause.code === "FILE_TOO_LARGE" ? fileTooLarge(maxBytes) : cause;
	}
}

function refuse(message: string): AppError {
	return invalidInput("VALIDATION_ERROR", [{ path: "file", message }]);
}
