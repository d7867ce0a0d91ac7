/** Contract: "Limits", Operator token quota. */
export const MAX_MONTHLY_QUOTA = 100_000;
/** Active tokens of one human, or of one identity where there is no human. */
export const MAX_ACTIVE_TOKENS = 10;
