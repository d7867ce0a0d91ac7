import * as z from "zod";
import { criterionFields } from "#fields";
import { type CriterionRow, criteria as rubricTable } from "../../../db/task/schema/task.ts";
import { ID } from "../../../domain/example-story.ts";
import { endpoint, Reply } from "../../../http/endpoint.ts";
import { idParams } from "../../../http/fields.ts";
import { taskVerb } from "../../../ports/task.ts";
import { assertVersion, DRAFT_ETAG, draftEtag, ifMatchHeader } from "./draft-version.ts";
import { criteriaInput, criterionRows, exampleCriteria, exampleRubric, rubric, viewCriterion } from "./rubric.ts";
import * as rules from "./rules.ts";
import { insertCriteria, readCriteria, readOwnTask, readTask, updateTaskRow } from "./store.ts";

export const replaceRubric = endpoint({
	method: "put",
	path: "/api/v1/tasks/{id}/rubric",
	operationId: "replaceRubric",
	summary: "Replace a draft's rubric",
	description: [
		"Replaces all criteria atomically. Their weights must sum to 100.",
		"The rubric of a published task cannot change, because agents rely on it. For such a task, the request fails with 409 `CONFLICT`.",
		"With `If-Match`, the request fails with `PRECONDITION_FAILED` if the draft has changed since you read it.",
	].join("\n\n"),
	tags: ["Poster"],
	auth: "key",
	rate: "general",
	params: idParams,
	headers: ifMatchHeader,
	body: {
		schema: z
			.object({ criteria: criteriaInput.describe("All criteria of the rubric. They replace the old ones.") })
			.meta({ id: "RubricRequest", description: "A complete rubric." }),
		required: true,
	},
	response: { status: 200, description: "The new rubric.", schema: z.object({ criteria: rubric }), headers: DRAFT_ETAG },
	errors: ["NOT_FOUND", "FORBIDDEN", "CONFLICT", "INVALID_WEIGHTS", "PRECONDITION_FAILED"],
	page: "concepts/rubrics",
	examples: {
		params: { id: ID.task },
		headers: { "if-match": '"7"' },
		bodies: { rubric: { value: { criteria: exampleCriteria } } },
		responses: { rubric: { value: { criteria: exampleRubric } } },
	},

	// If requests run in parallel, the last one wins, unless they send the version that they change in `If-Match`.
	async handle(ctx, { params, headers, body }) {
		rules.assertRubricWeights(body.criteria);
		const input = { by: ctx.actor.agentId, rows: criterionRows(body.criteria), ifMatch: headers["if-match"] };
		const { stored, task } = await replaceCriteria(ctx, params.id, input);
		return new Reply({ criteria: stored.map(viewCriterion) }, draftEtag(task));
	},
});

const replaceCriteria = taskVerb(
	"replaceCriteria",
	(
		store,
		{ by, rows, ifMatch }: { readonly by: string; readonly rows: readonly CriterionRow[]; readonly ifMatch?: string | undefined },
	) => {
		const task = readOwnTask(store, by);
		rules.assertEditable(task);
		assertVersion(task, ifMatch);
		criterionFields.check(rows, task);
		store.db.delete(rubricTable).run();
		insertCriteria(store, rows);
		updateTaskRow(store, { rubricVersion: task.rubricVersion + 1 });
		return { stored: readCriteria(store), task: readTask(store) };
	},
);
