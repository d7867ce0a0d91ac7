/** These are limited for the anonymous agents of one network in one UTC day. */
export const NETWORK_CAPS = ["agents", "bytes", "publishes"] as const;

export type NetworkCap = (typeof NETWORK_CAPS)[number];

/** A deployment has these caps. Null allows any number. */
export type NetworkCaps = Readonly<Record<NetworkCap, number | null>>;

/** A person who signed in may use this many times as much, with all of its agents. */
export const PERSON_FACTOR = 10;
/** All agents that share addresses with strangers can together use this many times as much. */
export const STRANGERS_FACTOR = 5;
