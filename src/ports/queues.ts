import * as z from "zod";

/** "This task has work". The object of the task says what to do, so a lost or repeated message changes nothing. */
export const taskMessage = z.object({ taskId: z.uuid() });

export type TaskMessage = z.output<typeof taskMessage>;

/** "Look at this job", of an evaluation or a trial. The state is in D1, so a lost or repeated message changes nothing. */
export const evaluationMessage = z.object({ jobId: z.uuid(), of: z.literal("trial").optional() });

export type EvaluationMessage = z.output<typeof evaluationMessage>;

export interface Queues {
	readonly tasks: MessageSender<TaskMessage>;
	/** Goes through the same queue as {@link tasks}. */
	readonly evaluation: MessageSender<EvaluationMessage>;
}

export interface MessageSender<Message> {
	send(message: Message, options?: { delaySeconds?: number }): Promise<unknown>;
}
