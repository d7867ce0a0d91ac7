// Which mode judges a task: apart from the modes, so that none of them knows the others.
import type { Deps } from "../../../deps.ts";
import { EvaluationFault } from "../faults.ts";
import type { EvaluationResult, EvaluationWork } from "../work.ts";
import { evaluateWithJudge } from "./llm.ts";

/** @throws EvaluationFault when there is no score. */
export function evaluateByMode(deps: Deps, work: EvaluationWork): Promise<EvaluationResult> {
	switch (work.task.evalMode) {
		case "llm":
			return evaluateWithJudge(deps, work);
		case "container":
		case "hybrid":
			return refuse("This deployment has no grader for container images configured.");
		case "external":
			return refuse("This deployment does not send submissions to outside judges yet.");
	}
}

function refuse(message: string): Promise<never> {
	return Promise.reject(new EvaluationFault(message, { blame: "platform", isRetryable: false }));
}
