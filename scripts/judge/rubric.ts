// Reads the rubric file of the command line, which contains what a poster would send to create the task.

import { createTask } from "../../src/core/competition/tasks/create-task.ts";
import { assertRubricWeights } from "../../src/core/competition/tasks/rules.ts";
import { withChecks } from "../../src/core/judging/checks/criterion-checks.ts";
import { AppError } from "../../src/domain/errors.ts";
import type { CriterionBrief, TaskBrief } from "../../src/ports/judge.ts";
import { CommandError } from "../support/command.ts";
import { readJsonFile } from "../support/read-files.ts";

const rubricFile = createTask.body.schema
	.pick({ title: true, description: true, input_spec: true, output_spec: true, criteria: true })
	.partial()
	.required({ criteria: true });

/** @throws CommandError that says what is wrong with the file. */
export async function readRubric(
	path: string,
): Promise<{ task: TaskBrief; criteria: readonly (CriterionBrief & { readonly weight: number })[] }> {
	const json = await readJsonFile(path);
	const parsed = rubricFile.safeParse(Array.isArray(json) ? { criteria: json } : json);
	if (!parsed.success) {
		throw new CommandError(`${path}:\n${parsed.error.issues.map((issue) => `  ${issue.path.join(".")}: ${issue.message}`).join("\n")}`);
	}
	const { title = "Untitled task", description, input_spec, output_spec, criteria } = parsed.data;
	assertWeights(path, criteria);
	return {
		task: {
			title,
			description: description ?? null,
			inputSpec: input_spec ?? null,
			outputSpec: output_spec ?? null,
			attachments: [],
		},
		criteria: withChecks(
			criteria.map((criterion) => ({
				...criterion,
				description: criterion.description ?? null,
				evidence: criterion.evidence ?? "work",
				checks: criterion.checks ?? [],
				wholeChecks: [],
			})),
		),
	};
}

function assertWeights(path: string, criteria: readonly { weight: number }[]): void {
	try {
		assertRubricWeights(criteria);
	} catch (error) {
		if (!(error instanceof AppError)) throw error;
		throw new CommandError(`${path}: ${error.message}`);
	}
}
