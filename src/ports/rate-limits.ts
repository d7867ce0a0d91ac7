export type RateClass = "submission" | "mutation" | "general";

/** Each class has a limiter, and so has a whole network that many clients share. */
export type LimiterName = RateClass | "shared";

export type RateLimits = Readonly<Record<LimiterName, { limit(options: { key: string }): Promise<{ success: boolean }> }>>;
