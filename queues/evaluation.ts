import * as z from "zod";
import { workOff } from "../src/features/competition/evaluation/consumer.ts";
import { abandonEvaluation, runNextEvaluation } from "../src/features/evaluation/service.ts";
import type { Deps } from "../src/ports/deps.ts";
import { evaluationMessage, taskMessage } from "../src/ports/queues.ts";

const MAX_DELAY_SECONDS = 43_200;

/**
 * Works on a job of the named task. In the tables: works on the job whose turn it is, or continues the named one. An unfinished job gets a new message for its next visit: a retry
 * would count towards the dead letters, although waiting is not a failure.
 */
export const consumeEvaluation = {
	async handle(deps: Deps, body: unknown): Promise<void> {
		const message = z.union([taskMessage, evaluationMessage]).parse(body);
		if ("taskId" in message) return workOff(deps, message.taskId);
		const next = await runNextEvaluation(deps, message.jobId);
		if (next === null) return;
		const { delayMs, jobId = message.jobId } = next;
		const delaySeconds = Math.min(MAX_DELAY_SECONDS, Math.ceil(delayMs / 1000));
		await deps.queues.evaluation.send({ ...message, jobId }, { delaySeconds });
	},
};

/** A job whose messages failed every retry ends visibly, as `evaluation_failed`. */
export const consumeEvaluationDeadLetter = {
	async handle(deps: Deps, body: unknown): Promise<void> {
		const message = z.union([taskMessage, evaluationMessage]).parse(body);
		// The alarm of the task has sent another one.
		if ("taskId" in message) return;
		await abandonEvaluation(deps, message.jobId);
	},
};
