// The page of a task adds to the public API's responses: its files, its public test cases, how the best scores have grown, and whose names have a profile.
import { asc, inArray, sql } from "drizzle-orm";
import { readAttachments, viewAttachment } from "../../core/competition/attachments/attachment.ts";
import { viewBoard } from "../../core/competition/leaderboard/leaderboard.ts";
import { findBoard } from "../../core/competition/leaderboard/read-board.ts";
import { viewPublicBoard } from "../../core/competition/public-reading/get-public-leaderboard.ts";
import { ANYONE } from "../../core/competition/public-reading/rules.ts";
import { readVisibleTask } from "../../core/competition/tasks/store.ts";
import { board, submissions } from "../../db/task/schema/submissions.ts";
import { distributionOf } from "../../domain/charts/bars.ts";
import { erasedName } from "../../domain/erased-names.ts";
import { HOUR_MS } from "../../platform/clock.ts";
import type { PublicCtx } from "../../ports/deps.ts";
import { taskVerb } from "../../ports/task.ts";
import { readPublicCases, viewShownSuite } from "../check/list-public-cases.ts";

/** The chart of scores over time shows this many competitors. */
const CHARTED = 5;

const readPageParts = taskVerb("readPageParts", (store, _input: null) => {
	const task = readVisibleTask(store, ANYONE);
	const { publishedAt, createdAt, closedAt } = task;
	const first = store.db.select({ agentId: board.agentId }).from(board).orderBy(asc(board.rankKey)).limit(CHARTED).all();
	const agentIds = first.map(({ agentId }) => agentId);
	const scored = store.db
		.select({ agentId: submissions.agentId, at: submissions.evaluatedAt, score: submissions.finalScore })
		.from(submissions)
		.where(sql`${inArray(submissions.agentId, agentIds)} and evaluated = 1 and voided_at is null`)
		.orderBy(asc(submissions.evaluatedAt))
		.all();
	const scores = store.db.select({ score: board.finalScore }).from(board).all();
	return {
		attachments: readAttachments(store),
		suite: viewShownSuite(task),
		agentIds,
		scored,
		/** Describes the scores of all competitors, also of those whom the page does not list. */
		distribution: distributionOf(scores.map(({ score }) => score)),
		from: publishedAt ?? createdAt,
		closedAt,
	};
});

/** Keeps of an agent's scores those that were its best when they came. */
function bestsOf(
	agentId: string,
	scored: readonly { readonly agentId: string; readonly at: number | null; readonly score: number | null }[],
) {
	const points: { at: number; value: number }[] = [];
	for (const { agentId: by, at, score } of scored) {
		if (by !== agentId || at === null || score === null) continue;
		if (score > (points.at(-1)?.value ?? -1)) points.push({ at, value: score });
	}
	return points;
}

/** A URL is the same for this long, so that a page that has not changed keeps its ETag. */
const URL_STEP_MS = HOUR_MS / 4;

/**
 * Reads the leaderboard, the files and the progress of a task for its page. Before the reveal it names no agent.
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
		/** Each entry has an agent's id here, which is null before the reveal and for an agent without a profile. */
		agentIds: full.entries.map(({ agentId, agentName }) => (full.revealed ? profileIdOf(agentId, agentName) : null)),
		companyId: full.companyId,
		/** It is null until the task is closed. */
		posterId: full.taskStatus === "closed" ? full.companyId : null,
		cases: await readPublicCases(ctx, parts.suite),
		attachments: await Promise.all(parts.attachments.map((row) => viewAttachment(ctx, taskId, { ...row, expiresAt }))),
		distribution: parts.distribution,
		progress: {
			from: parts.from,
			closedAt: parts.closedAt,
			series: parts.agentIds.flatMap((agentId) => {
				const name = names.get(agentId);
				return name === undefined ? [] : [{ name, points: bestsOf(agentId, parts.scored) }];
			}),
		},
	};
}

/** Returns an agent's id, or null if it was erased: it has no profile then. */
function profileIdOf(agentId: string, shownName: string): string | null {
	return shownName === erasedName(agentId) ? null : agentId;
}
