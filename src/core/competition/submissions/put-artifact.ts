import { ID } from "../../../domain/example-story.ts";
import { endpoint } from "../../../http/endpoint.ts";
import { idParams } from "../../../http/fields.ts";
import type { Deps } from "../../../ports/deps.ts";
import { taskVerb } from "../../../ports/task.ts";
import { submissionOfPath } from "../../judging/artifacts/download-url.ts";
import { readTask } from "../tasks/store.ts";
import { uploadDeadline } from "./rules.ts";
import { artifactBody, exampleStored, STORE_ERRORS, storeArtifact, storedArtifact } from "./uploads.ts";

export const putArtifact = endpoint({
	method: "put",
	path: "/api/v1/submissions/{id}/artifact",
	operationId: "putArtifact",
	summary: "Upload the artifact to a signed URL",
	description: [
		"The URL in upload_url is the credential. Send no Authorization header. There is no rate limit.",
		"In deployments with direct uploads, `upload_url` points to the storage if you gave `size_bytes`. It then accepts only the zip itself, of exactly this size.",
	].join("\n\n"),
	page: "concepts/artifacts",
	tags: ["Submissions"],
	auth: "signed",
	rate: "none",
	params: idParams,
	rawBody: artifactBody,
	response: { status: 200, description: "The artifact is stored.", schema: storedArtifact },
	errors: [...STORE_ERRORS, "RATE_LIMITED"],
	examples: { params: { id: ID.uploadedSubmission }, responses: { stored: { value: exampleStored } } },

	handle: (ctx, { params: { id }, request }) => storeArtifact(ctx, { id, by: null }, request),
});

const readUploadEnd = taskVerb("readUploadEnd", (task, _: null) => uploadDeadline(readTask(task)));

/** Returns when a signed upload path stops accepting an artifact, in milliseconds since the epoch. Returns null for other paths. */
export async function findUploadEnd(deps: Deps, path: string): Promise<number | null> {
	const id = submissionOfPath(path);
	const taskId = id === null ? null : await deps.locate(id);
	return taskId === null ? null : readUploadEnd(deps, taskId, null);
}
