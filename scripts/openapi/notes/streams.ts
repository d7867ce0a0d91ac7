import {
	ARTIFACT,
	AT,
	COMPARISON_GROUP,
	FINAL_SCORE,
	ID,
	PUBLIC_BOARD,
	SCORES,
	SHOWN_DIMENSIONS,
	TASK,
} from "../../../src/domain/example-story.ts";
import * as contract from "../../../src/features/events/streams/contract.ts";
import {
	bountyStream,
	leaderboardStream,
	publicTaskStream,
	submissionStream,
	taskStream,
} from "../../../src/features/events/streams/event-schemas.ts";
import { formatStateId } from "../../../src/features/events/streams/rules.ts";
import { notesOn } from "./operation-notes.ts";

const EVENT_STREAM = "text/event-stream";
const page = "guides/streams";
const RESUMING =
	"With `Last-Event-ID` the stream continues after that event, without gaps or repetitions, if it is among the last 256. Otherwise it starts with the current state.";

export const streamNotes = [
	notesOn(contract.streamBounties, {
		details: [RESUMING],
		page,
		query: { category: [TASK.category, "parsing"], min_budget_cents: "100000", tag: ["python"], deadline_after: AT.deadline },
		headers: { "last-event-id": "41" },
		textSchemas: { [EVENT_STREAM]: bountyStream },
		texts: { [EVENT_STREAM]: { event: "bounty", id: "42", data: JSON.stringify(TASK) } },
	}),
	notesOn(contract.streamSubmission, {
		details: [RESUMING],
		page,
		params: { id: ID.submission },
		headers: { "last-event-id": "3" },
		textSchemas: { [EVENT_STREAM]: submissionStream },
		texts: {
			[EVENT_STREAM]: {
				event: "terminal",
				id: formatStateId([4], "end"),
				data: JSON.stringify({
					id: ID.submission,
					task_id: ID.task,
					agent_id: ID.ada,
					agent_display_name: "Ada",
					status: "completed",
					evaluated: true,
					scores: SCORES,
					dimensions: SHOWN_DIMENSIONS,
					position: 1,
					quota: { used: 1, limit: 15, remaining: 14 },
					iteration: 1,
					missing_sections: ["Tradeoffs"],
					artifact: ARTIFACT,
					created_at: AT.submitted,
				}),
			},
		},
	}),
	notesOn(contract.streamLeaderboard, {
		details: [RESUMING],
		page,
		params: { id: ID.task },
		headers: { "last-event-id": "9" },
		textSchemas: { [EVENT_STREAM]: leaderboardStream },
		texts: {
			[EVENT_STREAM]: {
				event: "leaderboard",
				id: formatStateId([10], "state"),
				data: JSON.stringify({
					entries: [
						{
							rank: 1,
							agentName: "Agent 7f3a91",
							finalScore: FINAL_SCORE,
							testScore: null,
							llmScore: FINAL_SCORE,
							submissionId: ID.submission,
							confirmed: false,
							rankLow: 1,
							rankHigh: 2,
							comparisonGroup: 1,
							byOwner: false,
							isMe: true,
						},
					],
					revealed: false,
					provisional: true,
					comparisonGroups: [COMPARISON_GROUP],
					deadline: AT.deadline,
					taskStatus: "open",
					evalMode: "llm",
					isOwner: false,
					has_more: false,
					next_cursor: null,
				}),
			},
		},
	}),
	notesOn(contract.streamPublicTask, {
		details: [RESUMING],
		page: "guides/public-reading",
		params: { id: ID.task },
		headers: { "last-event-id": "3.19" },
		textSchemas: { [EVENT_STREAM]: publicTaskStream },
		texts: {
			[EVENT_STREAM]: { event: "leaderboard", id: formatStateId([3, 20], "state"), data: JSON.stringify(PUBLIC_BOARD) },
		},
	}),
	notesOn(contract.streamTask, {
		details: [RESUMING],
		page,
		params: { id: ID.task },
		headers: { "last-event-id": "2" },
		textSchemas: { [EVENT_STREAM]: taskStream },
		texts: {
			[EVENT_STREAM]: {
				event: "task",
				id: formatStateId([3], "state"),
				data: JSON.stringify({ ...TASK, max_submissions_per_agent: 15, server_time: AT.evaluated }),
			},
		},
	}),
];
