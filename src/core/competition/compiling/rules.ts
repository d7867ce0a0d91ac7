import { AppError } from "../../../domain/errors.ts";
import { HOUR_MS, SECOND_MS } from "../../../platform/clock.ts";

export const COMPILATIONS_PER_HOUR = 20;

/**
 * Adds a request for proposals to those that count towards a draft's hourly limit. All times are in milliseconds since the epoch.
 *
 * @param earlier The times of earlier requests, oldest first.
 * @returns The times of the requests in the last hour, including the new one.
 * @throws AppError `RATE_LIMITED` if the last hour already has the maximum number of requests.
 */
export function addCompilation(earlier: readonly number[], now: number): number[] {
	const recent = earlier.filter((at) => at > now - HOUR_MS);
	const [oldest] = recent;
	if (oldest === undefined || recent.length < COMPILATIONS_PER_HOUR) return [...recent, now];
	const retryAfterSeconds = Math.max(1, Math.ceil((oldest + HOUR_MS - now) / SECOND_MS));
	throw new AppError("RATE_LIMITED", {
		message: `You can request at most ${COMPILATIONS_PER_HOUR} rubric proposals an hour for each draft. Wait for the number of seconds in Retry-After.`,
		details: { retry_after_seconds: retryAfterSeconds, limit: COMPILATIONS_PER_HOUR },
		retryAfterSeconds,
	});
}
