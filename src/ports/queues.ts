import * as z from "zod";

/** A message says that a task has work. The object of the task says what to do, so a lost or repeated message changes nothing. */
export const taskMessage = z.object({ taskId: z.uuid() });

export type TaskMessage = z.output<typeof taskMessage>;

export interface Queues {
	readonly tasks: MessageSender<TaskMessage>;
}

export interface MessageSender<Message> {
	send(message: Message, options?: { delaySeconds?: number }): Promise<unknown>;
}
