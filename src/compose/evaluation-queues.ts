import type { MessageSender, TaskMessage } from "../ports/queues.ts";

/**
 * Combines the evaluation queues. A queue has at most 250 consumers, so `wrangler.toml` can bind more queues, as `EVALUATION_QUEUE_2` and
 * so on. All messages of a task go to the same queue.
 */
export function joinQueues(bindings: Readonly<Record<string, unknown>>, first: MessageSender<TaskMessage>): MessageSender<TaskMessage> {
	const queues = [first];
	for (let next = findQueue(bindings, 2); next !== null; next = findQueue(bindings, queues.length + 1)) queues.push(next);
	if (queues.length === 1) return first;
	const indexOf = ({ taskId }: TaskMessage) => Number.parseInt(taskId.slice(-8), 16) % queues.length;
	return {
		send: async (message, options) => queues[indexOf(message)]?.send(message, options),
		async sendBatch(messages) {
			const byQueue = Map.groupBy(messages, ({ body }) => indexOf(body));
			await Promise.all([...byQueue].map(([index, some]) => queues[index]?.sendBatch(some)));
		},
	};
}

function findQueue(bindings: Readonly<Record<string, unknown>>, number: number): MessageSender<TaskMessage> | null {
	const queue = bindings[`EVALUATION_QUEUE_${number}`];
	return isQueue(queue) ? queue : null;
}

function isQueue(binding: unknown): binding is MessageSender<TaskMessage> {
	return typeof binding === "object" && binding !== null && "sendBatch" in binding;
}
