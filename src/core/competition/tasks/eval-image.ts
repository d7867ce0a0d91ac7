// Checks references to images. When a task is published, the grader resolves the task's reference to a digest.
import type { TaskRow } from "../../../db/task/schema/task.ts";
import { invalidInput } from "../../../domain/errors.ts";
import { digestOfReference, registryOfReference } from "../../../domain/image-reference.ts";
import { MODES } from "../../../domain/modes.ts";
import type { TaskWarning } from "../../../domain/task-warnings.ts";
import { findRegistryFault } from "../../../platform/outbound.ts";
import type { Ctx } from "../../../ports/deps.ts";
import { openGrader } from "../../judging/grader/client.ts";

/**
 * @param image A reference with a valid format, or null for none.
 * @throws AppError `INVALID_BODY` if the registry is on a private network, because the grader may be able to reach it although the poster
 * cannot.
 */
export function assertPublicRegistry(ctx: Ctx, image: string | null): void {
	const registry = image === null ? null : registryOfReference(image);
	if (registry === null) return;
	const fault = findRegistryFault(registry, { allowInsecure: ctx.config.allowInsecureTargets });
	if (fault !== null) throw invalidInput("INVALID_BODY", [{ path: "eval_image", message: fault }]);
}

/**
 * Returns an image's digest: the one in its reference, or else the current one, which the grader looks up. Null if it is not known yet; the
 * first run then resolves it.
 */
export async function resolveImage(
	ctx: Ctx,
	image: string,
): Promise<{ readonly digest: string | null; readonly warnings: readonly TaskWarning[] }> {
	const grader = openGrader(ctx);
	if (grader === null) return { digest: digestOfReference(image), warnings: [NO_GRADER] };
	const named = digestOfReference(image);
	if (named !== null) return { digest: named, warnings: [] };
	const resolution = await grader.resolve(image);
	if (resolution.state === "resolved") return { digest: resolution.digest, warnings: [] };
	return { digest: null, warnings: [resolution.state === "missing" ? IMAGE_MISSING : IMAGE_UNRESOLVED] };
}

const NO_GRADER: TaskWarning = {
	code: "NO_GRADER",
	message:
		"This deployment has no grader for container images, so submissions end in evaluation_failed. Ask its operator for one, or use an eval_mode without an image.",
};

const IMAGE_UNRESOLVED: TaskWarning = {
	code: "IMAGE_UNRESOLVED",
	message:
		"The image has no digest yet, because the grader or the registry could not be reached when the task was published. The first run resolves it, and every later run uses the same digest.",
};

const IMAGE_MISSING: TaskWarning = {
	code: "IMAGE_UNRESOLVED",
	message:
		"The registry does not have this image, or does not allow the grader to pull it. Push it before anyone submits. The first run resolves it, and every later run uses the same digest.",
};

/** Returns warnings for the task's owner that the image cannot run, or that its digest is not known yet. */
export function imageWarnings(ctx: Ctx, { evalMode, evalImageDigest, status }: TaskRow): readonly TaskWarning[] {
	if (!MODES[evalMode].usesImage) return [];
	if (ctx.config.grader === null) return [NO_GRADER];
	const isRunnable = status === "open" || status === "evaluating";
	return isRunnable && evalImageDigest === null ? [IMAGE_UNRESOLVED] : [];
}
