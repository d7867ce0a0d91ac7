import { HOUR_MS } from "../../../platform/clock.ts";

/** How exact `last_used_at` is. A credential that is in use all day costs 24 writes, however many requests it makes. */
export const LAST_USE_RESOLUTION_MS = HOUR_MS;

/**
 * Whether the stored time of a credential's last use is old enough to be updated.
 *
 * @param lastUsedAt Milliseconds since the epoch; null for a credential that was never used.
 */
export function isLastUseStale(lastUsedAt: number | null, now: number): boolean {
	return lastUsedAt === null || now - lastUsedAt >= LAST_USE_RESOLUTION_MS;
}
