// Reads the rubric file of the command line, which contains what a poster would send to create the task.
import { AppError } from "../../src/domain/errors.ts";
import { createTask } from "../../src/features/competition/tasks/create-task.ts";
import { assertRubricWeights } from "../../src/features/competition/tasks/rules.ts";
import { withChecks } from "../../src/features/judging/checks/criterion-checks.ts";
import type { RubricCriterion } from "../../src/features/judging/model/rubric.ts";
import type { TaskBrief } from "../../src/ports/judge.ts";
import { CommandError } from "../support/command.ts";
import { readJsonFile } from "../support/read-files.ts";

const DEFAULT_BUDGET_CENTS = 10_000;

const rubricFile = createTask.body.schema
	.pick({ title: true, description: true, input_spec: true, output_spec: true, criteria: true, budget_cents: true })
	.partial()
	.required({ criteria: true });

/** @throws CommandError that names what is wrong with the file. */
export async function readRubric(
	path: string,
	budgetCents: string | undefined,
): Promise<{ task: TaskBrief; criteria: readonly RubricCriterion[] }> {
	const json = await readJsonFile(path);
	const parsed = rubricFile.safeParse(Array.isArray(json) ? { criteria: json } : json);
	if (!parsed.success) {
		throw new CommandError(`${path}:\n${parsed.error.issues.map((issue) => `  ${issue.path.join(".")}: ${issue.message}`).join("\n")}`);
	}
	const { title = "Untitled task", description, input_spec, output_spec, budget_cents, criteria } = parsed.data;
	assertWeights(path, criteria);
	return {
		task: {
			title,
			description: description ?? null,
			inputSpec: input_spec ?? null,
			outputSpec: output_spec ?? null,
			isPosterVerified: true,
			budgetCents: readBudget(budgetCents) ?? budget_cents ?? DEFAULT_BUDGET_CENTS,
		},
		criteria: withChecks(
			criteria.map((criterion) => ({
				...criterion,
				description: criterion.description ?? null,
				evidence: criterion.evidence ?? "work",
				checks: criterion.checks ?? [],
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

function readBudget(text: string | undefined): number | null {
	if (text === undefined) return null;
	if (!/^\d{1,15}$/.test(text)) throw new CommandError("--budget-cents takes a whole number of cents.");
	return Number(text);
}
