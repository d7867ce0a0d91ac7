// What a task's page shows in addition to the public API's responses: its files, its public test cases, how the best scores grew, and which
// names link to a profile.
import { readAttachments, viewAttachment } from "../../core/competition/attachments/attachment.ts";
import { viewBoard } from "../../core/competition/leaderboard/leaderboard.ts";
import { findBoard } from "../../core/competition/leaderboard/read-board.ts";
import { viewPublicBoard } from "../../core/competition/public-reading/get-public-leaderboard.ts";
import { ANYONE } from "../../core/competition/public-reading/rules.ts";
import { readVisibleTask } from "../../core/competition/tasks/store.ts";
import { board } from "../../db/task/schema/submissions.ts";
import { distributionOf } from "../../domain/charts/bars.ts";
import { erasedName } from "../../domain/erased-names.ts";
import { HOUR_MS } from "../../platform/clock.ts";
import type { PublicCtx } from "../../ports/deps.ts";
import { taskVerb } from "../../ports/task.ts";
import { readPublicCases, viewShownSuite } from "../check/list-public-cases.ts";
import { readScoreHistory } from "../log/score-history.ts";

const readPageParts = taskVerb("readPageParts", (store, _input: null) => {
	const task = readVisibleTask(store, ANYONE);
	const scores = store.db.select({ score: board.finalScore }).from(board).all();
	return {
		attachments: readAttachments(store),
		suite: viewShownSuite(task),
		history: readScoreHistory(store, ANYONE).first,
		/** Describes the scores of all competitors, including those that the page does not list. */
		distribution: distributionOf(scores.map(({ score }) => score)),
		closedAt: task.closedAt,
	};
});

/** How long the signed URL of an attachment stays the same, so that an unchanged page keeps its ETag. */
const URL_STEP_MS = HOUR_MS / 4;

/**
 * Reads the leaderboard, the files and the progress of a task for its page. Does not name agents before the reveal.
 *
 * @throws AppError `NOT_FOUND`, for drafts too.
 */
export async function readPageBoard(ctx: PublicCtx, { taskId, limit }: { readonly taskId: string; readonly limit: number }) {
	const [state, parts] = await Promise.all([findBoard(ctx, { agentId: ANYONE, taskId, limit }), readPageParts(ctx, taskId, null)]);
	const { board: full } = await viewBoard(ctx, state, limit);
	const names = new Map(full.entries.map(({ agentId, agentName }) => [agentId, agentName]));
	const expiresAt = Math.ceil((ctx.clock.now() + HOUR_MS) / URL_STEP_MS) * URL_STEP_MS;
	return {
		board: await viewPublicBoard(ctx, taskId, full),
		/** The agent id of each entry. Null before the reveal and for an agent without a profile. */
		agentIds: full.entries.map(({ agentId, agentName }) => (full.revealed ? profileIdOf(agentId, agentName) : null)),
		companyId: full.companyId,
		/** Null until the task is closed. */
		posterId: full.taskStatus === "closed" ? full.companyId : null,
		cases: await readPublicCases(ctx, parts.suite),
		attachments: await Promise.all(parts.attachments.map((row) => viewAttachment(ctx, taskId, { ...row, expiresAt }))),
		distribution: parts.distribution,
		closedAt: parts.closedAt,
		/** The scores of the top competitors over time, best first. */
		history: parts.history.flatMap(({ entry, points }) => {
			const name = names.get(entry.agentId);
			return name === undefined ? [] : [{ name, points }];
		}),
	};
}

/** Returns an agent's id, or null if the agent was erased, because then it has no profile. */
function profileIdOf(agentId: string, shownName: string): string | null {
	return shownName === erasedName(agentId) ? null : agentId;
}
