import { workOff } from "../compose/work-off.ts";
import { MINUTE_MS } from "../platform/clock.ts";
import { describeError } from "../platform/log.ts";
import type { Deps } from "../ports/deps.ts";
import { sweepMessage, taskMessage } from "../ports/queues.ts";
import { runSweep } from "./sweeps.ts";

type Consumer = (deps: Deps, message: Pick<Message, "body" | "timestamp">) => Promise<void>;

const RETRY_BASE_SECONDS = 5;
const RETRY_MAX_SECONDS = 600;

/**
 * The consumers, by the end of the queue's name. The name begins with the deployment's name. Additional queues for evaluations end with a
 * number.
 */
const CONSUMERS: readonly (readonly [RegExp, Consumer])[] = [
	[/-evaluation(-\d+)?$/, workOffMessage],
	[/-checks$/, workOffMessage],
	[/-sweeps$/, sweep],
	// Messages that have failed too often are dropped, because the task's alarm sends another message.
	[/-evaluation-dead$/, async () => {}],
];

async function workOffMessage(deps: Deps, { body }: Pick<Message, "body">): Promise<void> {
	const { taskId, lane } = taskMessage.parse(body);
	await workOff(deps, taskId, lane);
}

/** Runs a sweep. Ignores messages that are a minute old or older, because a newer message follows. */
async function sweep(deps: Deps, { body, timestamp }: Pick<Message, "body" | "timestamp">): Promise<void> {
	if (deps.clock.now() - timestamp.getTime() < MINUTE_MS) await runSweep(deps, sweepMessage.parse(body).sweep);
}

/** Handles each message separately, and acknowledges or retries it. */
export async function consumeBatch(batch: MessageBatch, openDeps: () => Deps): Promise<void> {
	const consumer = findConsumer(batch.queue);
	if (consumer === null) throw new Error(`No consumer for queue ${batch.queue}`);
	// The messages share `deps`, and with it one judge, because the judge limits the connections of the whole invocation.
	const deps = openDeps();
	await Promise.all(batch.messages.map((message) => consumeMessage(message, consumer, deps)));
}

/** Returns the ids of the requests behind the messages, separated by commas, for the trace. */
export function listRequestIds({ messages }: MessageBatch): string {
	return messages.flatMap(({ body }) => taskMessage.safeParse(body).data?.requestId ?? []).join(",");
}

export function findConsumer(queue: string): Consumer | null {
	return CONSUMERS.find(([ending]) => ending.test(queue))?.[1] ?? null;
}

async function consumeMessage(message: Message, consume: Consumer, deps: Deps): Promise<void> {
	try {
		await consume(deps, message);
		message.ack();
	} catch (error) {
		const { data } = taskMessage.safeParse(message.body);
		const ids = { message_id: message.id, request_id: data?.requestId };
		deps.log.error("message_failed", { ...ids, attempts: message.attempts, ...describeError(error) });
		message.retry({ delaySeconds: Math.min(RETRY_MAX_SECONDS, RETRY_BASE_SECONDS * 2 ** (message.attempts - 1)) });
	}
}
