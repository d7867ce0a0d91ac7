// The artifacts of a task in R2, and what becomes of one whose submission is refused.
import { AppError, ERRORS } from "../../../domain/errors.ts";
import type { Deps } from "../../../ports/deps.ts";
import { artifactKey } from "../tasks/stored-objects.ts";

export interface StoredArtifact {
	readonly key: string;
	readonly bytes: number;
	/** Lower-case hex. */
	readonly sha256: string;
}

/** A key that no other upload has, so that an object is never overwritten while it is read. */
export function newArtifactKey(deps: Deps, taskId: string, submissionId: string): string {
	return artifactKey(taskId, submissionId, deps.ids.next());
}

/**
 * Calls a verb after something was stored or reserved for it, and undoes that in the background if the verb refuses or has no use for it.
 * After any other error the verb may have taken effect.
 */
export async function unlessUnused<Result>(deps: Deps, { call, undo, isUnused = () => false }: Prepared<Result>): Promise<Result> {
	try {
		const result = await call();
		if (isUnused(result)) deps.background(undo());
		return result;
	} catch (error) {
		if (isRefusal(error)) deps.background(undo());
		throw error;
	}
}

interface Prepared<Result> {
	readonly call: () => Promise<Result>;
	readonly undo: () => Promise<unknown>;
	readonly isUnused?: ((result: Result) => boolean) | undefined;
}

export function isRefusal(error: unknown): error is AppError {
	return error instanceof AppError && ERRORS[error.code].status < 500;
}
