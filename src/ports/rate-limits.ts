export type RateClass = "submission" | "mutation" | "general";

/** Each class has a limiter, and so have an identity that is signed in and a whole network that many clients share. */
export type LimiterName = RateClass | "session" | "shared";

export type RateLimits = Readonly<Record<LimiterName, { limit(options: { key: string }): Promise<{ success: boolean }> }>>;
