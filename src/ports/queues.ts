import * as z from "zod";

/** Agents wait for a submission and posters for a dry run. No one waits for a judge check, so it comes after them. */
export const LANES = ["waited_for", "checks"] as const;

export type Lane = (typeof LANES)[number];

/** A message says that a task has work. The object of the task says what to do, so a lost or repeated message changes nothing. */
export const taskMessage = z.object({ taskId: z.uuid(), lane: z.enum(LANES).default("waited_for") });

export type TaskMessage = z.input<typeof taskMessage>;

export interface Queues {
	readonly tasks: MessageSender<TaskMessage>;
	/** Judge checks have a queue of their own, so that any number of them holds up no submission. */
	readonly checks: MessageSender<TaskMessage>;
}

export interface MessageSender<Message> {
	send(message: Message, options?: { delaySeconds?: number }): Promise<unknown>;
}
