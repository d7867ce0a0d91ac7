// URLs from which agents, external judges and graders download artifacts and test suites without a key.
import { signUrl } from "../../../platform/signed-url.ts";
import type { Deps } from "../../../ports/deps.ts";

export function artifactPath(submissionId: string): string {
	return `/api/v1/submissions/${submissionId}/artifact`;
}

function trialArtifactPath(trialId: string): string {
	return `/api/v1/trials/${trialId}/artifact`;
}

/** Returns the id in a path of {@link artifactPath}. Null for other paths. */
export function submissionOfPath(path: string): string | null {
	const id = path.split("/")[4] ?? "";
	return path === artifactPath(id) ? id : null;
}

/** Signs a URL to download an artifact: from the bucket if direct downloads are configured, or otherwise from this service. */
export async function signDownloadUrl(
	deps: Deps,
	{
		origin,
		submissionId,
		isTrial = false,
		artifactKey,
		expiresAt,
		holder = null,
	}: {
		/** The origin of this service, for URLs that do not lead to the bucket. */
		readonly origin: string;
		/** The id of the submission, or of the trial if `isTrial` is true. */
		readonly submissionId: string;
		readonly isTrial?: boolean;
		readonly artifactKey: string;
		/** When the URL expires, in milliseconds since the epoch. */
		readonly expiresAt: number;
		/** See `UrlGrant`. */
		readonly holder?: string | null;
	},
) {
	const path = isTrial ? trialArtifactPath(submissionId) : artifactPath(submissionId);
	return signObjectUrl(deps, { origin, path, key: artifactKey, filename: `${submissionId}.zip`, expiresAt, holder });
}

/** Signs a URL from which the grader downloads a task's test suite. */
export async function signTestSuiteUrl(deps: Deps, suite: { origin: string; taskId: string; key: string; expiresAt: number }) {
	const path = `/api/v1/tasks/${suite.taskId}/test-suite/content`;
	return signObjectUrl(deps, { ...suite, path, filename: "test_suite.json", holder: null });
}

async function signObjectUrl(
	deps: Deps,
	{
		origin,
		path,
		key,
		filename,
		expiresAt,
		holder,
	}: {
		readonly origin: string;
		readonly path: string;
		readonly key: string;
		readonly filename: string;
		readonly expiresAt: number;
		readonly holder: string | null;
	},
): Promise<string> {
	if (deps.directTransfers !== null) {
		const { url } = await deps.directTransfers.presignGet(key, { ttlMs: expiresAt - deps.clock.now(), filename });
		return url;
	}
	const token = await signUrl(deps.config.keys, { method: "GET", path, expiresAt, maxBytes: null, holder });
	return `${origin}${path}?${token}`;
}
