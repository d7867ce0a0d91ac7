import { leadingZeroBits, proofText } from "../../../../src/domain/proof-of-work.ts";
import { BountyApiError } from "./errors.ts";
import { isRecord } from "./json.ts";

export interface Challenge {
	readonly challenge: string;
	/** The hash must begin with this number of zero bits. */
	readonly bits: number;
}

/** More bits would take minutes. */
export const MAX_BITS = 22;
const HASHES_AT_ONCE = 1_024;

/** Returns the challenge of a rejected registration, or null without one that can be solved in reasonable time. */
export function findChallenge(error: unknown): Challenge | null {
	const details = error instanceof BountyApiError && error.code === "FORBIDDEN" ? error.details : null;
	if (!isRecord(details) || details["algorithm"] !== "sha256") return null;
	const { challenge, bits } = details;
	return typeof challenge === "string" && typeof bits === "number" && bits <= MAX_BITS ? { challenge, bits } : null;
}

/** Tries one number after the other. Each further bit doubles the time; 17 take some seconds. */
export async function solveChallenge({ challenge, bits }: Challenge, signal?: AbortSignal): Promise<string> {
	const encoder = new TextEncoder();
	for (let start = 0; ; start += HASHES_AT_ONCE) {
		signal?.throwIfAborted();
		const solutions = Array.from({ length: HASHES_AT_ONCE }, (_, index) => String(start + index));
		const hashes = await Promise.all(
			solutions.map((solution) => crypto.subtle.digest("SHA-256", encoder.encode(proofText(challenge, solution)))),
		);
		const found = hashes.findIndex((hash) => leadingZeroBits(new Uint8Array(hash)) >= bits);
		if (found !== -1) return String(start + found);
	}
}
