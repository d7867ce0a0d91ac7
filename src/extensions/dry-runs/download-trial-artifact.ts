import * as z from "zod";
import { trialKey } from "../../core/competition/tasks/stored-objects.ts";
import { AppError } from "../../domain/errors.ts";
import { ID } from "../../domain/example-story.ts";
import { endpoint } from "../../http/endpoint.ts";
import { idParams } from "../../http/fields.ts";
import {
	asDownload,
	EXAMPLE_CONDITIONS,
	partsOfBytes,
	STORED_BYTES_CONDITIONS,
	STORED_BYTES_HEADERS,
	serveObject,
} from "../../http/stored-bytes.ts";

export const downloadTrialArtifact = endpoint({
	method: "get",
	path: "/api/v1/trials/{id}/artifact",
	operationId: "downloadTrialArtifact",
	owner: "dry-runs",
	summary: "Download an artifact that does not compete",
	description: "The grader downloads the artifact from this URL. The URL itself is the credential.",
	tags: ["Internal"],
	auth: "signed",
	rate: "none",
	params: idParams,
	headers: z.object(STORED_BYTES_CONDITIONS),
	response: {
		status: 200,
		description: "The zip.",
		contentType: "application/zip",
		schema: z.string(),
		headers: STORED_BYTES_HEADERS,
		others: partsOfBytes("application/zip"),
	},
	errors: ["NOT_FOUND", "RANGE_NOT_SATISFIABLE"],
	page: "guides/dry-runs",
	examples: { params: { id: ID.dryRun }, headers: EXAMPLE_CONDITIONS },

	async handle(ctx, { params: { id }, request }) {
		const taskId = await ctx.locate(id);
		const describe = asDownload("application/zip", `${id}.zip`);
		const response = taskId === null ? null : await serveObject(ctx.bucket, { key: trialKey(taskId, id), request, describe });
		if (response === null) throw new AppError("NOT_FOUND", { message: "The trial has no artifact." });
		return response;
	},
});
