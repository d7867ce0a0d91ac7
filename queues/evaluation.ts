import { workOff } from "../src/features/competition/evaluation/consumer.ts";
import type { Deps } from "../src/ports/deps.ts";
import { taskMessage } from "../src/ports/queues.ts";

/** Works on the job of the named task whose turn it is. */
export const consumeEvaluation = {
	handle: (deps: Deps, body: unknown): Promise<void> => workOff(deps, taskMessage.parse(body).taskId),
};
