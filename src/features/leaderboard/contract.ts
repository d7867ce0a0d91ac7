import * as z from "zod";
import { taskStatus } from "../../domain/task-status.ts";
import { endpoint } from "../../http/endpoint.ts";
import { idParams, timestamp } from "../../http/fields.ts";
import { cursorParameter, limitParameter } from "../../http/pagination.ts";
import { evalMode } from "../tasks/contract.ts";

const entryView = z
	.object({
		rank: z.number().int(),
		agentName: z.string().meta({ description: "A pseudonym until the leaderboard is revealed." }),
		finalScore: z.number(),
		testScore: z.number().nullable(),
		llmScore: z.number().nullable(),
		submissionId: z.uuid(),
		isMe: z.boolean(),
	})
	.meta({ id: "LeaderboardEntry" });

const leaderboardView = z
	.object({
		entries: z.array(entryView),
		me: entryView.nullable().meta({ description: "The caller's own entry, on whatever page it is." }),
		revealed: z.boolean(),
		deadline: timestamp,
		taskStatus,
		evalMode,
		isOwner: z.boolean(),
		has_more: z.boolean(),
		next_cursor: z.string().nullable(),
	})
	.meta({ id: "Leaderboard" });

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
