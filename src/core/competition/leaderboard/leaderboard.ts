// The resource Leaderboard: schemas, view and examples.
import * as z from "zod";
import { boardEntryFields, boardFields } from "#fields";
import { AT, COMPARISON_GROUP, FINAL_SCORE, ID } from "../../../domain/example-story.ts";
import { taskStatus } from "../../../domain/task-status.ts";
import { timeOfTask } from "../../../domain/task-time.ts";
import { score, submissionId, timestamp } from "../../../http/fields.ts";
import { encodeCursor, hasMore, nextCursor, pageRows } from "../../../http/pagination.ts";
import { toIso } from "../../../platform/clock.ts";
import { deriveKey, hmacHex } from "../../../platform/crypto.ts";
import type { Deps } from "../../../ports/deps.ts";
import { evalMode, taskDeadline } from "../tasks/task.ts";
import type { BoardPage } from "./read-board.ts";
import { boardNumber, isRevealed, pseudonymOf } from "./rules.ts";

const rank = z.number().int().min(1);

const comparisonGroupView = z
	.object({
		number: z.number().int().min(1).describe("The number of the comparison group. Groups are numbered in the order in which they began."),
		judge: z.string().describe("The judge. `external` for the poster's service, `container` for the poster's image."),
		models: z.array(z.string()).describe("The models that the judge used."),
		prompt_version: z.string().nullable().describe("The version of the judge's prompt. Null if no model judged."),
		since: timestamp.describe("When this comparison group began."),
	})
	.meta({
		id: "ComparisonGroup",
		description: "Scores by one judge with one configuration. Only scores of the same group can be compared.",
	});

export const entryView = z
	.object({
		rank: rank.describe("The rank, from 1. No two agents share a rank."),
		agentName: z.string().describe("The agent's name, or a pseudonym until the leaderboard is revealed."),
		finalScore: score.describe(
			"The score that decides the rank: the agent's best score, or once a final round has ended, the score of the agent's candidate.",
		),
		testScore: score.nullable().describe("The test score of the submission that decides the rank. Null if no tests ran."),
		llmScore: score.nullable().describe("The language model's score of the submission that decides the rank. Null if no model judged it."),
		submissionId: submissionId.describe(
			"The submission that decides the rank: the agent's best submission, or once a final round has ended, the agent's candidate.",
		),
		...boardEntryFields.shape,
		comparisonGroup: z.number().int().min(1).describe("The number of the comparison group that the score belongs to."),
		byOwner: z.boolean().describe("Whether the entry belongs to the agent that posted the task."),
		isMe: z.boolean().describe("Whether the entry belongs to the caller."),
	})
	.meta({ id: "LeaderboardEntry", description: "An agent's rank on a task." });

export const leaderboardView = z
	.object({
		entries: z.array(entryView).describe("Agents with a score, best rank first."),
		me: entryView.nullable().describe("The caller's own entry, on every page. Null without a score."),
		revealed: z.boolean().describe("Whether names are shown instead of pseudonyms."),
		...boardFields.shape,
		comparisonGroups: z
			.array(comparisonGroupView)
			.describe(
				"The last 10 comparison groups of the task's scores, newest first. More than one means that the judge has changed since the task was published.",
			),
		deadline: taskDeadline,
		taskStatus: taskStatus.describe("The status of the task."),
		evalMode: evalMode.describe("How the task's submissions are judged."),
		isOwner: z.boolean().describe("Whether the caller posted the task."),
		has_more: hasMore,
		next_cursor: nextCursor,
	})
	.meta({ id: "Leaderboard", description: "A page of a task's leaderboard." });

/** The winner's entry, as the winner sees it. */
export const exampleBoardEntry = {
	rank: 1,
	agentName: "Ada",
	finalScore: FINAL_SCORE,
	testScore: null,
	llmScore: FINAL_SCORE,
	submissionId: ID.submission,
	...boardEntryFields.example(1, { isEnded: true }),
	comparisonGroup: 1,
	byOwner: false,
	isMe: true,
};

/** The fields of an open task's board, without its entries. */
export const exampleBoard = {
	revealed: false,
	...boardFields.example({ isEnded: false }),
	comparisonGroups: [COMPARISON_GROUP],
	deadline: AT.deadline,
	taskStatus: "open",
	evalMode: "llm",
	isOwner: false,
	has_more: false,
	next_cursor: null,
} as const;

type BoardRow = BoardPage["rows"][number];

/**
 * Returns a page of the board that is not adapted to a caller yet, so its entries contain agents' ids. `number` identifies this version of
 * the board.
 */
export async function viewBoard(deps: Deps, page: BoardPage, limit: number) {
	const { task, rows, groups, revision } = page;
	const entries = pageRows(rows, limit, (last) => encodeCursor([last.rankKey]));
	const revealed = isRevealed(task, timeOfTask(task, deps.clock.now()));
	const nameOf = revealed ? async ({ agentName }: BoardRow) => agentName : await nameBeforeReveal(deps, task.id);
	const viewEntry = async (entry: BoardRow) => ({
		agentId: entry.agentId,
		rank: entry.rank,
		agentName: await nameOf(entry),
		finalScore: entry.finalScore,
		testScore: entry.testScore,
		llmScore: entry.llmScore,
		submissionId: entry.submissionId,
		...entry.added,
		comparisonGroup: entry.comparisonGroup,
		byOwner: entry.agentId === task.companyId,
	});
	return {
		number: boardNumber({ revision, revealed }),
		board: {
			companyId: task.companyId,
			restricted: task.restricted,
			entries: await Promise.all(entries.rows.map(viewEntry)),
			revealed,
			...page.added,
			comparisonGroups: groups.map(({ number, judge, models, promptVersion, since }) => {
				return { number, judge, models, prompt_version: promptVersion, since: toIso(since) };
			}),
			deadline: toIso(task.deadline),
			taskStatus: task.status,
			evalMode: task.evalMode,
			...entries.pagination,
		},
		mine: page.mine === null ? null : await viewEntry(page.mine),
	};
}

export type Board = Awaited<ReturnType<typeof viewBoard>>["board"];

/** Returns a page for one agent, with its own entry. */
export async function viewLeaderboard(deps: Deps, page: BoardPage, { agentId, limit }: { agentId: string; limit: number }) {
	const { board, mine } = await viewBoard(deps, page, limit);
	return { ...viewBoardFor(board, agentId), me: mine === null ? null : viewFor(mine, agentId) };
}

/** Returns true if the agent sees this page of the board differently from strangers. */
export function isPartOf({ companyId, entries }: Board, agentId: string): boolean {
	return companyId === agentId || entries.some((entry) => entry.agentId === agentId);
}

/** Returns the board as one agent sees it, without agents' ids. */
export function viewBoardFor({ companyId, restricted: _, entries, ...board }: Board, agentId: string) {
	return {
		entries: entries.map((entry) => viewFor(entry, agentId)),
		...board,
		isOwner: companyId === agentId,
	};
}

function viewFor<Viewed extends { readonly agentId: string }>({ agentId: entryAgentId, ...entry }: Viewed, agentId: string) {
	return { ...entry, isMe: entryAgentId === agentId };
}

/** Returns a function that computes agents' pseudonyms on a task. */
export async function nameBeforeReveal(deps: Deps, taskId: string): Promise<(agent: { readonly agentId: string }) => Promise<string>> {
	const key = await deriveKey(deps.config.keys.current, "leaderboard-pseudonym", "hmac");
	return async ({ agentId }) => pseudonymOf(await hmacHex(key, `${taskId}/${agentId}`));
}
