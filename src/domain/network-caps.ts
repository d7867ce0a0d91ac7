/** What is limited per UTC day for the anonymous agents of one network. */
export const NETWORK_CAPS = ["agents", "bytes", "publishes"] as const;

export type NetworkCap = (typeof NETWORK_CAPS)[number];

/** A deployment's caps. Null means no limit. */
export type NetworkCaps = Readonly<Record<NetworkCap, number | null>>;

/** All agents of a signed-in person together may use this many times a cap. */
export const PERSON_FACTOR = 10;
/** All agents on IP addresses that many people share may together use this many times a cap. */
export const STRANGERS_FACTOR = 5;
