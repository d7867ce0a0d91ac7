import type { Core } from "../core/core.ts";
import { sleep } from "../core/deadline.ts";
import { BountyApiError, BountyCheckError, BountyIncompleteError, BountyUsageError } from "../core/errors.ts";
import type { CallOptions } from "../core/options.ts";
import { backoffMs, isTransient } from "../core/retry.ts";
import type { Schemas } from "../core/schemas.ts";
import { type FileMap, type FileSet, readFileSet, suitsQuickSubmit, toBytes, toQuickFiles } from "./files.ts";
import { SubmissionHandle } from "./handle.ts";
import { type UploadProgress, uploadBody } from "./upload.ts";
import { packZip } from "./zip.ts";

/** Files by path, or a zip. */
export type Submittable = FileSet | Uint8Array | ArrayBuffer | Blob;

export type SubmitProgress =
	| { readonly phase: "packing"; readonly packedFiles: number; readonly totalFiles: number }
	| { readonly phase: "checking" }
	/** The slot is taken. Keep the id to resume. */
	| { readonly phase: "registered"; readonly submissionId: string }
	| ({ readonly phase: "uploading" } & UploadProgress)
	| { readonly phase: "submitted"; readonly submissionId: string };

export interface SubmitOptions extends CallOptions {
	/** The name to show on the leaderboard. */
	readonly agentDisplayName?: string | undefined;
	/** Makes quick-submit safe to repeat for 24 hours. Default: a random key for each call. */
	readonly idempotencyKey?: string | undefined;
	/** False to submit without checking first. */
	readonly check?: boolean | undefined;
	/** `auto` sends up to 5 MB of files as JSON, and uploads larger work as a zip, which needs a SUBMISSION.md. */
	readonly method?: "auto" | "quick-submit" | "zip" | undefined;
	/** Completes a submission that is registered already, as a zip. */
	readonly resume?: string | undefined;
	readonly onProgress?: ((progress: SubmitProgress) => void) | undefined;
}

const ZIP_TYPE = "application/zip";
/** A larger zip cannot be checked before. */
const CHECK_MAX_BYTES = 20 * 1024 * 1024;

type Zip = Uint8Array<ArrayBuffer>;

/**
 * Checks files, submits them and starts their evaluation.
 *
 * @throws BountyCheckError when the files would be rejected; BountyIncompleteError when an upload can be resumed; BountyApiError.
 */
export async function submit(core: Core, taskId: string, parts: { work: Submittable; options: SubmitOptions }): Promise<SubmissionHandle> {
	const { work, options } = parts;
	const { method = "auto", resume } = options;
	if (isZip(work)) return submitZip(core, taskId, { zip: await toBytes(work), options });
	const files = await readFileSet(work);
	const isQuick = resume === undefined && (method === "auto" ? suitsQuickSubmit(files) : method === "quick-submit");
	if (isQuick) return submitQuickly(core, taskId, { files, options });
	// Only quick-submit adds a SUBMISSION.md that is missing. A zip without one would lose its slot.
	if (!files.has("SUBMISSION.md")) throw new BountyUsageError("A zip needs a SUBMISSION.md at its root, and work of more than 5 MB a zip.");
	const onFile = (packedFiles: number, totalFiles: number) => options.onProgress?.({ phase: "packing", packedFiles, totalFiles });
	return submitZip(core, taskId, { zip: await packZip(files, { onFile, signal: options.signal }), options });
}

function isZip(work: Submittable): work is Uint8Array | ArrayBuffer | Blob {
	return work instanceof Uint8Array || work instanceof ArrayBuffer || work instanceof Blob;
}

/** What the platform would make of files or of a zip, without submitting them. */
export async function check(
	core: Core,
	taskId: string,
	parts: { work: Submittable; options: CallOptions },
): Promise<Schemas["CheckResult"]> {
	const { work, options } = parts;
	if (isZip(work)) return checkZip(core, taskId, { zip: await toBytes(work), options });
	const files = await readFileSet(work);
	if (suitsQuickSubmit(files)) return checkFiles(core, taskId, { files, options });
	return checkZip(core, taskId, { zip: await packZip(files, { signal: options.signal }), options });
}

function callOptions({ signal, timeoutMs, maxRetries }: CallOptions): CallOptions {
	return { signal, timeoutMs, maxRetries };
}

function checkFiles(core: Core, taskId: string, parts: { files: FileMap; options: CallOptions }): Promise<Schemas["CheckResult"]> {
	const body = { files: toQuickFiles(parts.files) };
	return core.call("checkSubmission", { path: { id: taskId }, body, ...callOptions(parts.options) });
}

function checkZip(core: Core, taskId: string, parts: { zip: Zip; options: CallOptions }): Promise<Schemas["CheckResult"]> {
	const { zip, options } = parts;
	const content = uploadBody(zip, { type: ZIP_TYPE, onProgress: undefined });
	return core.callWith("checkSubmission", { path: { id: taskId }, ...callOptions(options) }, { content });
}

/** Null if the check is switched off. @throws BountyCheckError */
async function checkFirst(options: SubmitOptions, run: () => Promise<Schemas["CheckResult"]>): Promise<Schemas["CheckResult"] | null> {
	if (options.check === false) return null;
	options.onProgress?.({ phase: "checking" });
	const result = await run();
	if (!result.ok) throw new BountyCheckError(result);
	return result;
}

async function submitQuickly(core: Core, taskId: string, parts: { files: FileMap; options: SubmitOptions }): Promise<SubmissionHandle> {
	const { files, options } = parts;
	const checked = await checkFirst(options, () => checkFiles(core, taskId, { files, options }));
	const { agentDisplayName, idempotencyKey = crypto.randomUUID(), onProgress } = options;
	const body = { files: toQuickFiles(files), ...(agentDisplayName === undefined ? {} : { agent_display_name: agentDisplayName }) };
	const headers = { "Idempotency-Key": idempotencyKey };
	const { id } = await core.call("quickSubmit", { path: { id: taskId }, headers, body, ...callOptions(options) });
	onProgress?.({ phase: "submitted", submissionId: id });
	return new SubmissionHandle(core, { id, check: checked });
}

async function submitZip(core: Core, taskId: string, parts: { zip: Zip; options: SubmitOptions }): Promise<SubmissionHandle> {
	const { zip, options } = parts;
	const canCheck = options.resume === undefined && zip.length <= CHECK_MAX_BYTES;
	const checked = canCheck ? await checkFirst(options, () => checkZip(core, taskId, { zip, options })) : null;
	const { id, uploadUrl } =
		options.resume === undefined ? await register(core, taskId, options) : await reopen(core, options.resume, options);
	options.onProgress?.({ phase: "registered", submissionId: id });
	try {
		if (uploadUrl !== null) await upload(core, uploadUrl, { zip, options });
		await complete(core, id, options);
	} catch (error) {
		throw isTransient(error) ? new BountyIncompleteError(id, error) : error;
	}
	options.onProgress?.({ phase: "submitted", submissionId: id });
	return new SubmissionHandle(core, { id, check: checked });
}

interface Registered {
	readonly id: string;
	/** Null when the artifact is stored already. */
	readonly uploadUrl: string | null;
}

async function register(core: Core, taskId: string, options: SubmitOptions): Promise<Registered> {
	const { agentDisplayName } = options;
	const body = agentDisplayName === undefined ? {} : { agent_display_name: agentDisplayName };
	const { id, upload_url: uploadUrl } = await core.call("createSubmission", { path: { id: taskId }, body, ...callOptions(options) });
	return { id, uploadUrl };
}

async function reopen(core: Core, id: string, options: SubmitOptions): Promise<Registered> {
	const path = { id };
	const { status, next_step: nextStep } = await core.call("getSubmission", { path, ...callOptions(options) });
	if (status !== "registered" || nextStep !== undefined) return { id, uploadUrl: null };
	const { upload_url: uploadUrl } = await core.call("refreshUploadUrl", { path, ...callOptions(options) });
	return { id, uploadUrl };
}

function upload(core: Core, uploadUrl: string, parts: { zip: Zip; options: SubmitOptions }): Promise<void> {
	const { zip, options } = parts;
	const onProgress =
		options.onProgress === undefined ? undefined : (progress: UploadProgress) => options.onProgress?.({ phase: "uploading", ...progress });
	return putBytes(core, uploadUrl, { bytes: zip, type: ZIP_TYPE, options: { ...callOptions(options), onProgress } });
}

interface Put {
	readonly bytes: Zip;
	readonly type: string;
	readonly options: CallOptions & { readonly onProgress: ((progress: UploadProgress) => void) | undefined };
}

/** Sends bytes to a signed URL, which may belong to a storage service. */
export async function putBytes(core: Core, url: string, { bytes, type, options }: Put): Promise<void> {
	const { onProgress } = options;
	const body = uploadBody(bytes, { type, onProgress });
	await core.transport.send({ method: "PUT", url, headers: {}, body, ...callOptions(options) }, async (response, deadline) => {
		await response.arrayBuffer();
		deadline.close();
	});
	onProgress?.({ sentBytes: bytes.length, totalBytes: bytes.length });
}

const COMPLETE_ATTEMPTS = 5;

/** Completing cannot be repeated blindly: after a failure, the submission's state says whether it was done. */
async function complete(core: Core, id: string, options: SubmitOptions): Promise<void> {
	const path = { id };
	for (let attempt = 0; ; attempt += 1) {
		try {
			await core.call("completeSubmission", { path, ...callOptions(options) });
			return;
		} catch (error) {
			// Completed before: by an attempt whose response was lost, or before a resume.
			if (error instanceof BountyApiError && error.code === "WRONG_STATUS") return;
			if (!isTransient(error) || attempt + 1 >= COMPLETE_ATTEMPTS) throw error;
			await sleep(backoffMs(attempt), options.signal);
			const { status } = await core.call("getSubmission", { path, ...callOptions(options) });
			if (status !== "registered") return;
		}
	}
}
