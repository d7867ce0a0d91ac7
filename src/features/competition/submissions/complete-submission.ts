// The verb completeSubmission: checks an uploaded artifact and starts its evaluation. Contract: "Upload-mode rules".
import { eq } from "drizzle-orm";
import { jobs } from "../../../db/task/schema/judging.ts";
import { AppError } from "../../../domain/errors.ts";
import { SUBMISSION_TRANSITIONS } from "../../../domain/submission-status.ts";
import type { Ctx } from "../../../ports/deps.ts";
import { type TaskStore, taskVerb } from "../../../ports/task.ts";
import { signDownloadUrl } from "../../judging/artifacts/download-url.ts";
import { inspectArtifact } from "../../judging/artifacts/inspect.ts";
import { ArchiveFault } from "../../judging/artifacts/policy.ts";
import { ObjectGoneError } from "../../judging/artifacts/range-reader.ts";
import { describeMissingSubmissionMd } from "../../judging/artifacts/rules.ts";
import { enqueueEvaluation } from "../judgements/enqueue-evaluation.ts";
import { readTask } from "../tasks/store.ts";
import { adoptDirectUpload, DOWNLOAD_URL_TTL_MS, forgetDirectUpload } from "./artifact-store.ts";
import { newArtifactKey, unlessUnused } from "./artifacts.ts";
import { whileCounted } from "./reservations.ts";
import { readParty, readQuota } from "./slots.ts";
import { getSubmission, locateSubmission, updateSubmission } from "./store.ts";
import { getUploadable, readUploadable } from "./upload-artifact.ts";

interface Artifact {
	readonly artifactKey: string;
	readonly artifactBytes: number | null;
}

/** What was decided about the artifact that the submission had then. */
interface Decided {
	readonly id: string;
	readonly by: string;
	/** The key that the submission had; null for an upload directly to the bucket. */
	readonly seenKey: string | null;
}

interface Complete extends Decided {
	/** The Worker makes the id, so that a call that is repeated after a lost response finds the first one's job. */
	readonly jobId: string;
	readonly artifact: Artifact;
	readonly missingSections: string[];
}

/** Queues the evaluation of an artifact. Returns false if another upload has replaced the artifact since it was checked. */
export const complete = taskVerb("complete", (store, { jobId, artifact, missingSections, ...decided }: Complete) => {
	const known = store.db.select({ id: jobs.id }).from(jobs).where(eq(jobs.id, jobId)).get();
	if (known !== undefined || isAdopted(store, decided, artifact)) return true;
	const { task, submission } = getUploadable(store, decided);
	if (submission.artifactKey !== decided.seenKey) return false;
	const { id, agentId } = submission;
	const iteration = submission.iteration + 1;
	const status = SUBMISSION_TRANSITIONS.complete.to;
	updateSubmission(store, id, { ...artifact, status, missingSections, iteration, handedInAt: store.now });
	enqueueEvaluation(store, task, { id: jobId, submissionId: id, party: readParty(store, agentId), iteration, round: "submission" });
	store.record({ type: "submission.running", taskId: task.id, submissionId: id, agentId });
	return true;
});

/** Whether an earlier call of the same request has given the submission its copy of a direct upload, which is therefore in use. */
function isAdopted(store: TaskStore, { id, seenKey }: Decided, artifact: Artifact | null): boolean {
	return artifact !== null && artifact.artifactKey !== seenKey && artifact.artifactKey === getSubmission(store, id).artifactKey;
}

interface Refuse extends Decided {
	/** Null for a direct upload that was too large to be kept. */
	readonly artifact: Artifact | null;
	readonly errorMessage: string;
}

/** Ends a submission as failed. Returns what its agent has left, or null if another upload has replaced the artifact. */
export const refuseArtifact = taskVerb("refuseArtifact", (store, { artifact, errorMessage, ...decided }: Refuse) => {
	if (isAdopted(store, decided, artifact)) return readQuota(store, readTask(store), decided.by);
	const { task, submission } = getUploadable(store, decided);
	if (submission.artifactKey !== decided.seenKey) return null;
	const { id, agentId } = submission;
	const status = SUBMISSION_TRANSITIONS.refuseArtifact.to;
	updateSubmission(store, id, { ...artifact, errorMessage, failure: "artifact", status });
	store.record({ type: "submission.failed", taskId: task.id, submissionId: id, agentId, errorMessage });
	return readQuota(store, task, agentId);
});

/** An agent that uploads while it completes is told so in the end. */
const MAX_DECISIONS = 5;

/** Checks the artifact and starts the evaluation, or ends the submission as failed with the reason. */
export async function completeSubmission(ctx: Ctx, submissionId: string) {
	const taskId = await locateSubmission(ctx, submissionId);
	for (let decision = 1; decision <= MAX_DECISIONS; decision += 1) {
		const artifact = await tryToComplete(ctx, taskId, submissionId);
		if (artifact === null) continue;
		forgetDirectUpload(ctx, submissionId);
		const expiresAt = ctx.clock.now() + DOWNLOAD_URL_TTL_MS;
		return {
			id: submissionId,
			status: SUBMISSION_TRANSITIONS.complete.to,
			output_url: await signDownloadUrl(ctx, { origin: ctx.baseUrl, submissionId, artifactKey: artifact.artifactKey, expiresAt }),
			message: "The artifact is accepted and its evaluation is queued. Poll the submission every 5 seconds until it has ended.",
		};
	}
	throw new AppError("CONFLICT", {
		message: "Other uploads replace the artifact while it is checked. Complete the submission after the last one.",
	});
}

/** Returns the artifact that is evaluated, or null if another upload has replaced it. */
async function tryToComplete(ctx: Ctx, taskId: string, id: string): Promise<Artifact | null> {
	const by = ctx.actor.agentId;
	const readState = () => ctx.hubs.callTask(taskId, readUploadable, { input: { id, by }, now: ctx.clock.now() });
	const seen = await readState();
	const decided = { id, by, seenKey: seen.artifactKey };
	const newKey = newArtifactKey(ctx, taskId, id);
	const checked = await checkArtifact(ctx, { id, newKey, ...seen });
	const dropCopy = async () => {
		if (seen.artifactKey === null) await ctx.bucket.delete(newKey);
	};
	if (checked.kind === "gone") {
		if ((await readState()).artifactKey !== seen.artifactKey) return null;
		throw new AppError("NO_UPLOAD_FOUND");
	}
	if (checked.kind === "bad") return refuse(ctx, taskId, { ...decided, ...checked, dropCopy });
	const { artifact, missingSections } = checked;
	// A direct upload to the bucket has not been counted yet.
	const bytes = seen.artifactKey === null ? (artifact.artifactBytes ?? 0) : 0;
	const input = { ...decided, jobId: ctx.ids.next(), artifact, missingSections };
	const isUnused = (isCompleted: boolean) => !isCompleted;
	const callTask = () => ctx.hubs.callTask(taskId, complete, { input, now: ctx.clock.now() });
	const call = () => whileCounted(ctx, { agentId: by, bytes, evaluations: 1 }, { call: callTask, isUnused });
	return (await unlessUnused(ctx, { call, undo: dropCopy, isUnused })) ? artifact : null;
}

interface Uploaded {
	readonly id: string;
	/** For a copy of a direct upload, which its agent cannot overwrite. */
	readonly newKey: string;
	readonly artifactKey: string | null;
	readonly artifactBytes: number | null;
}

type Checked =
	| { readonly kind: "good"; readonly artifact: Artifact; readonly missingSections: string[] }
	| { readonly kind: "bad"; readonly artifact: Artifact | null; readonly refusal: AppError }
	/** Its object was deleted: another upload has replaced it, or it was lost. */
	| { readonly kind: "gone" };

async function checkArtifact(ctx: Ctx, uploaded: Uploaded): Promise<Checked> {
	const artifact = await findArtifact(ctx, uploaded);
	if (artifact instanceof AppError) return { kind: "bad", artifact: null, refusal: artifact };
	try {
		const { missingSections, paths } = await inspectArtifact(ctx, artifact.artifactKey);
		if (missingSections !== null) return { kind: "good", artifact, missingSections };
		const refusal = new AppError("MISSING_SUBMISSION_MD", { message: describeMissingSubmissionMd(paths) });
		return { kind: "bad", artifact, refusal };
	} catch (error) {
		if (error instanceof ObjectGoneError) return { kind: "gone" };
		if (!(error instanceof ArchiveFault)) throw error;
		return { kind: "bad", artifact, refusal: new AppError("BAD_REQUEST", { message: error.message, cause: error }) };
	}
}

/**
 * The artifact that was stored through this service, else a copy of one that was uploaded directly to the bucket. Such an upload can
 * have any size, so the limit is enforced here.
 *
 * @throws AppError `NO_UPLOAD_FOUND`.
 */
async function findArtifact(ctx: Ctx, { id, newKey, artifactKey, artifactBytes }: Uploaded): Promise<Artifact | AppError> {
	if (artifactKey !== null) return { artifactKey, artifactBytes };
	try {
		const adopted = await adoptDirectUpload(ctx, id, newKey);
		if (adopted !== null) return { artifactKey: adopted.key, artifactBytes: adopted.bytes };
	} catch (error) {
		if (error instanceof AppError && error.code === "FILE_TOO_LARGE") return error;
		throw error;
	}
	throw new AppError("NO_UPLOAD_FOUND");
}

/**
 * Ends the submission as failed with the message of a refusal. Returns null if another upload has replaced the artifact.
 *
 * @throws AppError the refusal, which also says what the agent has left.
 */
async function refuse(
	ctx: Ctx,
	taskId: string,
	{ refusal, artifact, id, by, seenKey, dropCopy }: Decided & Checked & { kind: "bad"; readonly dropCopy: () => Promise<void> },
): Promise<null> {
	const input = { id, by, seenKey, artifact, errorMessage: refusal.message };
	const call = () => ctx.hubs.callTask(taskId, refuseArtifact, { input, now: ctx.clock.now() });
	const quota = await unlessUnused(ctx, { call, undo: dropCopy, isUnused: (left) => left === null });
	if (quota === null) return null;
	forgetDirectUpload(ctx, id);
	const left = `You have ${quota.remaining} of ${quota.limit} submissions left on this task.`;
	throw new AppError(refusal.code, { ...refusal.facts, message: `${refusal.message} ${left}` });
}
