// Finds what an agent has uploaded for a submission, and decides whether it can be evaluated.
import { AppError } from "../../../domain/errors.ts";
import type { Ctx } from "../../../ports/deps.ts";
import { inspectArtifact } from "../../judging/artifacts/inspect.ts";
import { ArchiveFault } from "../../judging/artifacts/policy.ts";
import { ObjectGoneError } from "../../judging/artifacts/range-reader.ts";
import { describeMissingSubmissionMd } from "../../judging/artifacts/rules.ts";
import { adoptDirectUpload } from "./upload-url.ts";

export interface ArtifactReference {
	readonly artifactKey: string;
	readonly artifactBytes: number | null;
}

interface UploadState {
	readonly id: string;
	/** The key to which a direct upload is copied, so that its agent cannot overwrite the copy. */
	readonly newKey: string;
	readonly artifactKey: string | null;
	readonly artifactBytes: number | null;
}

export type ArtifactCheck =
	| { readonly kind: "good"; readonly artifact: ArtifactReference; readonly missingSections: string[] }
	/** `artifact` is null if a direct upload was too large to copy. */
	| { readonly kind: "bad"; readonly artifact: ArtifactReference | null; readonly refusal: AppError }
	/** The object is gone: another upload replaced it, or it was lost. */
	| { readonly kind: "gone" };

/** Checks what was uploaded. @throws AppError `NO_UPLOAD_FOUND`. */
export async function checkArtifact(ctx: Ctx, upload: UploadState): Promise<ArtifactCheck> {
	const artifact = await findArtifact(ctx, upload);
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
 * Returns the artifact that was stored through this service, or otherwise a copy of a direct upload to the bucket. Returns an error if a
 * direct upload is too large.
 *
 * @throws AppError `NO_UPLOAD_FOUND`.
 */
async function findArtifact(ctx: Ctx, { id, newKey, artifactKey, artifactBytes }: UploadState): Promise<ArtifactReference | AppError> {
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
