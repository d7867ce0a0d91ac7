/** What is limited for the anonymous agents of one network per UTC day. */
export const NETWORK_CAPS = ["agents", "bytes", "publishes"] as const;

export type NetworkCap = (typeof NETWORK_CAPS)[number];

/** A deployment's caps. Null means no limit. */
export type NetworkCaps = Readonly<Record<NetworkCap, number | null>>;

/** How many times as much a signed-in person may use, with all of their agents. */
export const PERSON_FACTOR = 10;
/** How many times as much all agents on shared IP addresses may use together. */
export const STRANGERS_FACTOR = 5;
