import { workOff } from "../src/features/competition/evaluation/consumer.ts";
import { describeError } from "../src/platform/log.ts";
import type { Deps } from "../src/ports/deps.ts";
import { taskMessage } from "../src/ports/queues.ts";

type Consumer = (deps: Deps, body: unknown) => Promise<void>;

const RETRY_BASE_SECONDS = 5;
const RETRY_MAX_SECONDS = 600;

/** A queue's consumer is found by the end of its name, because each deployment has queues of its own, whose names begin with the deployment's. */
const CONSUMERS: Readonly<Record<string, Consumer>> = {
	"-evaluation": workOffMessage,
	"-checks": workOffMessage,
	// The alarm of the task has sent other messages.
	"-evaluation-dead": async () => {},
};

async function workOffMessage(deps: Deps, body: unknown): Promise<void> {
	const { taskId, lane } = taskMessage.parse(body);
	await workOff(deps, taskId, lane);
}

/** Handles every message on its own, and acknowledges or retries it on its own. */
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
