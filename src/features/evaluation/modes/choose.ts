// Which mode judges a task: apart from the modes, so that none of them knows the others.
import type { Deps } from "../../../deps.ts";
import { assertAcceptable } from "../artifact/inspect.ts";
import { EvaluationFault } from "../faults.ts";
import type { EvaluationWork, ModeOutcome } from "../work.ts";
import { evaluateExternally } from "./external.ts";
import { evaluateWithJudge } from "./llm.ts";

/** @throws EvaluationFault when there is no score. */
export async function evaluateByMode(deps: Deps, work: EvaluationWork): Promise<ModeOutcome> {
	await assertAcceptable(deps, work.submission);
	switch (work.task.evalMode) {
		case "llm":
			return { kind: "scored", result: await evaluateWithJudge(deps, work) };
		case "container":
		case "hybrid":
			return refuse("This deployment has no grader for container images configured.");
		case "external":
			return evaluateExternally(deps, work);
	}
}

function refuse(message: string): Promise<never> {
	return Promise.reject(new EvaluationFault(message, { blame: "platform", isRetryable: false }));
}
