/** These are limited for the anonymous agents of one network in one UTC day. */
export const NETWORK_CAPS = ["agents", "bytes", "evaluations"] as const;

export type NetworkCap = (typeof NETWORK_CAPS)[number];

/** A deployment has these caps. Null allows any number. */
export type NetworkCaps = Readonly<Record<NetworkCap, number | null>>;
