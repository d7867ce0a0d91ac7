// The view of a submission's stored zip.
import * as z from "zod";
import type { SubmissionRow } from "../../../db/task/schema/submissions.ts";
import { AT, EXAMPLE_ORIGIN, ID } from "../../../domain/example-story.ts";
import { holderOf } from "../../../http/authenticate.ts";
import { count, sha256, timestamp } from "../../../http/fields.ts";
import { HOUR_MS, MINUTE_MS, toIso } from "../../../platform/clock.ts";
import type { Deps, PublicCtx } from "../../../ports/deps.ts";
import { signDownloadUrl } from "../../judging/artifacts/download-url.ts";
import { artifactKey as keyOf } from "../tasks/stored-objects.ts";

export const artifactView = z
	.object({
		url: z.url().describe("The URL for downloading the zip without a key."),
		expires_at: timestamp.describe("When `url` stops working, an hour from now. To get a new URL, read the submission again."),
		size_bytes: count.nullable().describe("Size of the zip in bytes."),
		sha256: sha256
			.nullable()
			.describe("SHA-256 of the zip, in lower-case hex. Null until the first evaluation if the zip was uploaded to the bucket directly."),
	})
	.meta({ id: "Artifact", description: "The stored zip of a submission." });

export const ARTIFACT_DOWNLOAD_TTL_MS = HOUR_MS;

/**
 * Returns a stored artifact with a URL that downloads it without a key, or null if none is stored. The URL expires on a full minute, so
 * that responses within a minute are identical and have the same ETag.
 */
export async function viewArtifact(
	ctx: PublicCtx,
	{ id, artifactKey, artifactBytes, artifactSha256 }: Pick<SubmissionRow, "id" | "artifactKey" | "artifactBytes" | "artifactSha256">,
) {
	if (artifactKey === null) return null;
	const expiresAt = Math.ceil((ctx.clock.now() + ARTIFACT_DOWNLOAD_TTL_MS) / MINUTE_MS) * MINUTE_MS;
	const url = await signDownloadUrl(ctx, { origin: ctx.baseUrl, submissionId: id, artifactKey, expiresAt, holder: holderOf(ctx) });
	return { url, expires_at: toIso(expiresAt), size_bytes: artifactBytes, sha256: artifactSha256 };
}

export interface StoredArtifact {
	readonly key: string;
	readonly bytes: number;
	/** The SHA-256 of the zip, in lower-case hex. */
	readonly sha256: string;
}

/** Returns a new, unique key, so that no object is overwritten while someone reads it. */
export function newArtifactKey(deps: Deps, taskId: string, submissionId: string): string {
	return keyOf(taskId, submissionId, deps.ids.next());
}

export const exampleArtifact = {
	url: `${EXAMPLE_ORIGIN}/api/v1/submissions/${ID.submission}/artifact?expires=1796209500000&signature=4e07408562bedb8b60ce05c1decfe3ad`,
	expires_at: AT.downloadExpires,
	size_bytes: 48_211,
	sha256: "4e07408562bedb8b60ce05c1decfe3ad16b72230967de01f640b7e4729b49fce",
} as const;
