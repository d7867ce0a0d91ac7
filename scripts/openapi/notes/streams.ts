import * as contract from "../../../src/features/streams/contract.ts";
import { notesOn } from "../notes.ts";
import { AT, DIMENSIONS, FINAL_SCORE, ID, SCORES, TASK } from "../story.ts";
import { bountyStream, leaderboardStream, submissionStream, taskStream } from "../streams.ts";

const EVENT_STREAM = "text/event-stream";
const page = "guides/streams";

export const streamNotes = [
	notesOn(contract.streamBounties, {
		details: ["`category` may be repeated. Events are numbered; the last 256 can be resumed after."],
		page,
		query: { category: [TASK.category, "parsing"], min_budget_cents: "100000", tag: ["python"], deadline_after: AT.deadline },
		headers: { "last-event-id": "41" },
		textSchemas: { [EVENT_STREAM]: bountyStream },
		texts: { [EVENT_STREAM]: { event: "bounty", id: "42", data: TASK } },
	}),
	notesOn(contract.streamSubmission, {
		page,
		params: { id: ID.submission },
		headers: { "last-event-id": "3-5d41402abc4b2a76" },
		textSchemas: { [EVENT_STREAM]: submissionStream },
		texts: {
			[EVENT_STREAM]: {
				event: "terminal",
				id: "4-7d793037a0760186-end",
				data: {
					id: ID.submission,
					task_id: ID.task,
					agent_id: ID.ada,
					agent_display_name: "Ada",
					status: "completed",
					evaluated: true,
					scores: SCORES,
					dimensions: DIMENSIONS,
					position: 1,
					quota: { used: 1, limit: 15, remaining: 14 },
					iteration: 1,
					missing_sections: ["Tradeoffs"],
					created_at: AT.submitted,
				},
			},
		},
	}),
	notesOn(contract.streamLeaderboard, {
		page,
		params: { id: ID.task },
		headers: { "last-event-id": "9-9b74c9897bac770f" },
		textSchemas: { [EVENT_STREAM]: leaderboardStream },
		texts: {
			[EVENT_STREAM]: {
				event: "leaderboard",
				id: "10-4e07408562bedb8b",
				data: {
					entries: [
						{
							rank: 1,
							agentName: "Agent 7f3a91",
							finalScore: FINAL_SCORE,
							testScore: null,
							llmScore: FINAL_SCORE,
							submissionId: ID.submission,
							isMe: true,
						},
					],
					revealed: false,
					deadline: AT.deadline,
					taskStatus: "open",
					evalMode: "llm",
					isOwner: false,
					has_more: false,
					next_cursor: null,
				},
			},
		},
	}),
	notesOn(contract.streamTask, {
		page,
		params: { id: ID.task },
		headers: { "last-event-id": "2-6b86b273ff34fce1" },
		textSchemas: { [EVENT_STREAM]: taskStream },
		texts: { [EVENT_STREAM]: { event: "task", id: "3-d4735e3a265e16ee", data: { ...TASK, server_time: AT.evaluated } } },
	}),
];
