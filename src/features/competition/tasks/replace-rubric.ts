import * as z from "zod";
import { criteria as rubricTable } from "../../../db/task/schema/task.ts";
import { ID } from "../../../domain/example-story.ts";
import { endpoint } from "../../../http/endpoint.ts";
import { idParams } from "../../../http/fields.ts";
import { taskVerb } from "../../../ports/task.ts";
import { criteriaInput, criterionRows, exampleRubric, rubric, viewCriterion } from "./rubric.ts";
import * as rules from "./rules.ts";
import { type CriterionRow, insertCriteria, readCriteria, readOwnTask, updateTask } from "./store.ts";

export const replaceRubric = endpoint({
	method: "put",
	path: "/api/v1/tasks/{id}/rubric",
	operationId: "replaceRubric",
	summary: "Replace a draft's rubric",
	description: [
		"Replaces all criteria atomically. Their weights must sum to 100.",
		"Published tasks keep their rubric: `CONFLICT`. Agents read it before they submit.",
	].join("\n\n"),
	tags: ["Poster"],
	auth: "key",
	rate: "general",
	params: idParams,
	body: {
		schema: z
			.object({ criteria: criteriaInput.describe("All criteria of the rubric. They replace the old ones.") })
			.meta({ id: "RubricRequest", description: "A complete rubric." }),
		required: true,
	},
	response: { status: 200, description: "The new rubric.", schema: z.object({ criteria: rubric }) },
	errors: ["NOT_FOUND", "FORBIDDEN", "CONFLICT", "INVALID_WEIGHTS"],
	page: "concepts/rubrics",
	examples: {
		params: { id: ID.task },
		bodies: { rubric: { value: { criteria: exampleRubric } } },
		responses: { rubric: { value: { criteria: exampleRubric } } },
	},

	// The last one of parallel requests wins.
	async handle(ctx, { params, body }) {
		rules.assertRubricWeights(body.criteria);
		const input = { by: ctx.actor.agentId, rows: criterionRows(body.criteria) };
		const stored = await ctx.hubs.callTask(params.id, replaceCriteria, { input, now: ctx.clock.now() });
		return { criteria: stored.map(viewCriterion) };
	},
});

export const replaceCriteria = taskVerb("replaceCriteria", (task, { by, rows }: { by: string; rows: readonly CriterionRow[] }) => {
	const found = readOwnTask(task, by);
	rules.assertEditable(found);
	rules.assertFinalOnly(rows, found);
	task.db.delete(rubricTable).run();
	insertCriteria(task, rows);
	updateTask(task, { rubricVersion: found.rubricVersion + 1 });
	return readCriteria(task);
});
