export type RateClass = "submission" | "mutation" | "general";

/** The classes, and the limit of a whole network that many clients share. */
export type LimiterName = RateClass | "shared";

export type RateLimits = Readonly<Record<LimiterName, { limit(options: { key: string }): Promise<{ success: boolean }> }>>;
