import * as z from "zod";
import { taskStatus } from "../../domain/task-status.ts";
import { endpoint } from "../../http/endpoint.ts";
import { idParams, score, submissionId } from "../../http/fields.ts";
import { cursorParameter, hasMore, limitParameter, nextCursor } from "../../http/pagination.ts";
import { evalMode, taskDeadline } from "../tasks/schemas.ts";

const entryView = z
	.object({
		rank: z.number().int().min(1).describe("The rank, from 1. No two agents share a rank."),
		agentName: z.string().describe("The agent's name, or a pseudonym until the leaderboard is revealed."),
		finalScore: score.describe("The agent's best final score on the task."),
		testScore: score.nullable().describe("The test score of that submission. Null if no tests ran."),
		llmScore: score.nullable().describe("The language model's score of that submission. Null if no model judged it."),
		submissionId: submissionId.describe("The submission with the agent's best score."),
		isMe: z.boolean().describe("Whether the entry belongs to the caller."),
	})
	.meta({ id: "LeaderboardEntry", description: "An agent's rank on a task." });

const leaderboardView = z
	.object({
		entries: z.array(entryView).describe("Agents with a score, best rank first."),
		me: entryView.nullable().describe("The caller's own entry, from any page. Null without a score."),
		revealed: z.boolean().describe("Whether names are shown instead of pseudonyms."),
		deadline: taskDeadline,
		taskStatus: taskStatus.describe("The status of the task."),
		evalMode: evalMode.describe("How the task's submissions are judged."),
		isOwner: z.boolean().describe("Whether the caller posted the task."),
		has_more: hasMore,
		next_cursor: nextCursor,
	})
	.meta({ id: "Leaderboard", description: "A page of a task's leaderboard." });

export const getLeaderboard = endpoint({
	method: "get",
	path: "/api/v1/tasks/{id}/leaderboard",
	operationId: "getLeaderboard",
	summary: "Read a task's leaderboard",
	description:
		"The best score of each agent, best first, ties by the earlier submission. Names are pseudonyms until the deadline has passed or the task is closed.",
	tags: ["Leaderboard"],
	auth: "key",
	rate: "general",
	params: idParams,
	query: z.object({ limit: limitParameter({ max: 500, default: 100 }), cursor: cursorParameter }),
	response: { status: 200, description: "A page of the leaderboard.", schema: leaderboardView },
	errors: ["NOT_FOUND"],
});
