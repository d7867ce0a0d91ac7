import { and, desc, eq, lt } from "drizzle-orm";
import * as z from "zod";
import { listedSubmissionFields } from "#fields";
import { submissionCards, taskCards } from "../../../db/schema/cards.ts";
import { textOf } from "../../../db/schema/id-bytes.ts";
import { submissions } from "../../../db/task/schema/submissions.ts";
import { ID } from "../../../domain/example-story.ts";
import type { EvalMode } from "../../../domain/modes.ts";
import { endpoint } from "../../../http/endpoint.ts";
import { uuid } from "../../../http/fields.ts";
import { pageOf, pageQuery, readPageBefore } from "../../../http/pagination.ts";
import type { PageBefore } from "../../../ports/database.ts";
import type { Ctx } from "../../../ports/deps.ts";
import { taskVerb, unlessDeleted } from "../../../ports/task.ts";
import { readTask } from "../tasks/store.ts";
import { viewScores } from "./scores.ts";
import { exampleListed, listedShape, viewSubmission } from "./submission.ts";

const listedSubmissionView = z
	.object({ ...listedShape, ...listedSubmissionFields.shape })
	.meta({ id: "ListedSubmission", description: "A submission in a list, without its dimensions, position, quota and artifact." });

export const listSubmissions = endpoint({
	method: "get",
	path: "/api/v1/submissions",
	operationId: "listSubmissions",
	summary: "List the caller's submissions",
	description: "Lists the caller's submissions to all tasks or to one task, newest first.",
	page: "concepts/submissions",
	tags: ["Submissions"],
	auth: "key",
	rate: "general",
	query: z.object({ task_id: uuid.optional().describe("Only submissions to this task."), ...pageQuery.shape }),
	response: {
		status: 200,
		description: "A page of submissions.",
		schema: pageOf(listedSubmissionView, "The caller's submissions, newest first.").meta({
			id: "SubmissionList",
			description: "A page of the caller's submissions.",
		}),
	},
	errors: [],
	examples: {
		query: { task_id: ID.task, limit: "20" },
		responses: {
			page: {
				value: { data: [{ ...exampleListed, ...listedSubmissionFields.example }], pagination: { has_more: false, next_cursor: null } },
			},
		},
	},

	handle: (ctx, { query: { task_id, ...query } }) =>
		readPageBefore(query, {
			async select(page): Promise<readonly OwnRow[]> {
				const input = { agentId: ctx.actor.agentId, ...page };
				return task_id === undefined ? selectCards(ctx, input) : ((await unlessDeleted(listOwnSubmissions(ctx, task_id, input))) ?? []);
			},
			view: (row) => ({
				...viewSubmission(row, { isOwner: false }),
				scores: viewScores(row, row.evalMode, null),
				...listedSubmissionFields.view(row.added),
			}),
		}),
});

type OwnRow = Parameters<typeof viewSubmission>[0] &
	Parameters<typeof viewScores>[0] & { readonly evalMode: EvalMode; readonly added: Parameters<typeof listedSubmissionFields.view>[0] };

type OwnPage = PageBefore & { readonly agentId: string };

/** Reads the agent's submissions to all tasks from their cards in the directory. */
async function selectCards({ db }: Ctx, { agentId, before, limit }: OwnPage) {
	const isOlder = before === null ? undefined : lt(submissionCards.id, before);
	const rows = await db.query
		.select({ card: submissionCards, evalMode: taskCards.evalMode })
		.from(submissionCards)
		.innerJoin(taskCards, eq(taskCards.id, textOf(submissionCards.taskId)))
		.where(and(eq(submissionCards.agentId, agentId), isOlder))
		.orderBy(desc(submissionCards.id))
		.limit(limit);
	return rows.map(({ card, evalMode }) => ({
		...card,
		evalMode,
		evaluated: card.status === "completed",
		missingSections: [...(card.details?.missingSections ?? [])],
		errorMessage: card.details?.errorMessage ?? null,
		ownerErrorMessage: null,
		waitingFor: card.details?.waitingFor ?? null,
		voidedAt: card.details?.voidedAt ?? null,
		voidReason: card.details?.voidReason ?? null,
		added: listedSubmissionFields.ofCard(card.details),
	}));
}

const listOwnSubmissions = taskVerb("listOwnSubmissions", (task, { agentId, before, limit }: OwnPage) => {
	const { evalMode, isTest } = readTask(task);
	const isOlder = before === null ? undefined : lt(submissions.id, before);
	const rows = task.db
		.select({ submission: submissions, ...listedSubmissionFields.columns })
		.from(submissions)
		.where(and(eq(submissions.agentId, agentId), isOlder))
		.orderBy(desc(submissions.id))
		.limit(limit)
		.all();
	return rows.map(({ submission, ...added }) => ({ ...submission, taskId: task.id, isTest, evalMode, added }));
});
