import * as z from "zod";
import { trialKey } from "../../core/competition/tasks/stored-objects.ts";
import { AppError } from "../../domain/errors.ts";
import { ID } from "../../domain/example-story.ts";
import { endpoint } from "../../http/endpoint.ts";
import { idParams } from "../../http/fields.ts";
import { STORED_BYTES_HEADERS, serveObject } from "../../http/stored-bytes.ts";

export const downloadTrialArtifact = endpoint({
	method: "get",
	path: "/api/v1/trials/{id}/artifact",
	operationId: "downloadTrialArtifact",
	owner: "dry-runs",
	summary: "Download what is judged out of competition",
	description: "For the grader. The URL is the credential.",
	tags: ["Internal"],
	auth: "signed",
	rate: "none",
	params: idParams,
	response: { status: 200, description: "The zip.", contentType: "application/zip", schema: z.string(), headers: STORED_BYTES_HEADERS },
	errors: ["NOT_FOUND"],
	page: "guides/dry-runs",
	examples: { params: { id: ID.dryRun } },

	async handle(ctx, { params: { id } }) {
		const taskId = await ctx.locate(id);
		const object = taskId === null ? null : await ctx.bucket.get(trialKey(taskId, id));
		if (object === null) throw new AppError("NOT_FOUND", { message: "The trial has no artifact." });
		return serveObject(object, "application/zip", `${id}.zip`);
	},
});
