import { crc32 } from "./crc32.ts";

/** Credentials have fixed forms, so that secret scanners can find them. */
const API_KEY_PATTERN = /^svc_sk_[0-9a-f]{64}$/;
export const OPERATOR_TOKEN_PATTERN = /^svc_op_[0-9a-f]{32}$/;
export const ADMIN_TOKEN_PATTERN = /^svc_admin_[0-9a-f]{64}$/;

export const SESSION_TOKEN_PATTERN = /^svc_ses_[0-9a-f]{64}$/;

/** The token of a program that acts for an agent: the id of the grant's holder, the id of the grant and a secret. */
const ACCESS_TOKEN_PATTERN = /^[0-9a-f-]{36}:[\w-]{16}:[\w-]{32}$/;

/** Returns true if a string has the form of an access token. */
export function isPossibleAccessToken(token: string): boolean {
	return ACCESS_TOKEN_PATTERN.test(token);
}

const CHECK_DIGITS = 8;
/** The number of hex digits before the check digits. */
export const RANDOM_KEY_DIGITS = 64 - CHECK_DIGITS;

/** Builds a key from random hex digits. It ends with the CRC-32 of everything before. */
export function apiKeyOf(randomDigits: string): string {
	const rest = `svc_sk_${randomDigits}`;
	return rest + checkDigitsOf(rest);
}

/** Returns true if a key's form and check digits are right. All other keys are rejected without a lookup. */
export function isPossibleKey(key: string): boolean {
	return API_KEY_PATTERN.test(key) && checkDigitsOf(key.slice(0, -CHECK_DIGITS)) === key.slice(-CHECK_DIGITS);
}

function checkDigitsOf(rest: string): string {
	return (crc32(new TextEncoder().encode(rest), 0) >>> 0).toString(16).padStart(CHECK_DIGITS, "0");
}
