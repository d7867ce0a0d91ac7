// An anonymous agent costs nothing, so it has a limited number of drafts, and drafts that it forgets are deleted.
import { commit } from "../../../db/commit.ts";
import { DAY_MS } from "../../../platform/clock.ts";
import type { Ctx, Deps } from "../../../ports/deps.ts";
import { deleteDrafts, insertDraft, updateTouched } from "./statements.ts";
import { selectUntouchedDrafts, type UntouchedDraft } from "./store.ts";

/** Contract: rulings, "Limits that were missing". */
export const MAX_ANONYMOUS_DRAFTS = 100;
/** The draft of an anonymous agent is deleted after this time without a change. */
export const UNTOUCHED_MS = 30 * DAY_MS;

/**
 * Makes room for a new draft, which counts from now on. Call it before the draft is stored.
 *
 * @throws AppError `CONFLICT` if the agent is anonymous and has too many drafts.
 */
export async function admitDraft(ctx: Ctx, taskId: string): Promise<void> {
	const { agentId, tier } = ctx.actor;
	if (tier !== "anonymous") return;
	await commit(ctx.db, [insertDraft(ctx, { taskId, agentId, now: ctx.clock.now(), limit: MAX_ANONYMOUS_DRAFTS })]);
}

/** The sweep deletes at most this many drafts in a minute. */
const DRAFTS_PER_RUN = 90;

/**
 * Looks for drafts that have not changed for a long time.
 *
 * @param deleteDraft Returns true if the draft is gone, and false if it has changed since its card was written.
 */
export async function sweepUntouchedDrafts(deps: Deps, deleteDraft: (draft: UntouchedDraft) => Promise<boolean>): Promise<void> {
	const now = deps.clock.now();
	const drafts = await selectUntouchedDrafts(deps, { upTo: now - UNTOUCHED_MS, limit: DRAFTS_PER_RUN });
	if (drafts.length === 0) return;
	const isGone = await Promise.all(drafts.map(async (draft) => !draft.isAnonymous || (!draft.hasPerson && (await deleteDraft(draft)))));
	const idsWhere = (gone: boolean) => drafts.filter((_, index) => isGone[index] === gone).map(({ taskId }) => taskId);
	await commit(deps.db, [deleteDrafts(deps, idsWhere(true)), updateTouched(deps, { taskIds: idsWhere(false), now })]);
}
