export type RateClass = "submission" | "mutation" | "general";

export type RateLimits = Readonly<Record<RateClass, { limit(options: { key: string }): Promise<{ success: boolean }> }>>;
