// Where an artifact is fetched from without a key: the submit feature hands such addresses out, and so does the external mode.
import type { Deps } from "../../../deps.ts";
import { signUrl } from "../../../platform/signed-url.ts";

export function artifactPath(submissionId: string): string {
	return `/api/v1/submissions/${submissionId}/artifact`;
}

interface DownloadGrant {
	/** Origin of this service, for an address of its own. */
	readonly origin: string;
	readonly submissionId: string;
	readonly artifactKey: string;
	readonly ttlMs: number;
}

/**
 * An address to GET an artifact from: the bucket's own where that is configured, else one of this service.
 *
 * @returns The address, and until when it works in milliseconds since the epoch.
 */
export async function signDownloadUrl(deps: Deps, { origin, submissionId, artifactKey, ttlMs }: DownloadGrant) {
	const expiresAt = deps.clock.now() + ttlMs;
	if (deps.directTransfers !== null) {
		const { url } = await deps.directTransfers.presignGet(artifactKey, { ttlMs, filename: `${submissionId}.zip` });
		return { url, expiresAt };
	}
	const path = artifactPath(submissionId);
	const token = await signUrl(deps.config.secretsKey, { method: "GET", path, expiresAt, maxBytes: null });
	return { url: `${origin}${path}?${token}`, expiresAt };
}
