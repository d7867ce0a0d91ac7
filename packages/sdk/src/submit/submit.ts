// Submits files or a zip: checks them first, sends them once, and can resume an interrupted upload.

import type { Core } from "../core/core.ts";
import { sleep } from "../core/deadline.ts";
import { BountyApiError, BountyCheckError, BountyConnectionError, BountyIncompleteError, BountyUsageError } from "../core/errors.ts";
import type { Bytes, CallOptions, UploadProgress } from "../core/options.ts";
import { backoffMs, isTransient } from "../core/retry.ts";
import { toBytes } from "../core/upload.ts";
import type { CheckSubmissionResult, Methods } from "../generated/methods.ts";
import { makeContentKey } from "./content-key.ts";
import { type FileMap, type FileSet, readFileSet, suitsQuickSubmit, toQuickFiles } from "./files.ts";
import { packZip } from "./zip.ts";

/** Files by path, or a zip. */
export type Submittable = FileSet | Bytes;

export type SubmitProgress =
	| { readonly phase: "packing"; readonly packedFiles: number; readonly totalFiles: number }
	| { readonly phase: "checking" }
	/** The slot is taken. Keep the id to resume. */
	| { readonly phase: "registered"; readonly submissionId: string }
	| ({ readonly phase: "uploading" } & UploadProgress)
	| { readonly phase: "submitted"; readonly submissionId: string };

export interface SubmitOptions extends CallOptions {
	/** The name that the leaderboard shows. */
	readonly agentDisplayName?: string | undefined;
	/**
	 * Makes quick-submit safe to repeat for 24 hours. By default, the key is derived from the content, so that the same files take one slot.
	 */
	readonly idempotencyKey?: string | undefined;
	/** If false, submits without a check. */
	readonly check?: boolean | undefined;
	/** `auto` sends up to 5 MB of files as JSON, and uploads larger work as a zip, which needs a SUBMISSION.md. */
	readonly method?: "auto" | "quick-submit" | "zip" | undefined;
	/** Completes a submission that is already registered, as a zip. */
	readonly resume?: string | undefined;
	readonly onProgress?: ((progress: SubmitProgress) => void) | undefined;
}

/** Where to submit: the client and the task. */
interface Recipient {
	readonly core: Core;
	readonly client: Methods;
	readonly taskId: string;
}

export interface SubmittedWork {
	readonly id: string;
	/** Null if there was no check. */
	readonly check: CheckSubmissionResult | null;
	/** True if this is an earlier submission of the same files. No further slot was used. */
	readonly isRepeated: boolean;
}

/** Larger zips cannot be checked before they are submitted. */
const CHECK_MAX_BYTES = 20 * 1024 * 1024;
const COMPLETE_ATTEMPTS = 5;

type Zip = Uint8Array<ArrayBuffer>;

/**
 * Checks files, submits them and starts their evaluation.
 *
 * @throws BountyCheckError when the files would be rejected; BountyIncompleteError when an upload can be resumed; BountyApiError.
 */
export async function submit(to: Recipient, work: Submittable, options: SubmitOptions): Promise<SubmittedWork> {
	const { method = "auto", resume, signal, onProgress } = options;
	if (isZip(work)) return submitZip(to, await toBytes(work), options);
	const files = await readFileSet(work);
	const isQuick = resume === undefined && (method === "auto" ? suitsQuickSubmit(files) : method === "quick-submit");
	if (isQuick) return submitQuickly(to, files, options);
	// Only quick-submit adds a missing SUBMISSION.md. A zip without one would lose its slot.
	if (!files.has("SUBMISSION.md"))
		throw new BountyUsageError("A zip needs a SUBMISSION.md at its root. Work of more than 5 MB is always sent as a zip.");
	const onFile = (packedFiles: number, totalFiles: number) => onProgress?.({ phase: "packing", packedFiles, totalFiles });
	return submitZip(to, await packZip(files, { onFile, signal }), options);
}

/** Returns what the platform would do with files or a zip, without submitting them. */
export async function check(
	{ client, taskId }: Omit<Recipient, "core">,
	work: Submittable,
	options: CallOptions,
): Promise<CheckSubmissionResult> {
	if (isZip(work)) return client.checkSubmission(taskId, work, options);
	const files = await readFileSet(work);
	if (suitsQuickSubmit(files)) return client.checkSubmission(taskId, { files: toQuickFiles(files) }, options);
	return client.checkSubmission(taskId, await packZip(files, { signal: options.signal }), options);
}

function isZip(work: Submittable): work is Bytes {
	return work instanceof Uint8Array || work instanceof ArrayBuffer || work instanceof Blob;
}

function callOptions({ signal, timeoutMs, maxRetries, token, fetch }: CallOptions): CallOptions {
	return { signal, timeoutMs, maxRetries, token, fetch };
}

/** Runs the check and returns its result. Returns null if the check is switched off. @throws BountyCheckError if it finds problems. */
async function checkFirst(options: SubmitOptions, run: () => Promise<CheckSubmissionResult>): Promise<CheckSubmissionResult | null> {
	if (options.check === false) return null;
	options.onProgress?.({ phase: "checking" });
	const result = await run();
	if (!result.ok) throw new BountyCheckError(result);
	return result;
}

async function submitQuickly({ client, core, taskId }: Recipient, files: FileMap, options: SubmitOptions): Promise<SubmittedWork> {
	const body = { files: toQuickFiles(files) };
	const check = await checkFirst(options, () => client.checkSubmission(taskId, body, callOptions(options)));
	const { agentDisplayName: displayName, onProgress } = options;
	const key = options.idempotencyKey ?? (await makeContentKey({ taskId, files, displayName }));
	const { data, headers } = await core.request("quickSubmit", {
		...callOptions(options),
		path: { id: taskId },
		body: { ...body, ...nameOf(options) },
		headers: { "Idempotency-Key": key },
	});
	if (data === undefined) throw new BountyConnectionError("quickSubmit got a response without data.");
	onProgress?.({ phase: "submitted", submissionId: data.id });
	return { id: data.id, check, isRepeated: headers.get("Idempotency-Replayed") === "true" };
}

function nameOf({ agentDisplayName }: SubmitOptions) {
	return agentDisplayName === undefined ? {} : { agent_display_name: agentDisplayName };
}

async function submitZip({ client, taskId }: Recipient, zip: Zip, options: SubmitOptions): Promise<SubmittedWork> {
	const { resume, onProgress } = options;
	const canCheck = resume === undefined && zip.length <= CHECK_MAX_BYTES;
	const check = canCheck ? await checkFirst(options, () => client.checkSubmission(taskId, zip, callOptions(options))) : null;
	const { id, upload_url: uploadUrl } =
		resume === undefined
			? await client.createSubmission(taskId, { ...nameOf(options), size_bytes: zip.length }, callOptions(options))
			: await reopen(client, resume, { ...options, sizeBytes: zip.length });
	onProgress?.({ phase: "registered", submissionId: id });
	try {
		if (uploadUrl !== null) {
			const onUpload = onProgress === undefined ? undefined : (sent: UploadProgress) => onProgress({ phase: "uploading", ...sent });
			await client.putArtifact(uploadUrl, zip, { ...callOptions(options), onProgress: onUpload });
		}
		await complete(client, id, options);
	} catch (error) {
		throw isTransient(error) ? new BountyIncompleteError(id, error) : error;
	}
	onProgress?.({ phase: "submitted", submissionId: id });
	return { id, check, isRepeated: false };
}

/** Returns a new URL for the upload of a registered submission, or null if the artifact is already stored. */
async function reopen(
	client: Methods,
	id: string,
	{ sizeBytes, ...options }: SubmitOptions & { readonly sizeBytes: number },
): Promise<{ id: string; upload_url: string | null }> {
	const { status, next_step: nextStep } = await client.getSubmission(id, {}, callOptions(options));
	if (status !== "registered" || nextStep !== undefined) return { id, upload_url: null };
	const { upload_url } = await client.refreshUploadUrl(id, { size_bytes: sizeBytes }, callOptions(options));
	return { id, upload_url };
}

/** Completes a submission. This cannot be repeated blindly: after a failure, the submission's state says whether it was done. */
async function complete(client: Methods, id: string, options: SubmitOptions): Promise<void> {
	for (let attempt = 0; ; attempt += 1) {
		try {
			await client.completeSubmission(id, callOptions(options));
			return;
		} catch (error) {
			// An earlier attempt has completed it: one whose response was lost, or one before a resume.
			if (error instanceof BountyApiError && error.code === "WRONG_STATUS") return;
			if (!isTransient(error) || attempt + 1 >= COMPLETE_ATTEMPTS) throw error;
			await sleep(backoffMs(attempt), options.signal);
			const { status } = await client.getSubmission(id, {}, callOptions(options));
			if (status !== "registered") return;
		}
	}
}
