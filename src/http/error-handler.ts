import { AppError, errorEntryOf, wireCodeOf } from "../domain/errors.ts";
import { SECOND_MS, startOfNextUtcMonth } from "../platform/clock.ts";
import { describeError, type Log } from "../platform/log.ts";
import { nextActionsOf, withNextActions } from "./next-actions.ts";

interface ErrorSurroundings {
	readonly log: Log;
	readonly requestId: string;
	readonly now: number;
	/** Of the request that is refused. */
	readonly path: string;
	readonly baseUrl: string;
}

/** The answer to anything thrown. What is not an {@link AppError} is our fault: logged whole, told as `INTERNAL_ERROR`. */
export function toErrorResponse(error: unknown, { log, requestId, now, path, baseUrl }: ErrorSurroundings): Response {
	if (!(error instanceof AppError)) log.error("request_failed", { request_id: requestId, ...describeError(error) });
	const refusal = error instanceof AppError ? error : new AppError("INTERNAL_ERROR");
	const { headers } = refusal.facts;
	const details = withNextActions(refusal.facts.details, nextActionsOf(refusal.code, { baseUrl, path }));
	const retryAfterSeconds = refusal.facts.retryAfterSeconds ?? secondsUntilRetry(refusal, now);
	const body = { error: { message: refusal.message, code: wireCodeOf(refusal.code), ...(details === undefined ? {} : { details }) } };
	const response = Response.json(body, { status: errorEntryOf(refusal.code).status, headers: { ...headers } });
	if (retryAfterSeconds !== undefined) response.headers.set("Retry-After", String(Math.max(1, Math.ceil(retryAfterSeconds))));
	return response;
}

function secondsUntilRetry(refusal: AppError, now: number): number | undefined {
	return errorEntryOf(refusal.code).retry === "next_utc_month" ? (startOfNextUtcMonth(now) - now) / SECOND_MS : undefined;
}
