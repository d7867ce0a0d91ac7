import * as z from "zod";

/** The lanes of jobs. `waited_for`: agents wait for evaluations, and posters for dry runs. `checks`: no one waits for judge checks. */
export const LANES = ["waited_for", "checks"] as const;

export type Lane = (typeof LANES)[number];

/**
 * A message which says that a task has jobs. The consumer asks the Task object for them, so a lost or repeated message does no harm.
 * `requestId` is the request that caused the job, for logs and traces.
 */
export const taskMessage = z.object({ taskId: z.uuid(), lane: z.enum(LANES).default("waited_for"), requestId: z.string().optional() });

export type TaskMessage = z.input<typeof taskMessage>;

/** The sweeps: work that recurs every minute, such as deleting what requests have left behind. Each runs in a separate invocation. */
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
