import { workOff } from "../src/features/competition/evaluation/consumer.ts";
import { describeError } from "../src/platform/log.ts";
import type { Deps } from "../src/ports/deps.ts";
import { taskMessage } from "../src/ports/queues.ts";

type Consumer = (deps: Deps, body: unknown) => Promise<void>;

/** Works on the job of the named task whose turn it is. */
export function consumeEvaluation(deps: Deps, body: unknown): Promise<void> {
	return workOff(deps, taskMessage.parse(body).taskId);
}

const RETRY_BASE_SECONDS = 5;
const RETRY_MAX_SECONDS = 600;

/** The consumer of each queue, by the end of the queue's name. The name begins with that of the deployment. */
const CONSUMERS: Readonly<Record<string, Consumer>> = {
	"-evaluation": consumeEvaluation,
	// A message that failed for good needs nothing more, because the alarm of the task sends other messages.
	"-evaluation-dead": async () => {},
};

/** Handles the messages of a batch in parallel. Each one is acknowledged or retried on its own. */
export async function consumeBatch(batch: MessageBatch, openDeps: () => Deps): Promise<void> {
	const consumer = findConsumer(batch.queue);
	if (consumer === null) throw new Error(`No consumer for queue ${batch.queue}`);
	await Promise.all(batch.messages.map((message) => consumeMessage(message, consumer, openDeps())));
}

export function findConsumer(queue: string): Consumer | null {
	return Object.entries(CONSUMERS).find(([ending]) => queue.endsWith(ending))?.[1] ?? null;
}

async function consumeMessage(message: Message, consume: Consumer, deps: Deps): Promise<void> {
	try {
		await consume(deps, message.body);
		message.ack();
	} catch (error) {
		deps.log.error("message_failed", { message_id: message.id, attempts: message.attempts, ...describeError(error) });
		message.retry({ delaySeconds: Math.min(RETRY_MAX_SECONDS, RETRY_BASE_SECONDS * 2 ** (message.attempts - 1)) });
	}
}
