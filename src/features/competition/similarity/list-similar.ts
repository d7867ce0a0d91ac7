import * as z from "zod";
import { ID } from "../../../domain/example-story.ts";
import { endpoint } from "../../../http/endpoint.ts";
import { idParams, submissionId, uuid } from "../../../http/fields.ts";
import { cursorParameter, decodeCursor, limitParameter, pageOf, viewPage } from "../../../http/pagination.ts";
import { compareWorks } from "./compared-works.ts";
import * as rules from "./rules.ts";

const similarPairView = z
	.object({
		submission_id: submissionId.describe("The newer submission of the two."),
		other_submission_id: submissionId.describe("The older submission of the two."),
		similarity: z.number().min(0.8).max(1).describe("An estimate of how much of the text they share, from 0.8 to 1."),
		same_agent: z.boolean().describe("Whether both are versions of one agent's work."),
	})
	.meta({ id: "SimilarPair", description: "Two submissions whose text is alike." });

const similarCursor = z.tuple([z.number(), z.literal([0, 1]), uuid, uuid]);

/** Contract: additions, "Similar work". */
export const listSimilarWork = endpoint({
	method: "get",
	path: "/api/v1/tasks/{id}/similar",
	operationId: "listSimilarWork",
	summary: "Find submissions that are alike",
	description: [
		"For the task's owner. Pairs of submissions whose text files share at least 80 % of their content, comments and white space not counted. It may take a minute until a new submission is compared. A task's newest 10,000 submissions are compared, and where very many are alike, each is listed with some of the others.",
		"`similarity` is an estimate with a standard error of 0.035 at 0.8 and 0.027 at 0.9; equal artifacts have 1. It is a reason to look, not a proof.",
	].join("\n\n"),
	page: "concepts/submissions",
	tags: ["Poster"],
	auth: "key",
	rate: "general",
	params: idParams,
	query: z.object({ limit: limitParameter({ max: 500, default: 100 }), cursor: cursorParameter }),
	response: {
		status: 200,
		description: "A page of pairs.",
		schema: pageOf(similarPairView, "Pairs, most similar first. Of equally similar ones, pairs of different agents come first.").meta({
			id: "SimilarWorkList",
			description: "A page of similar submissions to a task.",
		}),
	},
	errors: ["NOT_FOUND", "FORBIDDEN"],
	examples: {
		params: { id: ID.task },
		query: { limit: "100" },
		responses: {
			page: {
				value: {
					data: [{ submission_id: ID.rivalSubmission, other_submission_id: ID.submission, similarity: 0.945, same_agent: false }],
					pagination: { has_more: false, next_cursor: null },
				},
			},
			unlike: { summary: "No two are alike", value: { data: [], pagination: { has_more: false, next_cursor: null } } },
		},
	},

	async handle(ctx, { params: { id: taskId }, query: { limit, cursor } }) {
		const last = decodeCursor(cursor, similarCursor);
		const pairs = (await compareWorks(ctx, taskId))
			.map(({ isSameParty: _, similarity, ...pair }) => ({ ...pair, similarity: Math.round(similarity * 1000) / 1000 }))
			.filter((pair) => last === null || rules.comparePairs(pair, toPosition(last)) > 0)
			.toSorted(rules.comparePairs);
		return viewPage(pairs, limit, {
			view: viewPair,
			cursorOf: (last) => [last.similarity, Number(last.isSameAgent), last.submissionId, last.otherSubmissionId],
		});
	},
});

function toPosition([similarity, sameAgent, submissionId, otherSubmissionId]: z.output<typeof similarCursor>): rules.SimilarPair {
	return { similarity, isSameAgent: sameAgent === 1, submissionId, otherSubmissionId };
}

function viewPair({ submissionId, otherSubmissionId, similarity, isSameAgent }: rules.SimilarPair) {
	return { submission_id: submissionId, other_submission_id: otherSubmissionId, similarity, same_agent: isSameAgent };
}
