import * as z from "zod";

/** "Look at this job", of an evaluation or a trial. The state is in D1, so a lost or repeated message changes nothing. */
export const evaluationMessage = z.object({ jobId: z.uuid(), of: z.literal("trial").optional() });

export type EvaluationMessage = z.output<typeof evaluationMessage>;

const deliveryMessage = z.object({ deliveryId: z.uuid(), webhookId: z.uuid() });
const fanOutMessage = z.object({ eventId: z.uuid() });

/** "Look at this delivery", or "go on with this event". They hold no state, so a lost or repeated message changes nothing. */
export const webhookMessage = z.union([deliveryMessage, fanOutMessage]);

export type DeliveryMessage = z.infer<typeof deliveryMessage>;
export type WebhookMessage = z.infer<typeof webhookMessage>;

export interface Queues {
	readonly evaluation: MessageSender<EvaluationMessage>;
	readonly webhooks: BatchSender<WebhookMessage>;
}

export interface MessageSender<Message> {
	send(message: Message, options?: { delaySeconds?: number }): Promise<unknown>;
}

export interface BatchSender<Message> extends MessageSender<Message> {
	/** At most 100 at once. */
	sendBatch(messages: { body: Message }[]): Promise<unknown>;
}
