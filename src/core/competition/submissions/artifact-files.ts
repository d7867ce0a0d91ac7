// Opens a stored artifact so that one file can be read without unpacking the others.
import { AppError } from "../../../domain/errors.ts";
import type { EvalMode } from "../../../domain/modes.ts";
import type { Ctx } from "../../../ports/deps.ts";
import type { Archive } from "../../judging/artifacts/archive.ts";
import { openArchive } from "../../judging/artifacts/artifact-index.ts";
import { ArchiveFault } from "../../judging/artifacts/policy.ts";
import { ObjectGoneError } from "../../judging/artifacts/range-reader.ts";
import type { ReaderReport } from "../judgements/report.ts";
import { workIsSealed } from "../tasks/rules.ts";
import { readVisible } from "./read-submission.ts";

/** What a reader may see of a submission's artifact. */
export interface ReadableWork {
	readonly artifactKey: string;
	readonly evalMode: EvalMode;
	/** The submission's report. Null before the first evaluation. */
	readonly report: ReaderReport | null;
}

/**
 * @throws AppError `NOT_FOUND` for anyone but the submitting agent and the task's owner, `TASK_NOT_CLOSED` while the artifact is sealed
 * from the owner, `NO_ARTIFACT` if no artifact is stored.
 */
export async function getReadableWork(ctx: Ctx, submissionId: string): Promise<ReadableWork> {
	const { artifactKey, evalMode, report, isSealed } = await readVisible(ctx, submissionId);
	if (isSealed) throw workIsSealed();
	if (artifactKey === null) throw noArtifact();
	return { artifactKey, evalMode, report };
}

/** @throws AppError `NO_ARTIFACT`, `CONFLICT` when the zip is broken. */
export async function openSubmissionArchive({ bucket }: Ctx, { artifactKey }: ReadableWork): Promise<Archive> {
	return openArchive(bucket, artifactKey).catch((error: unknown) => {
		throw toArtifactError(error);
	});
}

/**
 * Converts an error from reading an artifact to an AppError. An artifact that was rejected or never completed may be an invalid zip, and
 * one that was replaced no longer exists. Returns any other error unchanged.
 */
export function toArtifactError(error: unknown): unknown {
	if (error instanceof ArchiveFault)
		return new AppError("CONFLICT", { message: `The artifact cannot be read. ${error.message}`, cause: error });
	return error instanceof ObjectGoneError ? noArtifact(error) : error;
}

function noArtifact(cause?: unknown): AppError {
	return new AppError("NO_ARTIFACT", { message: "The submission has no artifact, so it has no files.", cause });
}

/** Returns the last part of the object's key, without `.zip`. It is unique. */
export function idOfArtifact(key: string): string {
	return key.slice(key.lastIndexOf("/") + 1, -".zip".length);
}
