import { ID } from "../../../domain/example-story.ts";
import { endpoint } from "../../../http/endpoint.ts";
import { idParams } from "../../../http/fields.ts";
import { lintResult } from "../../judging/lint/schemas.ts";
import { lintRubric } from "../../judging/lint/service.ts";
import { getOwnTask } from "./store.ts";

export const lintTask = endpoint({
	method: "post",
	path: "/api/v1/tasks/{id}/lint",
	operationId: "lintTask",
	summary: "Find criteria that are hard to judge",
	description: [
		"Checks the rubric and its checks by fixed rules: the same rubric always gets the same findings. Changes nothing, and never prevents publishing. Works in every status.",
		"The page about the lint explains each code and what to write instead.",
	].join("\n\n"),
	tags: ["Poster"],
	auth: "key",
	rate: "general",
	params: idParams,
	response: { status: 200, description: "What the rules found.", schema: lintResult },
	errors: ["NOT_FOUND", "FORBIDDEN"],
	page: "guides/rubric-lint",
	examples: {
		params: { id: ID.task },
		responses: {
			nothing: { summary: "Nothing to say", value: { findings: [] } },
			findings: {
				summary: "A criterion that no judge can apply",
				value: {
					findings: [
						{
							criterion: "Code",
							code: "VAGUE",
							severity: "error",
							message: "The criterion says only that the work should be good. Name something that a judge can find in the files.",
						},
					],
				},
			},
		},
	},

	async handle(ctx, { params }) {
		const { criteria } = await getOwnTask(ctx, params.id);
		return { findings: lintRubric(criteria) };
	},
});
