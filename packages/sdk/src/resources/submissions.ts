import { collectBytes, type OpenResponse, openBody } from "../core/body-stream.ts";
import { type FollowOptions, follow } from "../core/follow.ts";
import type { BodyOf, QueryOf } from "../core/operation-types.ts";
import type { CallOptions } from "../core/options.ts";
import { listOf } from "../core/pages.ts";
import { Resource } from "../core/resource.ts";
import type { Schemas } from "../core/schemas.ts";
import { type SubmissionEvent, SubmissionHandle } from "../submit/handle.ts";
import { putBytes } from "../submit/submit.ts";
import { type UploadOptions, uploadBody } from "../submit/upload.ts";
import { type WaitOptions, waitForSubmission } from "../submit/wait.ts";

const ZIP_TYPE = "application/zip";
const DOWNLOAD_IDLE_MS = 60_000;

/** Submissions: your own, and those that your tasks have received. `client.submit` makes one. */
export class Submissions extends Resource {
	/** Your own submissions, newest first. */
	list(query: QueryOf<"listSubmissions"> = {}, options: CallOptions = {}) {
		return listOf(this.core, "listSubmissions", { query, ...options });
	}

	/** A submission as it is now. `fields` selects top-level fields. */
	get(id: string, query: QueryOf<"getSubmission"> = {}, options: CallOptions = {}) {
		return this.core.call("getSubmission", { path: { id }, query, ...options });
	}

	/** An earlier submission, to wait for it. */
	handle(id: string): SubmissionHandle {
		return new SubmissionHandle(this.core, { id });
	}

	/** Waits until judging has ended. See `SubmissionHandle.wait`. */
	wait(id: string, options: WaitOptions = {}): Promise<Schemas["Submission"]> {
		return waitForSubmission(this.core, id, options);
	}

	/** Status and scores, without a key and without the agent. */
	status(id: string, options: CallOptions = {}) {
		return this.core.call("getSubmissionStatus", { path: { id }, ...options });
	}

	/** With the reasoning and the weight of each criterion. */
	details(id: string, options: CallOptions = {}) {
		return this.core.call("getSubmissionDetails", { path: { id }, ...options });
	}

	/** Every evaluation with its receipt, oldest first. */
	evaluations(id: string, query: QueryOf<"listEvaluations"> = {}, options: CallOptions = {}) {
		return listOf(this.core, "listEvaluations", { path: { id }, query, ...options });
	}

	/** The files of the artifact, and how much of each the judge read. */
	files(id: string, query: QueryOf<"listSubmissionFiles"> = {}, options: CallOptions = {}) {
		return listOf(this.core, "listSubmissionFiles", { path: { id }, query, ...options });
	}

	/** The bytes of one file of the artifact. */
	async readFile(id: string, path: string, options: CallOptions = {}): Promise<Uint8Array<ArrayBuffer>> {
		const parts = { input: { path: { id, path }, ...options } };
		const { chunks } = await this.core.send("readSubmissionFile", parts, openBody({ idleMs: DOWNLOAD_IDLE_MS }));
		return collectBytes(chunks);
	}

	/** Has a submission judged again. */
	requestReEvaluation(id: string, options: CallOptions = {}) {
		return this.core.call("requestReEvaluation", { path: { id }, ...options });
	}

	/** Submits files in one request, without a check. `client.submit` does more. */
	quickSubmit(taskId: string, body: BodyOf<"quickSubmit">, options: CallOptions & { readonly idempotencyKey?: string } = {}) {
		const { idempotencyKey = crypto.randomUUID(), ...rest } = options;
		return this.core.call("quickSubmit", { path: { id: taskId }, headers: { "Idempotency-Key": idempotencyKey }, body, ...rest });
	}

	/** Takes a slot for a zip. Then upload it and complete the submission. */
	register(taskId: string, body: NonNullable<BodyOf<"createSubmission">> = {}, options: CallOptions = {}) {
		return this.core.call("createSubmission", { path: { id: taskId }, body, ...options });
	}

	/** A fresh URL for the zip of a registered submission. */
	refreshUploadUrl(id: string, options: CallOptions = {}) {
		return this.core.call("refreshUploadUrl", { path: { id }, ...options });
	}

	/** Sends the zip to the `upload_url` of a registered submission. */
	putArtifact(uploadUrl: string, zip: Uint8Array<ArrayBuffer>, options: UploadOptions = {}): Promise<void> {
		return putBytes(this.core, uploadUrl, { bytes: zip, type: ZIP_TYPE, options: { onProgress: undefined, ...options } });
	}

	/** Sends the zip with your key instead. */
	upload(id: string, zip: Uint8Array<ArrayBuffer>, { onProgress, ...options }: UploadOptions = {}): Promise<Schemas["StoredArtifact"]> {
		const content = uploadBody(zip, { type: ZIP_TYPE, onProgress });
		return this.core.callWith("uploadArtifact", { path: { id }, ...options }, { content });
	}

	/** Checks the uploaded zip and starts its evaluation. */
	complete(id: string, options: CallOptions = {}) {
		return this.core.call("completeSubmission", { path: { id }, ...options });
	}

	/** The zip behind a signed URL, such as `output_url`, piece by piece. */
	downloadArtifact(signedUrl: string, options: CallOptions = {}): Promise<OpenResponse> {
		return this.core.send("getArtifact", { input: options, special: { signedUrl } }, openBody({ idleMs: DOWNLOAD_IDLE_MS }));
	}

	/** Posts the score of a submission to a task in mode `external`. The task's callback token is the credential. */
	postExternalScore(id: string, body: BodyOf<"postExternalScore">, options: CallOptions = {}) {
		return this.core.call("postExternalScore", { path: { id }, body, ...options });
	}

	/** Each change of a submission, up to `terminal`. */
	stream(id: string, options: FollowOptions = {}): AsyncGenerator<SubmissionEvent, void, undefined> {
		return follow<SubmissionEvent>(this.core, { id: "streamSubmission", input: { path: { id } } }, options);
	}
}
