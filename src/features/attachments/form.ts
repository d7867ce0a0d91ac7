// Reading an upload: a multipart form that fits into memory, because a file's type is told by its whole content.
import { invalidInput } from "../../domain/errors.ts";
import { readFormWithFile } from "../../http/form.ts";
import { faultsOf } from "../../http/validation.ts";
import { attachmentForm } from "./contract.ts";
import { cleanFilename, defaultFilenameOf, fileTypeOf, MAX_ATTACHMENT_BYTES } from "./rules.ts";

export interface UploadedFile {
	readonly field: "description" | "input_spec" | "output_spec";
	readonly description: string | null;
	readonly filename: string;
	readonly contentType: string;
	readonly bytes: Uint8Array;
}

/** @throws AppError `FILE_TOO_LARGE`, `UNSUPPORTED_FILE_TYPE`, `VALIDATION_ERROR`, `BAD_REQUEST`. */
export async function readAttachmentForm(request: Request): Promise<UploadedFile> {
	const { fields, file } = await readFormWithFile(request, MAX_ATTACHMENT_BYTES);
	const form = attachmentForm.safeParse({ field: fields.get("field"), description: fields.get("description") });
	if (!form.success) throw invalidInput("VALIDATION_ERROR", faultsOf(form.error));
	const filename = file.filename === null ? defaultFilenameOf(file.mediaType) : cleanFilename(file.filename);
	return {
		field: form.data.field,
		description: form.data.description || null,
		filename,
		contentType: fileTypeOf(filename, file.bytes),
		bytes: file.bytes,
	};
}
