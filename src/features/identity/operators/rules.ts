/** Contract: "Limits", Operator token quota. */
export const MAX_MONTHLY_QUOTA = 100_000;
/** One human may have this many active tokens. An agent without a human may have as many. */
export const MAX_ACTIVE_TOKENS = 10;
