// The verb quickSubmit: packs, stores and queues files in one request.
import type { z } from "zod";
import { SUBMISSION_TRANSITIONS } from "../../../domain/submission-status.ts";
import { Reply } from "../../../http/endpoint.ts";
import { writeBlob } from "../../../platform/blob-writer.ts";
import { sha256Hex } from "../../../platform/crypto.ts";
import type { Ctx } from "../../../ports/deps.ts";
import { type TaskStore, taskVerb } from "../../../ports/task.ts";
import { packFiles } from "../../judging/artifacts/packing.ts";
import { parseFiles, type SubmittedFile } from "../../judging/artifacts/rules.ts";
import { enqueueEvaluation } from "../judgements/enqueue-evaluation.ts";
import { readTask, readVisibleTask } from "../tasks/store.ts";
import { newArtifactKey, type StoredArtifact, unlessUnused } from "./artifacts.ts";
import { findReply, type RepeatableRequest, saveReply } from "./replies.ts";
import { whileReserved } from "./reservations.ts";
import { type quickSubmitRequest, quickSubmitResult } from "./schemas.ts";
import { readQuota, readSubmittableTask, type Submitter, takeSlot } from "./slots.ts";
import { findSubmission, insertSubmission, type SubmissionRow } from "./store.ts";
import { viewSubmission } from "./views.ts";

interface Submit {
	/** The Worker makes the id, so that a call that is repeated after a lost response finds the first one's row. */
	readonly id: string;
	readonly agent: Submitter;
	/** The name that the leaderboard shows. */
	readonly displayName: string;
	readonly artifact: StoredArtifact & { readonly missingSections: string[] };
	readonly filesCount: number;
	/** The origin of URLs in the response. */
	readonly baseUrl: string;
	/** Null for a request without an `Idempotency-Key`. */
	readonly request: RepeatableRequest | null;
}

/** Takes a slot, stores the submission and queues its evaluation. A repeated request changes nothing and gets the first one's response. */
export const submit = taskVerb("submit", (task, input: Submit) => {
	const { id, agent, artifact, request } = input;
	const known = findSubmission(task, id);
	if (known !== null) return { isRepeated: false, response: viewNewSubmission(task, known, input) };
	const reply = readReply(task, agent.id, request);
	if (reply !== null) return { isRepeated: true, response: reply };
	const found = readSubmittableTask(task, agent.id);
	takeSlot(task, found, agent);
	const row = insertSubmission(task, {
		id,
		agentId: agent.id,
		agentDisplayName: input.displayName,
		status: SUBMISSION_TRANSITIONS.quickSubmit.to,
		artifactKey: artifact.key,
		artifactBytes: artifact.bytes,
		artifactSha256: artifact.sha256,
		missingSections: artifact.missingSections,
		iteration: 1,
		handedInAt: task.now,
	});
	enqueueEvaluation(task, found, { submissionId: id, party: agent.party, iteration: 1, round: "submission" });
	task.record({
		type: "submission.created",
		taskId: task.id,
		submissionId: id,
		agentId: agent.id,
		status: SUBMISSION_TRANSITIONS.quickSubmit.to,
	});
	const response = viewNewSubmission(task, row, input);
	if (request !== null) saveReply(task, request, response);
	return { isRepeated: false, response };
});

/**
 * What {@link submit} would refuse before its files are looked at, or the response that it would repeat; null when neither.
 *
 * @throws AppError `NOT_FOUND`, `TASK_NOT_OPEN`, `DEADLINE_PASSED`, `QUOTA_EXHAUSTED`, `CONFLICT`.
 */
export const admit = taskVerb("admit", (task, { agentId, request }: { agentId: string; request: RepeatableRequest | null }) => {
	const reply = readReply(task, agentId, request);
	if (reply === null) readSubmittableTask(task, agentId);
	return reply;
});

function readReply(task: TaskStore, agentId: string, request: RepeatableRequest | null) {
	readVisibleTask(task, agentId);
	const reply = request === null ? null : findReply(task, request);
	return reply === null ? null : quickSubmitResult.parse(JSON.parse(reply));
}

function viewNewSubmission(task: TaskStore, row: SubmissionRow, { filesCount, baseUrl }: Pick<Submit, "filesCount" | "baseUrl">) {
	// A reply is read by the same schema, so that it has its fields in the same order.
	return quickSubmitResult.parse({
		...viewSubmission({ ...row, taskId: task.id }, { isOwner: false }),
		scores: null,
		dimensions: [],
		position: null,
		quota: readQuota(task, readTask(task), row.agentId),
		files_uploaded: filesCount,
		message:
			"The files are in and their evaluation is queued. Poll poll_url every 5 seconds until evaluated is true or the status is a failed one.",
		poll_url: `${baseUrl}/api/submissions/${row.id}/status`,
	});
}

/** Packing and storing more than this is not worth it for a task that takes no submission. */
const LARGE_BYTES = 1_048_576;

interface QuickSubmitInput {
	readonly taskId: string;
	readonly body: z.output<typeof quickSubmitRequest>;
	readonly idempotencyKey: string | undefined;
}

/** Packs files into an artifact, takes a slot and queues the evaluation. Contract: "quick-submit rules". */
export async function quickSubmit(ctx: Ctx, { taskId, body, idempotencyKey }: QuickSubmitInput) {
	const { agentId, party, displayName } = ctx.actor;
	const files = parseFiles(body.files);
	const request =
		idempotencyKey === undefined
			? null
			: { agentId, operation: "quickSubmit", key: idempotencyKey, requestHash: await hashRequest(files, body.agent_display_name ?? null) };
	const now = ctx.clock.now();
	const ask = () => ctx.hubs.callTask(taskId, admit, { input: { agentId, request }, now });
	if (sizeOf(files) > LARGE_BYTES) {
		const reply = await ask();
		if (reply !== null) return repeated(reply);
	}
	const id = ctx.ids.next();
	const artifact = await packAndStore(ctx, newArtifactKey(ctx, taskId, id), files);
	const input = {
		id,
		agent: { id: agentId, party },
		displayName: body.agent_display_name ?? displayName,
		artifact,
		filesCount: files.length,
		baseUrl: ctx.baseUrl,
		request,
	};
	const isUnused = (submitted: { readonly isRepeated: boolean }) => submitted.isRepeated;
	const submitting = {
		call: () => ctx.hubs.callTask(taskId, submit, { input, now }),
		isUnused,
		ask: async () => {
			const reply = await ask();
			return reply === null ? null : { isRepeated: true, response: reply };
		},
	};
	const reserved = { submissionId: id, taskId, amounts: { bytes: artifact.bytes, evaluations: 1 } };
	const { isRepeated, response } = await unlessUnused(ctx, {
		call: () => whileReserved(ctx, reserved, submitting),
		undo: () => ctx.bucket.delete(artifact.key),
		isUnused,
	});
	if (isRepeated) return repeated(response);
	return new Reply(response);
}

function repeated<Response>(response: Response): Reply<Response> {
	return new Reply(response, { "Idempotency-Replayed": "true" });
}

function sizeOf(files: readonly SubmittedFile[]): number {
	return files.reduce((bytes, { content }) => bytes + content.byteLength, 0);
}

async function packAndStore({ bucket }: Ctx, key: string, files: readonly SubmittedFile[]) {
	const { zip, missingSections } = packFiles(files);
	return { key, ...(await writeBlob(zip, { bucket, key, contentType: "application/zip" })), missingSections };
}

/** Returns the same hash for the same files, in any order and JSON spelling. */
async function hashRequest(files: readonly SubmittedFile[], displayName: string | null): Promise<string> {
	const hashes: [path: string, hash: string][] = [];
	// One after the other, because the runtime may copy what it hashes.
	for (const { path, content } of files) hashes.push([path, await sha256Hex(content)]);
	return sha256Hex(JSON.stringify([displayName, hashes.toSorted(([a], [b]) => (a < b ? -1 : 1))]));
}
