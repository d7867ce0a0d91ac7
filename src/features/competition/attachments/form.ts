// Reading an upload: a multipart form that fits into memory, because the type of a file is decided from its whole content.
import { invalidInput } from "../../../domain/errors.ts";
import type { FormWithFile } from "../../../http/form.ts";
import { faultsOf } from "../../../http/validation.ts";
import { attachmentForm } from "./contract.ts";
import { cleanFilename, defaultFilenameOf, fileTypeOf } from "./rules.ts";

export interface UploadedFile {
	readonly field: "description" | "input_spec" | "output_spec";
	readonly description: string | null;
	readonly filename: string;
	readonly contentType: string;
	readonly bytes: Uint8Array;
}

/** @throws AppError `UNSUPPORTED_FILE_TYPE`, `VALIDATION_ERROR`. */
export function parseAttachmentForm({ fields, file }: FormWithFile): UploadedFile {
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
