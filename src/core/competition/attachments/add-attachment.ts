import * as z from "zod";
import { admittingVerb, repeatableVerb } from "../../../db/task/replies.ts";
import { type AttachmentRow, attachments, type JudgedAttachmentRow, judgedAttachments } from "../../../db/task/schema/task.ts";
import { invalidInput } from "../../../domain/errors.ts";
import { ID } from "../../../domain/example-story.ts";
import { endpoint } from "../../../http/endpoint.ts";
import { idParams, text } from "../../../http/fields.ts";
import { type FormWithFile, readFormWithFile } from "../../../http/form.ts";
import { hashJson, replyWith } from "../../../http/repeated-calls.ts";
import { contentDisposition } from "../../../http/stored-bytes.ts";
import { describeIssue, faultsOf } from "../../../http/validation.ts";
import { sha256Hex } from "../../../platform/crypto.ts";
import { commitUse } from "../../identity/network-caps/service.ts";
import { logAttachment } from "../public-log/log.ts";
import { attachmentField } from "../tasks/fixed-task.ts";
import { readOwnTask, touchDraft } from "../tasks/store.ts";
import { attachmentPrefix, storeThenRefer } from "../tasks/stored-objects.ts";
import { attachmentView, countAttachments, exampleAttachment, hasAttachment, type ListedAttachment, viewAttachment } from "./attachment.ts";
import * as rules from "./rules.ts";

const formFields = z.object({
	field: attachmentField.describe("The field of the task that the file belongs to."),
	description: text({ max: 1_000 }).optional().describe("What the file contains."),
});

/**
 * A pattern instead of an enum. Client generators turn an enum in a form into a named type, and their code does not compile: in Kotlin,
 * `field` is a reserved word, and in Rust, the type's path is wrong.
 */
const describedField = z
	.string()
	.max(20)
	.regex(/^(?:description|input_spec|output_spec)$/)
	.describe("The field of the task that the file belongs to: description, input_spec or output_spec.");

export const addAttachment = endpoint({
	method: "post",
	path: "/api/tasks/{id}/attachments",
	operationId: "addAttachment",
	summary: "Attach a file to a task",
	description: `The task's owner can attach files at any time. A task has at most ${rules.MAX_ATTACHMENTS} attachments. The judge reads the text files that were attached before the task was published; later files are for people.`,
	tags: ["Internal"],
	auth: "key",
	rate: "general",
	idempotent: true,
	params: idParams,
	rawBody: {
		contentTypes: ["multipart/form-data"],
		description:
			"A form with `file` (.csv, .json, .png, .jpg, .jpeg, .webp, .pdf or .txt, whose content matches its name, at most 10 MB), `field` (description, input_spec or output_spec) and optionally `description` (up to 1000 characters). If the file has no name, or is named `blob`, its Content-Type determines what kind of file it is.",
		form: {
			schema: z.object({
				file: z.string().meta({
					format: "binary",
					description: "A .csv, .json, .png, .jpg, .jpeg, .webp, .pdf or .txt file whose content matches its name, at most 10 MB.",
				}),
				...formFields.shape,
				field: describedField,
			}),
			contentTypes: { file: "text/csv, application/json, image/png, image/jpeg, image/webp, application/pdf, text/plain" },
		},
	},
	response: { status: 201, description: "The attachment.", schema: attachmentView, carriesSecret: true },
	errors: ["VALIDATION_ERROR", "BAD_REQUEST", "FILE_TOO_LARGE", "UNSUPPORTED_FILE_TYPE", "NOT_FOUND", "FORBIDDEN", "ATTACHMENT_LIMIT"],
	examples: { params: { id: ID.task }, responses: { attached: { value: { ...exampleAttachment, judged: null } } } },

	async handle(ctx, { params: { id: taskId }, request, repeatable: call }) {
		const file = parseForm(await readFormWithFile(request, rules.MAX_ATTACHMENT_BYTES, ctx.clock));
		const { bytes, ...facts } = file;
		const by = ctx.actor.agentId;
		const now = ctx.clock.now();
		const sha256 = await sha256Hex(bytes);
		const repeatable = call === null ? null : { ...call, requestHash: await hashJson({ ...facts, bytes: sha256 }) };
		const earlier = await admitAttachment(ctx, taskId, { repeatable, input: { by } });
		if (earlier !== null) return replyWith(await viewAttachment(ctx, taskId, earlier.output), earlier);
		const row = { id: ctx.ids.next(), ...facts, sha256, fileSize: bytes.byteLength, createdAt: now };
		const text = rules.judgedTextOf(row.contentType, bytes);
		const copy = text === null ? null : { id: row.id, field: row.field, filename: row.filename, sha256, text };
		await commitUse(ctx, { agentId: by, kind: "bytes", amount: row.fileSize });
		const key = attachmentPrefix(taskId) + row.id;
		const httpMetadata = {
			contentType: rules.servedContentType(facts.contentType),
			contentDisposition: contentDisposition(facts.filename),
		};
		const attached = await storeThenRefer(ctx, { key, store: () => ctx.bucket.put(key, bytes, { httpMetadata }) }, () =>
			storeAttachment(ctx, taskId, { repeatable, input: { id: row.id, by, row, copy } }),
		);
		if (attached.isRepeated) ctx.background(ctx.bucket.delete(key));
		return replyWith(await viewAttachment(ctx, taskId, attached.output), attached);
	},
});

/**
 * Checks the fields of a form, and compares the whole file with the type that its name claims, which is why the form is in memory.
 *
 * @throws AppError `UNSUPPORTED_FILE_TYPE`, `VALIDATION_ERROR`.
 */
function parseForm({ fields, file }: FormWithFile) {
	const formTexts = { field: fields.get("field"), description: fields.get("description") };
	const form = formFields.safeParse(formTexts, { error: describeIssue });
	if (!form.success) throw invalidInput("VALIDATION_ERROR", faultsOf(form.error));
	const filename = file.filename === null ? rules.defaultFilenameOf(file.mediaType) : rules.cleanFilename(file.filename);
	return {
		field: form.data.field,
		description: form.data.description || null,
		filename,
		contentType: rules.fileTypeOf(filename, file.bytes),
		bytes: file.bytes,
	};
}

/** Attaches a file that is already stored. Idempotent. */
const storeAttachment = repeatableVerb("storeAttachment", (task, { by, row, copy }: NewAttachment): ListedAttachment => {
	const isDraft = readOwnTask(task, by).status === "draft";
	const added = { ...row, judged: isDraft ? null : false };
	if (hasAttachment(task, row.id)) return added;
	rules.assertRoomForAttachment(countAttachments(task));
	task.db.insert(attachments).values(row).run();
	if (isDraft && copy !== null) task.db.insert(judgedAttachments).values(copy).run();
	if (!isDraft) logAttachment(task, "attachment_added", row);
	touchDraft(task);
	return added;
});

interface NewAttachment {
	readonly id: string;
	readonly by: string;
	readonly row: AttachmentRow;
	/** The copy that the judge reads. Null unless the file is text. */
	readonly copy: JudgedAttachmentRow | null;
}

/** Runs the checks of {@link storeAttachment} before the file is stored. */
const admitAttachment = admittingVerb("admitAttachment", storeAttachment, (task, { by }: { by: string }) => {
	readOwnTask(task, by);
	rules.assertRoomForAttachment(countAttachments(task));
});
