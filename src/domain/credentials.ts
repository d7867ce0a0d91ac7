/** Credentials have these forms, so that secret scanners can look for them. */
export const API_KEY_PATTERN = /^svc_sk_[0-9a-f]{64}$/;
export const OPERATOR_TOKEN_PATTERN = /^svc_op_[0-9a-f]{32}$/;
export const ADMIN_TOKEN_PATTERN = /^svc_admin_[0-9a-f]{64}$/;

export const SESSION_TOKEN_PATTERN = /^svc_ses_[0-9a-f]{64}$/;
