// Evaluates a submission in its task's mode.
import type { Deps } from "../../../ports/deps.ts";
import { assertAcceptable } from "../artifacts/inspect.ts";
import type { EvaluationWork, ModeOutcome } from "../work.ts";
import { evaluateInContainer } from "./container.ts";
import { evaluateExternally } from "./external.ts";
import { evaluateHybrid } from "./hybrid.ts";
import { evaluateWithJudge } from "./llm.ts";

/** @throws EvaluationFault if there is neither a score nor a grader or service to wait for. */
export async function evaluateByMode(deps: Deps, work: EvaluationWork): Promise<ModeOutcome> {
	await assertAcceptable(deps, work.submission);
	if (work.isFurther === true) return { kind: "scored", result: await evaluateWithJudge(deps, work) };
	switch (work.task.evalMode) {
		case "llm":
			return { kind: "scored", result: await evaluateWithJudge(deps, work) };
		case "container":
			return evaluateInContainer(deps, work);
		case "hybrid":
			return evaluateHybrid(deps, work);
		case "external":
			return evaluateExternally(deps, work);
	}
}
