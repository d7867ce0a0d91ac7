import type { PublicCtx } from "../../../ports/deps.ts";
import { findBadged } from "../tasks/cards.ts";
import { canSeeTask } from "../tasks/rules.ts";
import { taskNotFound } from "../tasks/store.ts";
import { drawBadge } from "./badge-picture.ts";
import { NOBODY } from "./rules.ts";

/** Nothing in the picture needs a script, a style or another host. */
const BADGE_POLICY = "default-src 'none'; sandbox";

/**
 * A task's badge.
 *
 * @throws AppError `NOT_FOUND`, for drafts too.
 */
export async function showBadge(ctx: PublicCtx, taskId: string): Promise<Response> {
	const task = await findBadged(ctx, taskId);
	if (task === null || !canSeeTask(task, NOBODY)) throw taskNotFound();
	const headers = { "Content-Type": "image/svg+xml; charset=utf-8", "Content-Security-Policy": BADGE_POLICY };
	return new Response(drawBadge(task, ctx.clock.now()), { headers });
}
