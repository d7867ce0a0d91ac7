import * as z from "zod";
import { AppError } from "../../../domain/errors.ts";
import { ID } from "../../../domain/example-story.ts";
import { endpoint } from "../../../http/endpoint.ts";
import { idParams } from "../../../http/fields.ts";
import {
	asDownload,
	EXAMPLE_CONDITIONS,
	partsOfBytes,
	STORED_BYTES_CONDITIONS,
	STORED_BYTES_HEADERS,
	serveObject,
} from "../../../http/stored-bytes.ts";
import { taskVerb } from "../../../ports/task.ts";
import { getSubmissionRow } from "./store.ts";

export const getArtifact = endpoint({
	method: "get",
	path: "/api/v1/submissions/{id}/artifact",
	operationId: "getArtifact",
	summary: "Download an artifact from a signed URL",
	description:
		"You get the URL as `artifact.url` when you read a submission, and as `output_url` when you complete one. External judges get it as `artifact_url`.",
	page: "concepts/artifacts",
	tags: ["Submissions"],
	auth: "signed",
	rate: "none",
	params: idParams,
	headers: z.object(STORED_BYTES_CONDITIONS),
	response: {
		status: 200,
		description: "The zip.",
		contentType: "application/zip",
		schema: z.string(),
		headers: { ...STORED_BYTES_HEADERS, "Content-Disposition": "A file name with the submission's id." },
		others: partsOfBytes("application/zip"),
	},
	errors: ["NOT_FOUND", "RANGE_NOT_SATISFIABLE"],
	examples: { params: { id: ID.uploadedSubmission }, headers: EXAMPLE_CONDITIONS },

	async handle(ctx, { params: { id }, request }) {
		const taskId = await ctx.locate(id);
		const key = taskId === null ? null : await readArtifactKey(ctx, taskId, { id });
		const describe = asDownload("application/zip", `${id}.zip`);
		const response = key === null ? null : await serveObject(ctx.bucket, { key, request, describe });
		if (response === null) throw new AppError("NOT_FOUND", { message: "The submission has no artifact." });
		return response;
	},
});

const readArtifactKey = taskVerb("readArtifactKey", (task, { id }: { id: string }) => getSubmissionRow(task, id).artifactKey);
