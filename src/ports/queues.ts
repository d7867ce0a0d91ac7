import * as z from "zod";

/** Agents wait for submissions, and posters for dry runs. No one waits for a judge check, so judge checks come last. */
export const LANES = ["waited_for", "checks"] as const;

export type Lane = (typeof LANES)[number];

/**
 * A message that a task has work. The task's object says what to do, so a lost or repeated message does no harm.
 * Logs and traces name the request that caused the work.
 */
export const taskMessage = z.object({ taskId: z.uuid(), lane: z.enum(LANES).default("waited_for"), requestId: z.string().optional() });

export type TaskMessage = z.input<typeof taskMessage>;

/** Each sweep finishes or deletes one kind of leftover, in a separate invocation. */
export const SWEEP_NAMES = ["outbox", "forget", "settle", "payments", "reencrypt", "report"] as const;

export type SweepName = (typeof SWEEP_NAMES)[number];

export const sweepMessage = z.object({ sweep: z.enum(SWEEP_NAMES) });

export type SweepMessage = z.input<typeof sweepMessage>;

export interface Queues {
	readonly tasks: MessageSender<TaskMessage>;
	/** Judge checks have a separate queue, so that they never delay submissions. */
	readonly checks: MessageSender<TaskMessage>;
	readonly sweeps: MessageSender<SweepMessage>;
}

export interface MessageSender<Message> {
	send(message: Message, options?: { delaySeconds?: number }): Promise<unknown>;
	/** Sends up to 100 messages in one call. */
	sendBatch(messages: readonly { readonly body: Message }[]): Promise<unknown>;
}
