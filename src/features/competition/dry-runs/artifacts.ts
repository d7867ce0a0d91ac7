// The packed files of trials, in R2.
import { AppError } from "../../../domain/errors.ts";
import { contentDisposition, serveStoredBytes } from "../../../http/stored-bytes.ts";
import { writeBlob } from "../../../platform/blob-writer.ts";
import type { Deps, SignedCtx } from "../../../ports/deps.ts";
import { packFiles } from "../../judging/artifacts/packing.ts";
import type { SubmittedFile } from "../../judging/artifacts/rules.ts";
import type { AttackedTask } from "../judge-check/cases/case.ts";
import { JUDGE_CASES } from "../judge-check/cases/index.ts";
import { trialKey } from "../tasks/stored-objects.ts";

/** Packs files as quick-submit does, and returns what a trial says about them. */
export async function storeTrialFiles({ bucket }: Deps, artifactKey: string, files: readonly SubmittedFile[]) {
	const { zip, missingSections } = packFiles(files);
	const { sha256 } = await writeBlob(zip, { bucket, key: artifactKey, contentType: "application/zip" });
	return { artifactKey, artifactSha256: sha256, missingSections };
}

/**
 * Packs a case of the judge check, when its turn comes. A consumer that repeats the work of a dead one overwrites the same object. Null when this version of the platform no longer has the case.
 */
export async function storeCase(deps: Deps, artifactKey: string, { name, task }: { name: string; task: AttackedTask }) {
	const attack = JUDGE_CASES.find((known) => known.name === name);
	if (attack === undefined) return null;
	const encoder = new TextEncoder();
	const files = Object.entries(attack.files(task)).map(([path, text]) => ({ path, content: encoder.encode(text) }));
	return storeTrialFiles(deps, artifactKey, files);
}

/** For graders, by the signed URL that they get. */
export async function downloadTrialArtifact(ctx: SignedCtx, trialId: string): Promise<Response> {
	const taskId = await ctx.locate(trialId);
	const object = taskId === null ? null : await ctx.bucket.get(trialKey(taskId, trialId));
	if (object === null) throw new AppError("NOT_FOUND", { message: "The trial has no artifact." });
	return serveStoredBytes({
		body: object.body,
		sizeBytes: object.size,
		etag: object.httpEtag,
		contentType: "application/zip",
		contentDisposition: contentDisposition(`${trialId}.zip`),
	});
}
