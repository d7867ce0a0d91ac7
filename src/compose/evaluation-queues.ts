import type { MessageSender, TaskMessage } from "../ports/queues.ts";

/**
 * Opens the queues of evaluations as one. All messages of a task are in one queue. A queue has at most 250 consumers, so `EVALUATION_QUEUES`
 * adds others, which `wrangler.toml` binds as `EVALUATION_QUEUE_2` and so on.
 *
 * @throws Error if a binding is missing.
 */
export function openTaskQueues(env: Pick<Env, "EVALUATION_QUEUE">, count: number): MessageSender<TaskMessage> {
	if (count === 1) return env.EVALUATION_QUEUE;
	const bindings: Readonly<Record<string, unknown>> = { ...env };
	const queues = Array.from({ length: count }, (_, index) => findQueue(bindings, index === 0 ? "" : `_${index + 1}`));
	const indexOf = ({ taskId }: TaskMessage) => Number.parseInt(taskId.slice(-8), 16) % count;
	return {
		send: async (message, options) => queues[indexOf(message)]?.send(message, options),
		async sendBatch(messages) {
			const byQueue = Map.groupBy(messages, ({ body }) => indexOf(body));
			await Promise.all([...byQueue].map(([index, some]) => queues[index]?.sendBatch(some)));
		},
	};
}

function findQueue(bindings: Readonly<Record<string, unknown>>, ending: string): MessageSender<TaskMessage> {
	const name = `EVALUATION_QUEUE${ending}`;
	const queue = bindings[name];
	if (isQueue(queue)) return queue;
	throw new Error(`EVALUATION_QUEUES asks for the queue ${name}, which wrangler.toml does not bind. See docs/pages/operating/scale.mdx.`);
}

function isQueue(binding: unknown): binding is MessageSender<TaskMessage> {
	return typeof binding === "object" && binding !== null && "sendBatch" in binding;
}
