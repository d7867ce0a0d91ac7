import { abandonEvaluation, runEvaluation } from "../src/features/evaluation/service.ts";
import type { Deps } from "../src/ports/deps.ts";
import { evaluationMessage } from "../src/ports/queues.ts";

const MAX_DELAY_SECONDS = 43_200;

/**
 * Works on a job. A job that is not finished gets a new message for its next look, because a retry would count
 * towards the dead letters, and waiting is not a failure.
 */
export const consumeEvaluation = {
	async handle(deps: Deps, body: unknown): Promise<void> {
		const { jobId } = evaluationMessage.parse(body);
		const next = await runEvaluation(deps, jobId);
		if (next === null) return;
		const delaySeconds = Math.min(MAX_DELAY_SECONDS, Math.ceil(next.delayMs / 1000));
		await deps.queues.evaluation.send({ jobId }, { delaySeconds });
	},
};

/** A job whose messages failed every retry ends visibly, as `evaluation_failed`. */
export const consumeEvaluationDeadLetter = {
	async handle(deps: Deps, body: unknown): Promise<void> {
		const { jobId } = evaluationMessage.parse(body);
		await abandonEvaluation(deps, jobId);
	},
};
