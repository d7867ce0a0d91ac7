// Anyone can create anonymous agents for free, so each gets a limited number of drafts, and abandoned drafts are deleted. Every agent gets
// a limited number of test tasks.
import { commit } from "../../../db/commit.ts";
import { DAY_MS } from "../../../platform/clock.ts";
import type { Ctx, Deps } from "../../../ports/deps.ts";
import { deleteDrafts, deleteTestTasks, insertDraft, insertTestTask, updateTouched } from "./statements.ts";
import { hasDraftCard, selectUntouchedDrafts } from "./store.ts";

export const MAX_ANONYMOUS_DRAFTS = 100;
/** The maximum number of test tasks per agent, including drafts. */
const MAX_TEST_TASKS = 100;
/** Drafts of anonymous agents are deleted after this time without a change. */
export const UNTOUCHED_MS = 30 * DAY_MS;

/**
 * Counts a new draft, then stores it. If storing fails, the draft no longer counts. If it was stored after all and only the response was
 * lost, writing its card counts it again.
 *
 * @throws AppError `CONFLICT` if the agent is anonymous and has too many drafts, or has too many test tasks.
 */
export async function admitDraft<Result>(
	ctx: Ctx,
	{ id: taskId, isTest }: { readonly id: string; readonly isTest: boolean },
	store: () => Promise<Result>,
): Promise<Result> {
	const { agentId, tier } = ctx.actor;
	const draft = { taskId, agentId, now: ctx.clock.now() };
	const anonymous = tier === "anonymous" ? [insertDraft(ctx, { ...draft, limit: MAX_ANONYMOUS_DRAFTS })] : [];
	const [first, ...others] = isTest ? [insertTestTask(ctx, { ...draft, limit: MAX_TEST_TASKS }), ...anonymous] : anonymous;
	if (first === undefined) return store();
	await commit(ctx.db, [first, ...others]);
	try {
		return await store();
	} catch (error) {
		ctx.background(releaseDraft(ctx, taskId));
		throw error;
	}
}

/** Stops counting a draft that was not stored. If only the response was lost, the draft exists and stays counted. */
async function releaseDraft(ctx: Ctx, taskId: string): Promise<void> {
	if (await hasDraftCard(ctx, taskId)) return;
	await commit(ctx.db, [deleteDrafts(ctx, [taskId]), deleteTestTasks(ctx, [taskId])]);
}

/** The number of drafts per round. Each deletion is a call to the draft's object. */
const DRAFTS_PER_ROUND = 90;
/** Keeps a run below its limit of 1,000 subrequests. */
const ROUNDS_PER_RUN = 5;

/**
 * Deletes the drafts of anonymous agents that no person has claimed, once the drafts have not changed for 30 days.
 *
 * @param deleteDraft Deletes a draft that has not changed since `upTo`. Returns false if it has changed and is still a draft.
 */
export async function sweepUntouchedDrafts(deps: Deps, deleteDraft: (taskId: string, upTo: number) => Promise<boolean>): Promise<void> {
	const now = deps.clock.now();
	const upTo = now - UNTOUCHED_MS;
	for (let round = 0; round < ROUNDS_PER_RUN; round += 1) {
		const drafts = await selectUntouchedDrafts(deps, { upTo, limit: DRAFTS_PER_ROUND });
		const isGone = await Promise.all(
			drafts.map(async ({ taskId, isAnonymous, hasPerson }) => !isAnonymous || (!hasPerson && (await deleteDraft(taskId, upTo)))),
		);
		const idsWhere = (gone: boolean) => drafts.filter((_, index) => isGone[index] === gone).map(({ taskId }) => taskId);
		if (drafts.length > 0)
			await commit(deps.db, [deleteDrafts(deps, idsWhere(true)), updateTouched(deps, { taskIds: idsWhere(false), now })]);
		if (drafts.length < DRAFTS_PER_ROUND) return;
	}
}
