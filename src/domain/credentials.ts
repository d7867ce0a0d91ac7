import { crc32 } from "./crc32.ts";

/** Credentials have these forms, so that secret scanners can look for them. */
const API_KEY_PATTERN = /^svc_sk_[0-9a-f]{64}$/;
export const OPERATOR_TOKEN_PATTERN = /^svc_op_[0-9a-f]{32}$/;
export const ADMIN_TOKEN_PATTERN = /^svc_admin_[0-9a-f]{64}$/;

export const SESSION_TOKEN_PATTERN = /^svc_ses_[0-9a-f]{64}$/;

/** A program acts for an agent with such a token: it names its person or agent, its grant and a secret. */
const ACCESS_TOKEN_PATTERN = /^[0-9a-f-]{36}:[\w-]{16}:[\w-]{32}$/;

/** Returns true for an access token that the platform may have made. */
export function isPossibleAccessToken(token: string): boolean {
	return ACCESS_TOKEN_PATTERN.test(token);
}

const CHECK_DIGITS = 8;
/** The digits of a key before its check digits. */
export const RANDOM_KEY_DIGITS = 64 - CHECK_DIGITS;

/** Makes a key of random hex digits. Its last digits are the CRC-32 of everything before them. */
export function apiKeyOf(randomDigits: string): string {
	const rest = `svc_sk_${randomDigits}`;
	return rest + checkDigitsOf(rest);
}

/** Returns true for a key that the platform may have made. A random or mistyped key is rejected without a look-up. */
export function isPossibleKey(key: string): boolean {
	return API_KEY_PATTERN.test(key) && checkDigitsOf(key.slice(0, -CHECK_DIGITS)) === key.slice(-CHECK_DIGITS);
}

function checkDigitsOf(rest: string): string {
	return (crc32(new TextEncoder().encode(rest), 0) >>> 0).toString(16).padStart(CHECK_DIGITS, "0");
}
