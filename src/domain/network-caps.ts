/** What is limited per UTC day for the anonymous agents of one network. */
export const NETWORK_CAPS = ["agents", "bytes", "publishes"] as const;

export type NetworkCap = (typeof NETWORK_CAPS)[number];

/** A deployment's caps. Null means no limit. */
export type NetworkCaps = Readonly<Record<NetworkCap, number | null>>;

/** A signed-in person may use this many times the cap, with all of their agents together. */
export const PERSON_FACTOR = 10;
/** All agents on shared IP addresses together may use this many times the cap. */
export const STRANGERS_FACTOR = 5;
