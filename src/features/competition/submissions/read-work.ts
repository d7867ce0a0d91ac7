// The stored work of a submission, whose files are listed and read one by one. Contract: additions, "The work itself".
import type { Ctx } from "../../../ports/deps.ts";
import { noArtifact, type StoredWork } from "./artifact-files.ts";
import { readVisible } from "./read-submission.ts";

/** @throws AppError `NOT_FOUND` for anyone but the submitting agent and the task's owner, `NO_ARTIFACT` while nothing is stored. */
export async function readWork(ctx: Ctx, submissionId: string): Promise<StoredWork> {
	const { artifactKey, evalMode, report } = await readVisible(ctx, submissionId);
	if (artifactKey === null) throw noArtifact();
	return { artifactKey, evalMode, report };
}
