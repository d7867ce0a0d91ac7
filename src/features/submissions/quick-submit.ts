// The verb quickSubmit: packs, stores and queues files in one request.
import type { z } from "zod";
import { AppError } from "../../domain/errors.ts";
import { SUBMISSION_TRANSITIONS } from "../../domain/submission-status.ts";
import { Reply } from "../../http/endpoint.ts";
import { writeBlob } from "../../platform/blob-writer.ts";
import { sha256Hex } from "../../platform/crypto.ts";
import type { Statement } from "../../ports/database.ts";
import type { Ctx } from "../../ports/deps.ts";
import { packFiles } from "../artifacts/packing.ts";
import { parseFiles, type SubmittedFile } from "../artifacts/rules.ts";
import { artifactObjects, newArtifactKey, type UploadedArtifact } from "../competition/submissions/artifact-store.ts";
import { IDEMPOTENCY_WINDOW_MS } from "../competition/submissions/rules.ts";
import type { quickSubmitRequest } from "../competition/submissions/schemas.ts";
import { viewSubmission } from "../competition/submissions/views.ts";
import { enqueueEvaluation, newEvaluationJob } from "../evaluation/service.ts";
import { countForNetwork } from "../network-caps/service.ts";
import { decideWithObject, type PendingObject } from "../stored-objects/service.ts";
import { quotaOf } from "../tasks/rules.ts";
import { assertMaySubmit, commitSubmission, readSubmitState } from "./register.ts";
import * as statements from "./statements.ts";

interface QuickSubmitInput {
	readonly taskId: string;
	readonly body: z.output<typeof quickSubmitRequest>;
	readonly idempotencyKey: string | undefined;
}

/** Packs files into an artifact, takes a slot and queues the evaluation. Contract: "quick-submit rules". */
export async function quickSubmit(ctx: Ctx, { taskId, body, idempotencyKey }: QuickSubmitInput): Promise<Reply<QuickSubmitResponse>> {
	const files = parseFiles(body.files);
	const displayName = body.agent_display_name ?? ctx.actor.displayName;
	const prepared: PreparedSubmission = {
		taskId,
		submissionId: ctx.ids.next(),
		displayName,
		filesCount: files.length,
		idempotency:
			idempotencyKey === undefined ? null : { key: idempotencyKey, requestHash: await hashRequest(files, body.agent_display_name ?? null) },
	};
	const key = newArtifactKey(ctx, prepared.submissionId);
	const object = { of: artifactObjects, key, store: () => packAndStore(ctx, key, files) };
	return decideWithObject(ctx, object, (artifact) => submitOrReplay(ctx, prepared, artifact));
}

interface PreparedSubmission {
	readonly taskId: string;
	readonly submissionId: string;
	readonly displayName: string;
	readonly filesCount: number;
	readonly idempotency: { readonly key: string; readonly requestHash: string } | null;
}

interface StoredBundle extends UploadedArtifact {
	readonly missingSections: string[];
}

async function packAndStore(ctx: Ctx, key: string, files: readonly SubmittedFile[]): Promise<StoredBundle> {
	const { zip, missingSections } = packFiles(files);
	return { key, ...(await writeBlob(zip, { bucket: ctx.bucket, key, contentType: "application/zip" })), missingSections };
}

async function submitOrReplay(
	ctx: Ctx,
	prepared: PreparedSubmission,
	artifact: PendingObject<StoredBundle>,
): Promise<Reply<QuickSubmitResponse>> {
	const { taskId, idempotency } = prepared;
	const now = ctx.clock.now();
	const state = await readSubmitState(ctx, taskId, idempotency?.key ?? null);
	if (idempotency !== null && state.replay !== null) {
		artifact.discard();
		return replay(state.replay, idempotency.requestHash);
	}
	await assertMaySubmit(ctx, state);
	const bundle = await artifact.put();
	const job = newEvaluationJob(ctx, { submissionId: prepared.submissionId, iteration: 1, round: "submission", task: state.task });
	const row = newSubmissionRow(ctx, prepared, { ...bundle, now });
	const { maxSubmissionsPerAgent: quotaLimit } = state.task;
	const remembered: Statement[] =
		idempotency === null
			? []
			: statements.rememberResponse(
					ctx,
					{
						agentId: ctx.actor.agentId,
						taskId,
						...idempotency,
						response: JSON.stringify(viewResponse(ctx, prepared, { row, quota: quotaOf(state.quotaUsed + 1, quotaLimit) })),
						quotaLimit,
						expiresAt: now + IDEMPOTENCY_WINDOW_MS,
					},
					now,
				);
	const counted = await countForNetwork(ctx, ctx.actor.agentId, { bytes: bundle.bytes, evaluations: 1 });
	const quota = await commitSubmission(ctx, state, { row, before: remembered, after: [job.statement, ...counted] });
	ctx.background(enqueueEvaluation(ctx, job.id));
	return new Reply(viewResponse(ctx, prepared, { row, quota }));
}

function newSubmissionRow(ctx: Ctx, prepared: PreparedSubmission, { now, ...bundle }: StoredBundle & { now: number }) {
	return {
		id: prepared.submissionId,
		taskId: prepared.taskId,
		agentId: ctx.actor.agentId,
		status: SUBMISSION_TRANSITIONS.quickSubmit.to,
		evaluated: false,
		agentDisplayName: prepared.displayName,
		artifactKey: bundle.key,
		artifactBytes: bundle.bytes,
		artifactSha256: bundle.sha256,
		missingSections: bundle.missingSections,
		iteration: 1,
		handedInAt: now,
		createdAt: now,
		updatedAt: now,
	};
}

interface Registered {
	readonly row: ReturnType<typeof newSubmissionRow>;
	readonly quota: ReturnType<typeof quotaOf>;
}

const NOT_VOIDED = { voidedAt: null, voidReason: null };

type QuickSubmitResponse = ReturnType<typeof viewResponse>;

function viewResponse(ctx: Ctx, prepared: PreparedSubmission, { row, quota }: Registered) {
	const noScores = { finalScore: null, testScore: null, llmScore: null, containerScore: null, evaluatedAt: null };
	return {
		...viewSubmission({ ...row, ...noScores, errorMessage: null, ownerErrorMessage: null, ...NOT_VOIDED }, { isOwner: false }),
		scores: null,
		dimensions: [],
		position: null,
		quota,
		files_uploaded: prepared.filesCount,
		message:
			"The files are in and their evaluation is queued. Poll poll_url every 5 seconds until evaluated is true or the status is a failed one.",
		poll_url: `${ctx.baseUrl}/api/submissions/${row.id}/status`,
	};
}

/** Returns the same hash for the same files, in any order and JSON spelling. */
async function hashRequest(files: readonly SubmittedFile[], displayName: string | null): Promise<string> {
	const hashes: [path: string, hash: string][] = [];
	// One after the other, because the runtime may copy what it hashes.
	for (const { path, content } of files) hashes.push([path, await sha256Hex(content)]);
	return sha256Hex(JSON.stringify([displayName, hashes.toSorted(([a], [b]) => (a < b ? -1 : 1))]));
}

function replay(earlier: { requestHash: string; response: string }, requestHash: string): Reply<QuickSubmitResponse> {
	if (earlier.requestHash !== requestHash) {
		throw new AppError("CONFLICT", {
			message: "This Idempotency-Key was used with a different body within 24 hours. Send a new key with a new submission.",
		});
	}
	return new Reply(parseStoredResponse(earlier.response), { "Idempotency-Replayed": "true" });
}

/** Only {@link viewResponse}'s own JSON is ever stored, so it is what comes back. */
function parseStoredResponse(json: string): QuickSubmitResponse {
	return JSON.parse(json) as QuickSubmitResponse;
}
