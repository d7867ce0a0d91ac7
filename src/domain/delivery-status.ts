/** `pending` until the delivery succeeds or fails for good; `cancelled` if it was stopped first. */
export const DELIVERY_STATUSES = ["pending", "delivered", "failed", "cancelled"] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];
