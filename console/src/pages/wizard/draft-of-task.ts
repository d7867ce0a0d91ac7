import { DEFAULT_MODE, MODES } from "../../../../src/domain/modes.ts";
import type { Schemas } from "../../api/sdk.ts";
import { DEFAULT_TEST_WEIGHT, type Draft } from "../../rules/draft.ts";
import { toLocalInput } from "../../rules/time.ts";

interface BrowserFacts {
	/** The criteria that a task without a rubric begins with. */
	readonly emptyCriteria: Draft["criteria"];
	/** The descriptions that outdated checks were written for, by criterion name. */
	readonly staleChecks: ReadonlyMap<string, string>;
}

/** Makes the wizard's draft from a stored draft and from what only this browser knows. */
export function draftOfTask(task: Schemas["TaskDetail"], { emptyCriteria, staleChecks }: BrowserFacts): Draft {
	const criteria = task.criteria.map(({ name, description, weight, evidence, final_only, checks }, index) => ({
		key: `stored-${index}`,
		name,
		description: description ?? "",
		weight: String(weight),
		anyEvidence: evidence === "any",
		finalOnly: final_only,
		checks: checks.join("\n"),
		checksOf: staleChecks.get(name) ?? null,
	}));
	return {
		title: task.title,
		category: task.category,
		description: task.description ?? "",
		inputSpec: task.input_spec,
		outputSpec: task.output_spec,
		budget: String(task.budget_cents / 100),
		deadline: toLocalInput(Date.parse(task.deadline)),
		mode: task.eval_mode ?? DEFAULT_MODE,
		image: task.eval_image ?? "",
		callbackUrl: task.eval_callback_url ?? "",
		testWeight: MODES[task.eval_mode ?? DEFAULT_MODE].hasFreeWeights ? String(task.test_weight) : DEFAULT_TEST_WEIGHT,
		memoryMb: String(task.eval_memory_mb),
		timeoutMinutes: String(task.eval_timeout_seconds / 60),
		network: task.eval_network,
		maxSubmissions: String(task.max_submissions_per_agent),
		finalRound: task.final_round,
		access: task.access,
		sealed: task.sealed,
		criteria: criteria.length === 0 ? emptyCriteria : criteria,
	};
}
