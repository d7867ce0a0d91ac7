import * as z from "zod";
import { AppError } from "../../../domain/errors.ts";
import { ID } from "../../../domain/example-story.ts";
import { endpoint } from "../../../http/endpoint.ts";
import { idParams } from "../../../http/fields.ts";
import { serveObject } from "../../../http/stored-bytes.ts";
import { taskVerb } from "../../../ports/task.ts";
import { getSubmissionRow } from "./store.ts";

export const getArtifact = endpoint({
	method: "get",
	path: "/api/v1/submissions/{id}/artifact",
	operationId: "getArtifact",
	summary: "Download an artifact from a signed URL",
	description: "You get the URL as output_url when a submission is completed, and as artifact_url in requests to external judges.",
	page: "concepts/artifacts",
	tags: ["Submissions"],
	auth: "signed",
	rate: "none",
	params: idParams,
	response: {
		status: 200,
		description: "The zip.",
		contentType: "application/zip",
		schema: z.string(),
		headers: { "Content-Disposition": "The submission's id as the file's name.", ETag: "Version of the artifact." },
	},
	errors: ["NOT_FOUND"],
	examples: { params: { id: ID.uploadedSubmission } },

	async handle(ctx, { params: { id } }) {
		const taskId = await ctx.locate(id);
		const key = taskId === null ? null : await readArtifactKey(ctx, taskId, { id });
		const object = key === null ? null : await ctx.bucket.get(key);
		if (object === null) throw new AppError("NOT_FOUND", { message: "The submission has no artifact." });
		return serveObject(object, "application/zip", `${id}.zip`);
	},
});

const readArtifactKey = taskVerb("readArtifactKey", (task, { id }: { id: string }) => getSubmissionRow(task, id).artifactKey);
