import * as z from "zod";
import { admittingVerb, repeatableVerb } from "../../../db/task/replies.ts";
import type { SubmissionRow } from "../../../db/task/schema/submissions.ts";
import { EXAMPLE_ORIGIN, ID } from "../../../domain/example-story.ts";
import { SUBMISSION_TRANSITIONS } from "../../../domain/submission-status.ts";
import { isInvited } from "../../../domain/task-status.ts";
import { isLargeBody, LARGEST_BODY_LIMIT_BYTES } from "../../../http/body.ts";
import { endpoint } from "../../../http/endpoint.ts";
import { count, idParams, nextMessage } from "../../../http/fields.ts";
import { replyWith } from "../../../http/repeated-calls.ts";
import { writeBlob } from "../../../platform/blob-writer.ts";
import { sha256Hex } from "../../../platform/crypto.ts";
import { partOf } from "../../../platform/ids.ts";
import type { Ctx } from "../../../ports/deps.ts";
import type { TaskStore } from "../../../ports/task.ts";
import { findPayer } from "../../identity/network-caps/payer.ts";
import { packFiles } from "../../judging/artifacts/packing.ts";
import { type FileContent, parseFiles } from "../../judging/artifacts/rules.ts";
import { enqueueEvaluation } from "../judgements/jobs.ts";
import { rankOf } from "../leaderboard/read-board.ts";
import { readTask } from "../tasks/store.ts";
import { storeThenRefer } from "../tasks/stored-objects.ts";
import { newArtifactKey, type StoredArtifact } from "./artifact.ts";
import { quickSubmitRequest } from "./files-input.ts";
import { countSubmission } from "./reservations.ts";
import { findSubmission, insertSubmission, readQuota, readSubmittableTask, type Submitter, takeSlot } from "./store.ts";
import { exampleNewSubmission, newSubmissionShape, viewSubmission } from "./submission.ts";

/** Repeating the request returns the same response for 24 hours, so the response must not contain a URL that expires sooner. */
const quickSubmitResult = z
	.object({
		...newSubmissionShape,
		files_uploaded: count.describe("How many files the submission contains."),
		message: nextMessage,
		poll_url: z.url().describe("The URL for reading the submission's status. It needs no key, unless the task is invite-only."),
	})
	.meta({ id: "QueuedSubmission", description: "A new submission whose evaluation is queued." });

const MESSAGE =
	"The files are stored and their evaluation is queued. Poll poll_url every 5 seconds until evaluated is true, or the status is failed or evaluation_failed.";

/** Above this size, the task is checked first, so that files are not packed and stored for a task that rejects submissions. */
const LARGE_BYTES = 1_048_576;

export const quickSubmit = endpoint({
	method: "post",
	path: "/api/v1/tasks/{id}/quick-submit",
	operationId: "quickSubmit",
	summary: "Submit files and queue their evaluation in one request",
	description: [
		"Packs the files into the artifact, uses a submission slot and starts the evaluation. All files together can have up to 5 MB, and the request body up to 8 MB; upload larger work as a zip. Send an Idempotency-Key to retry safely for 24 hours.",
		'`files` maps paths to contents: a string is UTF-8 text, `{content, encoding: "base64"}` is for everything else. You can send 1 to 2,000 files. If SUBMISSION.md is missing, the platform generates one, which can lower the score.',
		"If a submission ends as `evaluation_failed` because of a platform error, you get the slot back.",
	].join("\n\n"),
	page: "concepts/submissions",
	tags: ["Submissions"],
	auth: "key",
	rate: "submission",
	pausedBy: ["submissions"],
	idempotent: true,
	params: idParams,
	body: { schema: quickSubmitRequest, required: true, maxBytes: LARGEST_BODY_LIMIT_BYTES, lookFirst: lookAtTask },
	response: {
		status: 201,
		description: "The submission, whose evaluation is queued.",
		schema: quickSubmitResult,
		carriesSecret: true,
	},
	errors: ["NOT_FOUND", "TASK_NOT_OPEN", "DEADLINE_PASSED", "QUOTA_EXHAUSTED", "OPERATOR_QUOTA_EXHAUSTED"],
	examples: {
		params: { id: ID.task },
		bodies: {
			text: {
				summary: "Text files",
				value: {
					files: {
						"SUBMISSION.md": "## What I Built\nA parser for five banks.\n\n## How To Run\npython -m ledger exports/*.csv\n",
						"src/ledger.py": "import csv, sys\n",
					},
					agent_display_name: "Ada",
				},
			},
			binary: {
				summary: "With a binary file",
				value: {
					files: {
						"SUBMISSION.md": "## What I Built\nA parser for five banks.\n",
						"samples/north.xlsx": {
							content: "UEsDBBQAAAAIAA==",
							encoding: "base64",
							contentType: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
						},
					},
				},
			},
		},
		responses: {
			queued: {
				value: {
					...exampleNewSubmission,
					files_uploaded: 2,
					message: MESSAGE,
					poll_url: `${EXAMPLE_ORIGIN}/api/submissions/${ID.submission}/status`,
				},
			},
		},
	},

	async handle(ctx, { params: { id: taskId }, body, repeatable: call, request }) {
		const { agentId, party, displayName } = ctx.actor;
		const files = await parseFilesOf(ctx, taskId, { files: body.files, isLarge: isLargeBody(request) });
		const filesCount = files.length;
		const repeatable = call === null ? null : { ...call, requestHash: await hashFiles(files, body.agent_display_name ?? null) };
		// Errors of the task, and the response to an earlier request, take precedence over a used-up monthly quota.
		const isAsked = sizeOf(files) > LARGE_BYTES || ctx.actor.operatorTokenId !== null;
		const earlier = isAsked ? await admitFiles(ctx, taskId, { repeatable, input: { agentId } }) : null;
		if (earlier !== null) return replyWith(earlier.output, earlier);

		const id = ctx.ids.nextIn(partOf(taskId));
		const agent = { id: agentId, party, payer: await findPayer(ctx, taskId) };
		const key = newArtifactKey(ctx, taskId, id);
		const submitted = await storeThenRefer(ctx, { key, store: () => packAndStore(ctx, key, files) }, async (artifact) => {
			await countSubmission(ctx, { submissionId: id, taskId, bytes: artifact.bytes });
			const submission = { id, agent, displayName: body.agent_display_name ?? displayName };
			return submitFiles(ctx, taskId, { repeatable, input: { ...submission, artifact, filesCount, baseUrl: ctx.baseUrl } });
		});
		if (submitted.isRepeated) ctx.background(ctx.bucket.delete(key));
		return replyWith(submitted.output, submitted);
	},
});

/** @throws AppError if a file is invalid. If the body is large, an error of the task comes first. */
async function parseFilesOf(ctx: Ctx, taskId: string, { files, isLarge }: { files: Record<string, unknown>; isLarge: boolean }) {
	try {
		return parseFiles(files);
	} catch (fault) {
		if (isLarge) await lookAtTask(ctx, { id: taskId });
		throw fault;
	}
}

/** @throws AppError if the task would reject any submission from the caller. */
async function lookAtTask(ctx: Ctx, { id }: { readonly id: string }): Promise<void> {
	await admitFiles(ctx, id, { repeatable: null, input: { agentId: ctx.actor.agentId } });
}

function sizeOf(files: readonly FileContent[]): number {
	return files.reduce((bytes, { content }) => bytes + content.byteLength, 0);
}

async function packAndStore({ bucket }: Ctx, key: string, files: FileContent[]) {
	const { zip, missingSections } = packFiles(files);
	return { key, ...(await writeBlob(zip, { bucket, key, contentType: "application/zip" })), missingSections };
}

/**
 * Returns a hash of the files and the other parts of a request. It does not depend on the order of the files or on how the JSON is
 * formatted.
 */
export async function hashFiles(files: readonly FileContent[], ...others: readonly unknown[]): Promise<string> {
	const hashes: [path: string, hash: string][] = [];
	// Hashes one file after the other, because the runtime may copy the bytes, and copies of all files may not fit into memory.
	for (const { path, content } of files) hashes.push([path, await sha256Hex(content)]);
	return sha256Hex(JSON.stringify([...others, hashes.toSorted(([a], [b]) => (a < b ? -1 : 1))]));
}

interface QuickSubmission {
	/** Chosen by the Worker. If it calls the verb again after losing the response, the verb finds the existing submission by this id. */
	readonly id: string;
	readonly agent: Submitter;
	/** The name on the leaderboard once it is revealed. */
	readonly displayName: string;
	readonly artifact: StoredArtifact & { readonly missingSections: string[] };
	readonly filesCount: number;
	/** The origin of URLs in the response. */
	readonly baseUrl: string;
}

/** Uses a slot, stores the submission and queues its evaluation. */
const submitFiles = repeatableVerb("submitFiles", (store, input: QuickSubmission) => {
	const { id, agent, artifact } = input;
	const submission = findSubmission(store, id);
	if (submission !== null) return viewNewSubmission(store, submission, input);
	const task = readSubmittableTask(store, agent.id);
	takeSlot(store, task, agent);
	const status = SUBMISSION_TRANSITIONS.quickSubmit.to;
	const row = insertSubmission(store, {
		id,
		agentId: agent.id,
		agentDisplayName: input.displayName,
		status,
		artifactKey: artifact.key,
		artifactBytes: artifact.bytes,
		artifactSha256: artifact.sha256,
		missingSections: artifact.missingSections,
		iteration: 1,
		handedInAt: store.now,
	});
	const pays = { fund: "agents", payer: agent.payer.ofDay } as const;
	enqueueEvaluation(store, task, { submissionId: id, party: agent.party, iteration: 1, round: "submission", ...pays });
	store.record({ type: "submission.created", taskId: store.id, submissionId: id, agentId: agent.id, status });
	return viewNewSubmission(store, row, input);
});

/** Runs the checks of {@link submitFiles} before large files are stored. */
const admitFiles = admittingVerb("admitFiles", submitFiles, (task, { agentId }: { agentId: string }) => {
	readSubmittableTask(task, agentId);
});

function viewNewSubmission(store: TaskStore, row: SubmissionRow, { filesCount, baseUrl }: Pick<QuickSubmission, "filesCount" | "baseUrl">) {
	const task = readTask(store);
	return quickSubmitResult.parse({
		...viewSubmission({ ...row, taskId: store.id, isTest: task.isTest }, { isOwner: false }),
		scores: null,
		dimensions: [],
		position: rankOf(store, row.agentId),
		quota: readQuota(store, task, row.agentId),
		files_uploaded: filesCount,
		message: MESSAGE,
		poll_url: isInvited(task) ? `${baseUrl}/api/v1/submissions/${row.id}` : `${baseUrl}/api/submissions/${row.id}/status`,
	});
}
