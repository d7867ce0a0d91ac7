import * as z from "zod";

const deliveryMessage = z.object({ deliveryId: z.uuid(), webhookId: z.uuid() });
const fanOutMessage = z.object({ eventId: z.uuid() });

/** "Look at this delivery", or "go on with this event". They hold no state, so a lost or doubled message changes nothing. */
export const webhookMessage = z.union([deliveryMessage, fanOutMessage]);

export type DeliveryMessage = z.infer<typeof deliveryMessage>;
export type WebhookMessage = z.infer<typeof webhookMessage>;
