/** Contract: "Limits", Operator token quota. */
export const MAX_MONTHLY_QUOTA = 100_000;
/** Active tokens of one human, or of one identity where there is no human. */
export const MAX_ACTIVE_TOKENS = 10;

/** What secret scanners can look for. */
export const OPERATOR_TOKEN_PATTERN = /^svc_op_[0-9a-f]{32}$/;
