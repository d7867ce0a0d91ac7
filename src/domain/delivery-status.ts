/** A delivery is `pending` until it succeeds or fails for good. It is `cancelled` if it was stopped first. */
export const DELIVERY_STATUSES = ["pending", "delivered", "failed", "cancelled"] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];
