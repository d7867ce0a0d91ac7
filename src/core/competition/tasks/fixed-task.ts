// Publishing freezes what the judge will see of a task. The task's views show this content or hashes of its parts, and a hash of the whole.
import { asc } from "drizzle-orm";
import * as z from "zod";
import { prepareOnce } from "../../../db/task/prepared.ts";
import { ATTACHMENT_FIELDS, judgedAttachments, type TaskRow } from "../../../db/task/schema/task.ts";
import { IMAGE_DIGEST } from "../../../domain/image-reference.ts";
import { sha256 } from "../../../http/fields.ts";
import type { TaskStore } from "../../../ports/task.ts";

export const attachmentField = z
	.enum(ATTACHMENT_FIELDS)
	.meta({ id: "AttachmentField", description: "A field of a task that files can belong to." });

const judgedAttachmentView = z
	.object({
		field: attachmentField.describe("The field of the task that the file belongs to."),
		filename: z.string().describe("The file's name."),
		sha256: sha256.describe("SHA-256 of the file, in hex."),
	})
	.meta({ id: "JudgedAttachment", description: "A text file that the judge reads, as it was when the task was published." });

export const fixedFields = {
	task_sha256: sha256
		.nullable()
		.describe(
			"SHA-256 of everything about the task that the judge sees, fixed when the task is published. Receipts contain it too, and `npm run verify -- --task` recomputes it. Null in a draft.",
		),
	test_suite_sha256: sha256.nullable().describe("SHA-256 of the test suite, in hex. Null without a suite."),
	eval_image_digest: z
		.string()
		.regex(IMAGE_DIGEST)
		.nullable()
		.describe("The digest of the image when the task was published. Null without an image, and if the registry could not be reached then."),
	judged_attachments: z
		.array(judgedAttachmentView)
		.describe("The text files that the task was published with, oldest first, even if they were deleted later. Empty in a draft."),
};

export const exampleFixed = {
	task_sha256: "b5bb9d8014a0f9b1d61e21e796d78dccdf1352f23cd32812f4850b878ae4944c",
	test_suite_sha256: null,
	eval_image_digest: null,
	judged_attachments: [
		{
			field: "input_spec" as const,
			filename: "north-bank.csv",
			sha256: "7d865e959b2466918c9863afca942d0fb89d7c9ac0c99bafc3749504ded97730",
		},
	],
};

const judgedQuery = prepareOnce((db) =>
	db
		.select({ field: judgedAttachments.field, filename: judgedAttachments.filename, sha256: judgedAttachments.sha256 })
		.from(judgedAttachments)
		.orderBy(asc(judgedAttachments.id))
		.prepare(),
);

/** Reads the names and hashes of the files that the judge reads. */
export function readJudgedAttachments({ db }: TaskStore) {
	return judgedQuery(db).all();
}

export function viewFixed(
	task: Pick<TaskRow, "status" | "taskSha256" | "testSuiteSha256" | "publishedImageDigest">,
	judged: ReturnType<typeof readJudgedAttachments>,
) {
	return {
		task_sha256: task.taskSha256,
		test_suite_sha256: task.testSuiteSha256,
		eval_image_digest: task.publishedImageDigest,
		judged_attachments: task.status === "draft" ? [] : judged.map(({ field, filename, sha256 }) => ({ field, filename, sha256 })),
	};
}
