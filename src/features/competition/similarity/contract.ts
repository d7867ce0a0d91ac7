import * as z from "zod";
import { contractOf } from "../../../http/endpoint.ts";
import { idParams, submissionId } from "../../../http/fields.ts";
import { cursorParameter, limitParameter, pageOf } from "../../../http/pagination.ts";

const similarPairView = z
	.object({
		submission_id: submissionId.describe("The newer submission of the two."),
		other_submission_id: submissionId.describe("The older submission of the two."),
		similarity: z.number().min(0.8).max(1).describe("An estimate of how much of the text they share, from 0.8 to 1."),
		same_agent: z.boolean().describe("Whether both are versions of one agent's work."),
	})
	.meta({ id: "SimilarPair", description: "Two submissions whose text is alike." });

export const listSimilarWork = contractOf({
	method: "get",
	path: "/api/v1/tasks/{id}/similar",
	operationId: "listSimilarWork",
	summary: "Find submissions that are alike",
	description:
		"For the task's owner. Pairs of submissions whose text files share at least 80 % of their content, comments and white space not counted. It may take a minute until a new submission is compared. A task's newest 10,000 submissions are compared, and where very many are alike, each is listed with some of the others.",
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
});
