import { HOUR_MS } from "../../../platform/clock.ts";

/** The resolution of `last_used_at`. A credential that is used all day causes only 24 writes. */
export const LAST_USE_RESOLUTION_MS = HOUR_MS;

/**
 * Returns true if the stored time of a credential's last use is so old that it must be updated.
 *
 * @param lastUsedAt Milliseconds since the epoch. Null if the credential was never used.
 */
export function isLastUseStale(lastUsedAt: number | null, now: number): boolean {
	return lastUsedAt === null || now - lastUsedAt >= LAST_USE_RESOLUTION_MS;
}
