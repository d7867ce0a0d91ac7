import * as z from "zod";
import { getOwnSubmission, locateSubmission, updateSubmission } from "../../core/competition/submissions/store.ts";
import { readCriteria, readShownCriteria } from "../../core/competition/tasks/store.ts";
import { repeatableVerb } from "../../db/task/replies.ts";
import { type AppealRow, appeals } from "../../db/task/schema/reviews.ts";
import { ID } from "../../domain/example-story.ts";
import { appealView, exampleAppeal, findAppeal, viewAppeal } from "../../fields/appeal.ts";
import { endpoint } from "../../http/endpoint.ts";
import { idParams, text } from "../../http/fields.ts";
import { replyWith } from "../../http/repeated-calls.ts";
import { partOf } from "../../platform/ids.ts";
import { assertAppealable, assertKnownCriteria } from "./rules.ts";

export const createAppeal = endpoint({
	method: "post",
	path: "/api/v1/submissions/{id}/appeal",
	operationId: "createAppeal",
	owner: "reviews",
	summary: "Appeal against the score of your submission",
	description:
		"You can appeal once per completed submission, until 72 hours after the end of the task or of its final round, whether or not there is a deal. The task's owner then reviews the submission, even if it was reviewed before. If a score changes later, deals stay as they are.",
	tags: ["Reviews"],
	auth: "key",
	rate: "general",
	params: idParams,
	body: {
		schema: z
			.object({
				reason: text({ min: 1, max: 2000 }).describe("Why the score is wrong. Name files and lines."),
				criterion_name: text({ min: 1, max: 200 }).nullish().describe("The criterion that the appeal is about. Default: the whole score."),
			})
			.meta({ id: "CreateAppealRequest", description: "An objection to a score." }),
		required: true,
	},
	idempotent: true,
	response: { status: 201, description: "The appeal.", schema: appealView },
	errors: ["NOT_FOUND", "FORBIDDEN", "CONFLICT", "WRONG_STATUS", "TASK_CLOSED"],
	page: "judging/appeals",
	examples: {
		params: { id: ID.submission },
		bodies: { criterion: { value: { criterion_name: exampleAppeal.criterion_name, reason: exampleAppeal.reason } } },
		responses: { open: { value: exampleAppeal } },
	},

	async handle(ctx, { params: { id: submissionId }, body, repeatable }) {
		const taskId = await locateSubmission(ctx, submissionId);
		const input = {
			id: ctx.ids.nextIn(partOf(taskId)),
			...{ submissionId, by: ctx.actor.agentId },
			...{ reason: body.reason, criterionName: body.criterion_name ?? null },
		};
		const created = await storeAppeal(ctx, taskId, { repeatable, input });
		return replyWith(created.output, created);
	},
});

/** Stores an appeal. The Worker generates its id, so a repeated call finds the appeal that the first call has stored. */
const storeAppeal = repeatableVerb(
	"storeAppeal",
	(store, { by, ...input }: Pick<AppealRow, "id" | "submissionId" | "reason" | "criterionName"> & { by: string }) => {
		const { task, submission } = getOwnSubmission(store, input.submissionId, by);
		const earlier = findAppeal(store, submission.id);
		if (earlier?.id === input.id) return viewAppeal(store.id, earlier);
		// Hidden criteria count as unknown names, so that an appeal cannot find out their names.
		const visible = new Set(readShownCriteria(store, task, by).map(({ name }) => name));
		const names = new Set(readCriteria(store).flatMap(({ name }) => (visible.has(name) ? [name] : [])));
		assertKnownCriteria(input.criterionName === null ? [] : [input.criterionName], names, () => "criterion_name");
		assertAppealable({ task, submission, hasAppeal: earlier !== null }, store.now);
		const row = { ...input, decision: null, decisionReason: null, decidedAt: null, createdAt: store.now };
		store.db.insert(appeals).values(row).run();
		// The card and the stream of the submission show the appeal.
		updateSubmission(store, submission.id, {});
		store.record({ type: "appeal.created", taskId: store.id, submissionId: submission.id, appealId: row.id });
		return viewAppeal(store.id, row);
	},
);
