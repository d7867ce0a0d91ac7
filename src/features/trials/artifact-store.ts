// Where the packed files of trials are: one object for each, which the collector deletes after the trial has ended.
import { AppError } from "../../domain/errors.ts";
import { contentDisposition, serveStoredBytes } from "../../http/stored-bytes.ts";
import { writeBlob } from "../../platform/blob-writer.ts";
import type { Deps, SignedCtx } from "../../ports/deps.ts";
import { packFiles } from "../artifacts/packing.ts";
import type { SubmittedFile } from "../artifacts/rules.ts";
import type { StoredObjects } from "../stored-objects/service.ts";
import * as store from "./store.ts";

/** Artifacts of trials that have not ended. */
export const trialObjects: StoredObjects = { prefix: "trials/", selectUnreferenced: store.selectUnreferencedArtifacts };

/** Returns a key that no other object has. */
export function newTrialKey(deps: Deps): string {
	return `${trialObjects.prefix}${deps.ids.next()}.zip`;
}

/** Packs files as quick-submit does, and returns what a trial says about them. */
export async function packAndStore(deps: Deps, artifactKey: string, files: readonly SubmittedFile[]) {
	const { zip, missingSections } = packFiles(files);
	const { sha256 } = await writeBlob(zip, { bucket: deps.bucket, key: artifactKey, contentType: "application/zip" });
	return { artifactKey, artifactSha256: sha256, missingSections };
}

/** For graders, by the signed URL that they get. */
export async function downloadTrialArtifact(ctx: SignedCtx, trialId: string): Promise<Response> {
	const key = (await store.findTrial(ctx, trialId))?.artifactKey ?? null;
	const object = key === null ? null : await ctx.bucket.get(key);
	if (object === null) throw new AppError("NOT_FOUND", { message: "The trial has no artifact." });
	return serveStoredBytes({
		body: object.body,
		sizeBytes: object.size,
		etag: object.httpEtag,
		contentType: "application/zip",
		contentDisposition: contentDisposition(`${trialId}.zip`),
	});
}
