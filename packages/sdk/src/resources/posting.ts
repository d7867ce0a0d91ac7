import { type OpenResponse, openBody } from "../core/body-stream.ts";
import { sleep } from "../core/deadline.ts";
import { BountyTimeoutError } from "../core/errors.ts";
import type { BodyOf, QueryOf, ResultOf } from "../core/operation-types.ts";
import type { CallOptions } from "../core/options.ts";
import { listOf } from "../core/pages.ts";
import { Resource } from "../core/resource.ts";
import type { Schemas } from "../core/schemas.ts";
import { type FileContent, type FileSet, readFileSet, toBytes, toQuickFiles } from "../submit/files.ts";

const DOWNLOAD_IDLE_MS = 60_000;
const POLL_MS = 2_000;

export interface DryRunOptions extends CallOptions {
	readonly label?: string | undefined;
	/** Your own scores by criterion, 0 to 100, to compare the judge with. */
	readonly expected?: Readonly<Record<string, number>> | undefined;
}

/** Trying a rubric on files of your own, outside of the competition. */
export class DryRuns extends Resource {
	/** Has files judged against a task of yours. */
	async start(taskId: string, files: FileSet, { label, expected, ...options }: DryRunOptions = {}): Promise<ResultOf<"startDryRun">> {
		const body: BodyOf<"startDryRun"> = {
			files: toQuickFiles(await readFileSet(files)),
			...(label === undefined ? {} : { label }),
			...(expected === undefined ? {} : { expected: { ...expected } }),
		};
		return this.core.call("startDryRun", { path: { id: taskId }, body, ...options });
	}

	get(id: string, options: CallOptions = {}) {
		return this.core.call("getDryRun", { path: { id }, ...options });
	}

	/** The dry runs of a task, newest first. */
	list(taskId: string, query: QueryOf<"listDryRuns"> = {}, options: CallOptions = {}) {
		return listOf(this.core, "listDryRuns", { path: { id: taskId }, query, ...options });
	}

	/**
	 * Waits until a dry run has ended, also with `evaluation_failed`.
	 *
	 * @param options `timeoutMs` is for the whole wait.
	 * @throws BountyTimeoutError after `timeoutMs`.
	 */
	async wait(id: string, options: { signal?: AbortSignal; timeoutMs?: number; pollMs?: number } = {}): Promise<Schemas["DryRun"]> {
		const { signal, timeoutMs = Number.POSITIVE_INFINITY, pollMs = POLL_MS } = options;
		const end = Date.now() + timeoutMs;
		for (;;) {
			const run = await this.get(id, { signal });
			if (run.status !== "running") return run;
			if (Date.now() + pollMs > end) throw new BountyTimeoutError(`Dry run ${id} has not ended within ${timeoutMs} ms.`, timeoutMs);
			await sleep(pollMs, signal);
		}
	}

	/** The zip of a dry run by the signed URL that a grader is given. */
	downloadArtifact(signedUrl: string, options: CallOptions = {}): Promise<OpenResponse> {
		return this.core.send("downloadTrialArtifact", { input: options, special: { signedUrl } }, openBody({ idleMs: DOWNLOAD_IDLE_MS }));
	}
}

/** A file for the people and agents that read a task. */
export interface NewAttachment {
	readonly name: string;
	readonly content: FileContent;
	/** The text of the task that the file belongs to. */
	readonly field: Schemas["Attachment"]["field"];
	readonly description?: string | undefined;
}

/** Files of a task. */
export class Attachments extends Resource {
	list(taskId: string, options: CallOptions = {}) {
		return this.core.call("listAttachments", { path: { id: taskId }, ...options });
	}

	async add(taskId: string, attachment: NewAttachment, options: CallOptions = {}): Promise<Schemas["Attachment"]> {
		const { name, field, description } = attachment;
		const bytes = await toBytes(attachment.content);
		const content = () => {
			const form = new FormData();
			form.append("file", new Blob([bytes]), name);
			form.append("field", field);
			if (description !== undefined) form.append("description", description);
			return { content: form };
		};
		return this.core.callWith("addAttachment", { path: { id: taskId }, ...options }, { content });
	}

	delete(taskId: string, attachmentId: string, options: CallOptions = {}) {
		return this.core.call("deleteAttachment", { path: { id: taskId, attachmentId }, ...options });
	}

	/** The bytes behind the `download_url` of an attachment, piece by piece. */
	download(downloadUrl: string, options: CallOptions = {}): Promise<OpenResponse> {
		const parts = { input: options, special: { signedUrl: downloadUrl } };
		return this.core.send("downloadAttachment", parts, openBody({ idleMs: DOWNLOAD_IDLE_MS }));
	}
}

/** Your events, posted to your service. */
export class Webhooks extends Resource {
	list(query: QueryOf<"listWebhooks"> = {}, options: CallOptions = {}) {
		return listOf(this.core, "listWebhooks", { query, ...options });
	}

	/** The response shows the secret once. */
	create(body: BodyOf<"createWebhook">, options: CallOptions = {}) {
		return this.core.call("createWebhook", { body, ...options });
	}

	delete(id: string, options: CallOptions = {}) {
		return this.core.call("deleteWebhook", { path: { id }, ...options });
	}

	/** Sends a test event. */
	test(id: string, options: CallOptions = {}) {
		return this.core.call("testWebhook", { path: { id }, ...options });
	}

	/** A new secret. The old one signs along for 24 hours. */
	rotateSecret(id: string, options: CallOptions = {}) {
		return this.core.call("rotateWebhookSecret", { path: { id }, ...options });
	}

	/** What was sent, newest first. */
	deliveries(id: string, query: QueryOf<"listWebhookDeliveries"> = {}, options: CallOptions = {}) {
		return listOf(this.core, "listWebhookDeliveries", { path: { id }, query, ...options });
	}

	/** Sends a delivery that has ended once more. */
	replay(id: string, deliveryId: string, options: CallOptions = {}) {
		return this.core.call("replayWebhookDelivery", { path: { id, deliveryId }, ...options });
	}
}
