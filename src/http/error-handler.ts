import { isTransient } from "../db/transient.ts";
import { AppError, errorEntryOf, wireCodeOf } from "../domain/errors.ts";
import { SECOND_MS, startOfNextUtcDay, startOfNextUtcMonth } from "../platform/clock.ts";
import { describeError, type Log } from "../platform/log.ts";
import { fillIds } from "./paths.ts";

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
	/** The path of the request. */
	readonly path: string;
	readonly findNextActions: (refusal: AppError) => readonly NextAction[];
}

/** The response for anything thrown. What is not an {@link AppError} is our fault: the log gets all of it, the caller `INTERNAL_ERROR`. */
export function toErrorResponse(error: unknown, { log, requestId, now, path, findNextActions }: ErrorSurroundings): Response {
	if (!(error instanceof AppError)) log.error("request_failed", { request_id: requestId, ...describeError(error) });
	const refusal = error instanceof AppError ? error : faultOf(error);
	const { headers } = refusal.facts;
	const retryAfterSeconds = wholeSeconds(refusal.facts.retryAfterSeconds ?? secondsUntilRetry(refusal, now));
	const actions = findNextActions(refusal);
	const details = describeDetails(refusal, actions, retryAfterSeconds);
	const message = fillIds(describeRefusal(refusal, actions), refusal.facts.about ?? path);
	const body = { error: { message, code: wireCodeOf(refusal.code), ...(details === undefined ? {} : { details }) } };
	const { status } = errorEntryOf(refusal.code);
	const response = Response.json(body, { status, headers: { ...headers } });
	if (retryAfterSeconds === undefined) return response;
	response.headers.set("Retry-After", String(retryAfterSeconds));
	if (status === TOO_MANY && !response.headers.has("RateLimit")) response.headers.set("RateLimit", usedUp(refusal, retryAfterSeconds));
	return response;
}

const TOO_MANY = 429;

function wholeSeconds(seconds: number | undefined): number | undefined {
	return seconds === undefined ? undefined : Math.max(1, Math.ceil(seconds));
}

/** For limits other than those of request classes, such as the pause between re-evaluations. */
function usedUp({ code }: AppError, seconds: number): string {
	return `"${wireCodeOf(code).toLowerCase().replaceAll("_", "-")}";r=0;t=${seconds}`;
}

/** An error's message. What is too large for one endpoint may have another one, which the message names for those who read only that. */
export function describeRefusal({ code, message }: AppError, actions: readonly NextAction[]): string {
	return code === "FILE_TOO_LARGE" ? [message, ...actions.map(({ description }) => description)].join(" ") : message;
}

/** An error's details with its next actions, and the wait of a 429 for clients that read no headers. */
export function describeDetails(refusal: AppError, actions: readonly NextAction[], retryAfterSeconds: number | undefined): unknown {
	const details = withNextActions(refusal.facts.details, actions);
	if (errorEntryOf(refusal.code).status !== TOO_MANY || retryAfterSeconds === undefined) return details;
	return { ...(typeof details === "object" ? details : {}), retry_after_seconds: retryAfterSeconds };
}

/** What stays transient after the retries of db/ is for the caller to repeat. */
function faultOf(error: unknown): AppError {
	if (!isTransient(error)) return new AppError("INTERNAL_ERROR");
	return new AppError("OVERLOADED", { retryAfterSeconds: OVERLOADED_RETRY_SECONDS });
}

/** A list of faults stays as it is: what helps is to correct them. */
function withNextActions(details: unknown, actions: readonly NextAction[]): unknown {
	if (actions.length === 0 || Array.isArray(details)) return details;
	return { ...(typeof details === "object" ? details : {}), next_actions: actions };
}

function secondsUntilRetry(refusal: AppError, now: number): number | undefined {
	const retry = refusal.facts.retry ?? errorEntryOf(refusal.code).retry;
	if (retry === undefined) return undefined;
	return ((retry === "next_utc_day" ? startOfNextUtcDay(now) : startOfNextUtcMonth(now)) - now) / SECOND_MS;
}
