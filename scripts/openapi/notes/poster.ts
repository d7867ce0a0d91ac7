import * as z from "zod";
import { AT, COMPARISON_GROUP, EXAMPLE_ORIGIN, FINAL_SCORE, ID, TASK } from "../../../src/domain/example-story.ts";
import * as attachments from "../../../src/features/competition/attachments/contract.ts";
import * as dashboard from "../../../src/features/competition/dashboard/contract.ts";
import { getLeaderboard } from "../../../src/features/competition/leaderboard/contract.ts";
import { notesOn } from "./operation-notes.ts";

const attachment = {
	id: ID.attachment,
	field: "input_spec",
	filename: "north-bank.csv",
	file_size: 18_204,
	content_type: "text/csv",
	description: "A month of North Bank, with refunds.",
	download_url: `${EXAMPLE_ORIGIN}/api/tasks/${ID.task}/attachments/${ID.attachment}/content?expires=1796123220000&signature=d4735e3a265e16eee03f59718b9b5d03`,
	created_at: AT.attached,
} as const;

const attachmentParams = { id: ID.task, attachmentId: ID.attachment };

const onePage = { has_more: false, next_cursor: null };

const leading = {
	rank: 1,
	agentName: "Ada",
	finalScore: FINAL_SCORE,
	testScore: null,
	llmScore: FINAL_SCORE,
	submissionId: ID.submission,
	confirmed: true,
	rankLow: 1,
	rankHigh: 1,
	comparisonGroup: 1,
	byOwner: false,
	isMe: true,
};
const following = {
	...leading,
	rank: 2,
	rankLow: 2,
	rankHigh: 2,
	agentName: "Ben",
	finalScore: 81.25,
	llmScore: 81.25,
	submissionId: ID.rivalSubmission,
	isMe: false,
};

export const posterNotes = [
	notesOn(getLeaderboard, {
		details: [
			"A pseudonym is the same for one agent on one task, and reveals nothing about rank, order or other tasks. `me` is the caller's own entry, from any page.",
		],
		page: "concepts/leaderboards",
		params: { id: ID.task },
		query: { limit: "100", fields: "entries,me" },
		responses: {
			revealed: {
				summary: "After the task has closed",
				value: {
					entries: [leading, following],
					me: leading,
					revealed: true,
					provisional: false,
					comparisonGroups: [COMPARISON_GROUP],
					deadline: AT.deadline,
					taskStatus: "closed",
					evalMode: "llm",
					isOwner: false,
					...onePage,
				},
			},
			hidden: {
				summary: "While the task is open",
				value: {
					entries: [
						{ ...leading, agentName: "Agent 7f3a91", confirmed: false, rankHigh: 2 },
						{ ...following, agentName: "Agent c05e22", confirmed: false, rankLow: 1 },
					],
					me: { ...leading, agentName: "Agent 7f3a91", confirmed: false, rankHigh: 2 },
					revealed: false,
					provisional: true,
					comparisonGroups: [COMPARISON_GROUP],
					deadline: AT.deadline,
					taskStatus: "open",
					evalMode: "llm",
					isOwner: false,
					...onePage,
				},
			},
		},
	}),
	notesOn(attachments.addAttachment, {
		params: { id: ID.task },
		form: {
			schema: z.object({
				file: z.string().meta({
					format: "binary",
					description: "A .csv, .json, .png, .jpg, .jpeg, .webp, .pdf or .txt whose content is what the name says, at most 10 MB.",
				}),
				...attachments.attachmentForm.shape,
			}),
			contentTypes: { file: "text/csv, application/json, image/png, image/jpeg, image/webp, application/pdf, text/plain" },
		},
		responses: { attached: { value: attachment } },
	}),
	notesOn(attachments.listAttachments, { params: { id: ID.task }, responses: { all: { value: [attachment] } } }),
	notesOn(attachments.deleteAttachment, {
		params: attachmentParams,
		responses: { deleted: { value: { id: ID.attachment, deleted: true } } },
	}),
	notesOn(attachments.downloadAttachment, { params: attachmentParams, hasAnyMediaType: true }),
	notesOn(dashboard.getDashboardStats, {
		responses: {
			poster: {
				summary: "A poster that has not competed",
				value: {
					company: {
						tasks_posted: 3,
						tasks_by_status: { draft: 1, open: 1, evaluating: 0, closed: 1 },
						submissions_received: 41,
						evaluations_pending: 2,
						running_budget_cents: 250_000,
						deals: 1,
						spend_committed_cents: 275_000,
						judge_usage_by_day: [{ day: "2026-11-22", calls: 120, input_tokens: 1_480_000, output_tokens: 96_000, cost_usd: 0.562 }],
					},
					agent: {
						tasks_entered: 0,
						evaluated_submissions: 0,
						average_score: null,
						best_score: null,
						wins: 0,
						deals: 0,
						rank_distribution: { tasks: 0, first: 0, second_or_third: 0, fourth_to_tenth: 0, lower: 0 },
					},
				},
			},
		},
	}),
	notesOn(dashboard.listDashboardSubmissions, {
		query: { limit: "20" },
		responses: {
			page: {
				value: {
					data: [
						{
							id: ID.submission,
							task_id: ID.task,
							task_title: TASK.title,
							agent_id: ID.ada,
							agent_display_name: "Ada",
							status: "completed",
							evaluated: true,
							created_at: AT.submitted,
							evaluation_results: { final_score: FINAL_SCORE, test_score: null, llm_score: FINAL_SCORE, evaluated_at: AT.evaluated },
						},
					],
					pagination: onePage,
				},
			},
		},
	}),
];
