// Reading an upload: a multipart form that fits into memory, because a file's type is told by its whole content.
import { AppError, invalidInput } from "../../errors.ts";
import { readBytes } from "../../http/body.ts";
import { fileTooLarge } from "../../http/raw-body.ts";
import { faultsOf } from "../../http/validation.ts";
import { attachmentForm } from "./contract.ts";
import { cleanFilename, fileTypeOf, MAX_ATTACHMENT_BYTES } from "./rules.ts";

/** Boundaries, part headers and the other fields around the file. */
const FORM_OVERHEAD_BYTES = 64 * 1024;

export interface UploadedFile {
	readonly field: "description" | "input_spec" | "output_spec";
	readonly description: string | null;
	readonly filename: string;
	readonly contentType: string;
	readonly bytes: Uint8Array;
}

/** @throws AppError `FILE_TOO_LARGE`, `UNSUPPORTED_FILE_TYPE`, `VALIDATION_ERROR`, `BAD_REQUEST`. */
export async function readAttachmentForm(request: Request): Promise<UploadedFile> {
	const data = await readForm(request);
	const files = data.getAll("file");
	const file = files[0];
	if (!(file instanceof File) || files.length > 1) throw refuse("file", "send one file, in the field file");
	if (file.size > MAX_ATTACHMENT_BYTES) throw fileTooLarge(MAX_ATTACHMENT_BYTES);
	if (file.size === 0) throw refuse("file", "is empty");
	const form = attachmentForm.safeParse({ field: data.get("field") ?? undefined, description: data.get("description") ?? undefined });
	if (!form.success) throw invalidInput("VALIDATION_ERROR", faultsOf(form.error));
	const filename = cleanFilename(file.name);
	const bytes = new Uint8Array(await file.arrayBuffer());
	return {
		field: form.data.field,
		description: form.data.description || null,
		filename,
		contentType: fileTypeOf(filename, bytes),
		bytes,
	};
}

/** The form of a body that is read no further than its limit. */
async function readForm(request: Request): Promise<FormData> {
	const contentType = request.headers.get("Content-Type") ?? "";
	if (!/^multipart\/form-data\s*;/i.test(contentType)) throw refuse("file", "send a multipart/form-data body with a boundary");
	const bytes = await readBody(request);
	try {
		return await new Response(bytes, { headers: { "Content-Type": contentType } }).formData();
	} catch {
		throw refuse("file", "the form is broken or cut off");
	}
}

async function readBody(request: Request): Promise<Uint8Array> {
	try {
		return await readBytes(request, MAX_ATTACHMENT_BYTES + FORM_OVERHEAD_BYTES);
	} catch (cause) {
		if (!(cause instanceof AppError)) {
			throw new AppError("BAD_REQUEST", { message: "The upload broke off. Nothing was stored; send it again.", cause });
		}
		throw cause.code === "FILE_TOO_LARGE" ? fileTooLarge(MAX_ATTACHMENT_BYTES) : cause;
	}
}

function refuse(path: string, message: string): AppError {
	return invalidInput("VALIDATION_ERROR", [{ path, message }]);
}
