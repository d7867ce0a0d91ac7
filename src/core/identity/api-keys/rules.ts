import { HOUR_MS } from "../../../platform/clock.ts";

/** `last_used_at` is exact to this time, so a credential that is in use all day costs only 24 writes. */
export const LAST_USE_RESOLUTION_MS = HOUR_MS;

/**
 * Returns true if the stored time of a credential's last use is old enough to be updated.
 *
 * @param lastUsedAt The time is in milliseconds since the epoch. Null for a credential that was never used.
 */
export function isLastUseStale(lastUsedAt: number | null, now: number): boolean {
	return lastUsedAt === null || now - lastUsedAt >= LAST_USE_RESOLUTION_MS;
}
