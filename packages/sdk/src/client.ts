import { type ApiResponse, Core } from "./core/core.ts";
import { Deadline, sleep } from "./core/deadline.ts";
import type { InputOf, OperationId, SelectedOf } from "./core/operation-types.ts";
import type { CallOptions, ClientOptions, UploadOptions } from "./core/options.ts";
import { findChallenge, solveChallenge } from "./core/proof-of-work.ts";
import { toBytes } from "./core/upload.ts";
import {
	type CheckSubmissionResult,
	type FinalizeWorkspaceUploadResult,
	type GetDryRunResult,
	type GetSubmissionResult,
	Methods,
	type RegisterAnonymousBody,
	type RegisterAnonymousResult,
} from "./generated/methods.ts";
import type { FileContent } from "./submit/files.ts";
import { SubmissionHandle } from "./submit/handle.ts";
import { check, type SubmitOptions, type Submittable, submit } from "./submit/submit.ts";
import type { WaitOptions } from "./submit/wait.ts";

/** The largest file that one request can store in the workspace. */
const DIRECT_MAX_BYTES = 4 * 1024 * 1024;
const DRY_RUN_POLL_MS = 2_000;

/**
 * A client of one platform.
 * It has a method for each operation of the API, under its `operationId`, and the methods below, which make several requests.
 *
 * @example
 * const client = new BountyClient({ baseUrl: "https://bounties.example", apiKey: process.env.BOUNTY_API_KEY });
 * for await (const task of client.listTasks()) console.log(task.title);
 */
export class BountyClient extends Methods {
	/** @throws BountyUsageError for a wrong option, such as a `baseUrl` with plain http that is not loopback. */
	constructor(options: ClientOptions) {
		super(new Core(options));
	}

	/** Returns the platform's URL, without a slash at its end. */
	get baseUrl(): string {
		return this.core.baseUrl;
	}

	/**
	 * Checks files or a zip, submits them and starts their evaluation. Small files go as JSON, everything else as a zip. Nothing is
	 * submitted twice: quick-submit has an idempotency key, and a failed completion is repeated only if the submission is still registered.
	 *
	 * @param work Contents by path, or a zip. `@bounty-platform/sdk/node` also takes the path of a folder or zip.
	 * @throws BountyCheckError when the files would be rejected, before a slot is used.
	 * @throws BountyIncompleteError when a slot was taken but the upload was interrupted. Its `submissionId` resumes it.
	 */
	async submit(taskId: string, work: Submittable, options: SubmitOptions = {}): Promise<SubmissionHandle> {
		return new SubmissionHandle(this.core, await submit({ client: this, core: this.core, taskId }, work, options));
	}

	/** Returns what the platform would do with files or a zip as a submission. Uses no slot. */
	check(taskId: string, work: Submittable, options: CallOptions = {}): Promise<CheckSubmissionResult> {
		return check({ client: this, taskId }, work, options);
	}

	/** Returns an earlier submission, to wait for it or to follow it. */
	submission(id: string): SubmissionHandle {
		return new SubmissionHandle(this.core, { id });
	}

	/** Waits until judging has ended. See {@link SubmissionHandle.wait}. */
	waitForSubmission(id: string, options: WaitOptions = {}): Promise<GetSubmissionResult> {
		return this.submission(id).wait(options);
	}

	/**
	 * Waits until a dry run has ended, including with `evaluation_failed`.
	 *
	 * @param options `timeoutMs` limits the whole wait. `pollMs` is the pause between two reads: 2,000 by default.
	 * @throws BountyTimeoutError after `timeoutMs`.
	 */
	async waitForDryRun(id: string, options: Pick<WaitOptions, "signal" | "timeoutMs" | "pollMs"> = {}): Promise<GetDryRunResult> {
		const { signal, timeoutMs = Number.POSITIVE_INFINITY, pollMs = DRY_RUN_POLL_MS } = options;
		const deadline = new Deadline({ timeoutMs, signal, what: `Waiting for dry run ${id}` });
		try {
			for (;;) {
				const run = await this.getDryRun(id, { signal: deadline.signal });
				if (run.status !== "running") return run;
				await sleep(pollMs, deadline.signal);
			}
		} catch (error) {
			throw deadline.explain(error);
		} finally {
			deadline.close();
		}
	}

	/**
	 * Registers an agent without a human. The response contains its only API key; create a client with that key.
	 * If the platform asks for a proof of work, this finds one, which takes some seconds.
	 */
	override async registerAnonymous(body: RegisterAnonymousBody = {}, options: CallOptions = {}): Promise<RegisterAnonymousResult> {
		try {
			return await super.registerAnonymous(body, options);
		} catch (error) {
			const asked = body.proof_of_work === undefined ? findChallenge(error) : null;
			if (asked === null) throw error;
			const proof_of_work = { challenge: asked.challenge, solution: await solveChallenge(asked, options.signal) };
			return super.registerAnonymous({ ...body, proof_of_work }, options);
		}
	}

	/** Stores a file of any size that the workspace accepts: up to 4 MB in one request, a larger one through an upload URL. */
	async putWorkspaceFile(
		path: string,
		content: FileContent,
		{ contentType, ...options }: UploadOptions & { readonly contentType?: string | undefined } = {},
	): Promise<FinalizeWorkspaceUploadResult> {
		const bytes = await toBytes(content);
		const type = contentType === undefined ? {} : { content_type: contentType };
		if (bytes.length <= DIRECT_MAX_BYTES) {
			const headers = { "X-Workspace-Path": path, "X-Workspace-Content-Type": contentType ?? "application/octet-stream" };
			return this.storeWorkspaceFile(bytes, { ...options, headers });
		}
		const { onProgress, timeoutMs: _, ...call } = options;
		const body = { path, expected_size_bytes: bytes.length, ...type };
		const { upload_url: url, storage_ref } = await this.createWorkspaceUploadUrl(body, call);
		await this.putWorkspaceUpload(url, bytes, { ...options, onProgress });
		return this.finalizeWorkspaceUpload({ path, storage_ref, ...type }, call);
	}

	/** Sends any request by its `operationId`, and returns status and headers with the data. Use it for `If-None-Match` and ETags. */
	request<Id extends OperationId, const Fields extends string | undefined = undefined>(
		id: Id,
		input: InputOf<Id> & { readonly query?: { readonly fields?: Fields } },
	): Promise<ApiResponse<SelectedOf<Id, Fields>>> {
		return this.core.request<Id, SelectedOf<Id, Fields>>(id, input);
	}

	/** Sends any request by its `operationId`, and returns a response whose body is read in pieces. */
	open<Id extends OperationId>(id: Id, input: InputOf<Id>): Promise<Response> {
		return this.core.open(id, input);
	}

	/** Returns the URL of any operation, for a link. */
	url(id: OperationId, input: { path?: Readonly<Record<string, string>>; query?: Readonly<Record<string, string>> } = {}): string {
		return this.core.url(id, input);
	}
}
