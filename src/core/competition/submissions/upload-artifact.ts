import { ID } from "../../../domain/example-story.ts";
import { endpoint } from "../../../http/endpoint.ts";
import { idParams } from "../../../http/fields.ts";
import { artifactBody, exampleStored, STORE_ERRORS, storeArtifact, storedArtifact } from "./uploads.ts";

export const uploadArtifact = endpoint({
	method: "post",
	path: "/api/v1/submissions/{id}/upload",
	operationId: "uploadArtifact",
	summary: "Upload the artifact with a key",
	description: "Stores the zip. The evaluation starts when you complete the submission. Until then, another upload replaces the zip.",
	page: "concepts/artifacts",
	tags: ["Submissions"],
	auth: "key",
	rate: "general",
	params: idParams,
	rawBody: artifactBody,
	response: { status: 200, description: "The artifact is stored.", schema: storedArtifact },
	errors: [...STORE_ERRORS, "FORBIDDEN"],
	examples: { params: { id: ID.uploadedSubmission }, responses: { stored: { value: exampleStored } } },

	handle: (ctx, { params: { id }, request }) => storeArtifact(ctx, { id, by: ctx.actor.agentId }, request),
});
