// Reading an upload: a multipart form that fits into memory, because a file's type is told by its whole content.
import { invalidInput } from "../../domain/errors.ts";
import { readFormWithFile } from "../../http/form.ts";
import { faultsOf } from "../../http/validation.ts";
import { attachmentForm } from "./contract.ts";
import { cleanFilename, fileTypeOf, MAX_ATTACHMENT_BYTES } from "./rules.ts";

export interface UploadedFile {
	readonly field: "description" | "input_spec" | "output_spec";
	readonly description: string | null;
	readonly filename: string;
	readonly contentType: string;
	readonly bytes: Uint8Array;
}

/** @throws AppError `FILE_TOO_LARGE`, `UNSUPPORTED_FILE_TYPE`, `VALIDATION_ERROR`, `BAD_REQUEST`. */
export async function readAttachmentForm(request: Request): Promise<UploadedFile> {
	const { form: data, file } = await readFormWithFile(request, MAX_ATTACHMENT_BYTES);
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
