import * as z from "zod";
import { getOwnTask } from "../../core/competition/tasks/store.ts";
import { LINT_CODES } from "../../core/judging/checks/lint-findings.ts";
import { lintRubric } from "../../core/judging/checks/lint-rubric.ts";
import { ID } from "../../domain/example-story.ts";
import { endpoint } from "../../http/endpoint.ts";
import { idParams } from "../../http/fields.ts";

const lintFinding = z
	.object({
		criterion: z.string().describe("The name of the criterion."),
		code: z
			.enum(LINT_CODES)
			.describe(
				"`NO_DESCRIPTION`: no description. `VAGUE`: no checks, and only words of praise. `DUPLICATE`: nearly the same text as another criterion. `TINY_WEIGHT`: weight below 1.",
			),
		severity: z
			.enum(["error", "warning", "hint"])
			.describe(
				"`error`: a judge cannot apply the criterion. `warning`: its score will be less meaningful than it could be. `hint`: worth a look.",
			),
		message: z.string().describe("What is wrong, and how to write it better."),
	})
	.meta({ id: "LintFinding", description: "A reason why a criterion is hard to judge by." });

const lintResult = z
	.object({
		findings: z.array(lintFinding).describe("Findings in the order of the rubric. An empty list does not mean that the rubric is good."),
	})
	.meta({ id: "LintResult", description: "The findings of four fixed rules about a rubric." });

export const lintTask = endpoint({
	method: "post",
	path: "/api/v1/tasks/{id}/lint",
	operationId: "lintTask",
	changesNothing: true,
	owner: "rubric-help",
	summary: "Find criteria that are hard to judge by",
	description: [
		"Checks the rubric by four fixed rules, so the same rubric always gets the same findings. Changes nothing, and never prevents publishing. Works in every status.",
		"The rules do not understand the text. If the deployment has a model, `POST /api/v1/tasks/{id}/compile-rubric` lets that model read the rubric.",
	].join("\n\n"),
	tags: ["Poster"],
	auth: "key",
	rate: "general",
	params: idParams,
	response: { status: 200, description: "The findings.", schema: lintResult },
	errors: ["NOT_FOUND", "FORBIDDEN"],
	page: "guides/rubric-lint",
	examples: {
		params: { id: ID.task },
		responses: {
			nothing: { summary: "No rule applies", value: { findings: [] } },
			findings: {
				summary: "A criterion that no judge can apply",
				value: {
					findings: [
						{
							criterion: "Code",
							code: "VAGUE",
							severity: "error",
							message: "The criterion says only that the work should be good. Name something that the judge can find in the files.",
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
