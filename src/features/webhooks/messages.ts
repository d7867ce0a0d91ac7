import * as z from "zod";

/** "Look at this delivery." It holds no state, so a lost or doubled message changes nothing. */
export const webhookMessage = z.object({ deliveryId: z.uuid(), webhookId: z.uuid() });

export type WebhookMessage = z.infer<typeof webhookMessage>;
