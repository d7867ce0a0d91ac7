import { readTransience } from "../db/transient.ts";
import { AppError, type ErrorCode, errorEntryOf, wireCodeOf } from "../domain/errors.ts";
import { SECOND_MS, startOfNextUtcMonth } from "../platform/clock.ts";
import { describeError, type Log } from "../platform/log.ts";

const OVERLOADED_RETRY_SECONDS = 2;

/** A request that helps after a refusal. */
export interface NextAction {
	readonly method: string;
	readonly href: string;
	readonly description: string;
}

interface ErrorSurroundings {
	readonly log: Log;
	readonly requestId: string;
	readonly now: number;
	readonly findNextActions: (code: ErrorCode, about?: string) => readonly NextAction[];
}

/** The response for anything thrown. What is not an {@link AppError} is our fault: the log gets all of it, the caller `INTERNAL_ERROR`. */
export function toErrorResponse(error: unknown, { log, requestId, now, findNextActions }: ErrorSurroundings): Response {
	if (!(error instanceof AppError)) log.error("request_failed", { request_id: requestId, ...describeError(error) });
	const refusal = error instanceof AppError ? error : faultOf(error);
	const { headers } = refusal.facts;
	const details = withNextActions(refusal.facts.details, findNextActions(refusal.code, refusal.facts.about));
	const retryAfterSeconds = refusal.facts.retryAfterSeconds ?? secondsUntilRetry(refusal, now);
	const body = { error: { message: refusal.message, code: wireCodeOf(refusal.code), ...(details === undefined ? {} : { details }) } };
	const response = Response.json(body, { status: errorEntryOf(refusal.code).status, headers: { ...headers } });
	if (retryAfterSeconds !== undefined) response.headers.set("Retry-After", String(Math.max(1, Math.ceil(retryAfterSeconds))));
	return response;
}

/** What stays transient after the retries of db/ is for the caller to repeat. */
function faultOf(error: unknown): AppError {
	if (readTransience(error) === null) return new AppError("INTERNAL_ERROR");
	return new AppError("OVERLOADED", { retryAfterSeconds: OVERLOADED_RETRY_SECONDS });
}

/** An error's details, which are its next actions where it has none of its own. */
export function withNextActions(details: unknown, actions: readonly NextAction[]): unknown {
	return details ?? (actions.length === 0 ? undefined : { next_actions: actions });
}

function secondsUntilRetry(refusal: AppError, now: number): number | undefined {
	return errorEntryOf(refusal.code).retry === "next_utc_month" ? (startOfNextUtcMonth(now) - now) / SECOND_MS : undefined;
}
