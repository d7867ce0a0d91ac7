import { isDatabaseFull, isTransient } from "../db/transient.ts";
import { AppError, errorEntryOf, wireCodeOf } from "../domain/errors.ts";
import { SECOND_MS, startOfNextUtcDay, startOfNextUtcMonth } from "../platform/clock.ts";
import { describeError, type Log } from "../platform/log.ts";
import type { PublicCtx } from "../ports/deps.ts";
import { fillIds } from "./paths.ts";

const OVERLOADED_RETRY_SECONDS = 2;
const FULL_RETRY_SECONDS = 600;

/** A request that helps the caller after an error. */
export interface NextAction {
	readonly method: string;
	readonly href: string;
	readonly description: string;
}

/** How the errors of some paths differ from those of the API. */
export interface ErrorForm {
	isFor(path: string): boolean;
	/** `ctx` is undefined if the deployment is misconfigured. */
	show(refusal: Response, asked: { readonly ctx: PublicCtx | undefined; readonly request: Request }): Promise<Response>;
}

/**
 * Returns the response for anything thrown. Any error except an {@link AppError} is logged in full, and the caller gets the error that
 * {@link toAppError} returns instead.
 */
export function toErrorResponse(
	error: unknown,
	{
		log,
		requestId,
		now,
		path,
		random,
		findNextActions,
	}: {
		readonly log: Log;
		readonly requestId: string;
		readonly now: number;
		readonly path: string;
		random(): number;
		readonly findNextActions: (refusal: AppError) => readonly NextAction[];
	},
): Response {
	if (!(error instanceof AppError)) log.error("request_failed", { request_id: requestId, ...describeError(error) });
	const refusal = error instanceof AppError ? error : toAppError(error);
	const { headers } = refusal.facts;
	const { status } = errorEntryOf(refusal.code);
	const spread = status >= 500 ? 1 + random() : 1;
	const retryAfterSeconds = wholeSeconds(refusal.facts.retryAfterSeconds ?? secondsUntilRetry(refusal, now), spread);
	const actions = findNextActions(refusal);
	const details = errorDetailsOf(refusal, actions, retryAfterSeconds);
	const message = fillIds(wordError(refusal, actions), refusal.facts.about ?? path);
	const body = { error: { message, code: wireCodeOf(refusal.code), ...(details === undefined ? {} : { details }) } };
	const response = Response.json(body, { status, headers: { ...headers } });
	if (retryAfterSeconds === undefined) return response;
	response.headers.set("Retry-After", String(retryAfterSeconds));
	if (status === TOO_MANY && !response.headers.has("RateLimit")) response.headers.set("RateLimit", usedUp(refusal, retryAfterSeconds));
	return response;
}

const TOO_MANY = 429;

/**
 * @param spread A factor. After a server error, it makes callers wait up to twice as long, so that they do not all return at the same time.
 */
function wholeSeconds(seconds: number | undefined, spread: number): number | undefined {
	return seconds === undefined ? undefined : Math.max(1, Math.ceil(seconds * spread));
}

/** Formats `RateLimit` for limits other than those of request classes, such as the pause between re-evaluations. */
function usedUp({ code }: AppError, seconds: number): string {
	return `"${wireCodeOf(code).toLowerCase().replaceAll("_", "-")}";r=0;t=${seconds}`;
}

/**
 * Returns the error's message. If a body is too large, the message also names the endpoint for larger ones, because some callers only read
 * the message.
 */
export function wordError({ code, message }: AppError, actions: readonly NextAction[]): string {
	return code === "FILE_TOO_LARGE" ? [message, ...actions.map(({ description }) => description)].join(" ") : message;
}

/** Adds the next actions to an error's details. For a 429, adds the wait, for clients that do not read headers. */
export function errorDetailsOf(refusal: AppError, actions: readonly NextAction[], retryAfterSeconds: number | undefined): unknown {
	const details = withNextActions(refusal.facts.details, actions);
	if (errorEntryOf(refusal.code).status !== TOO_MANY || retryAfterSeconds === undefined) return details;
	return { ...(typeof details === "object" ? details : {}), retry_after_seconds: retryAfterSeconds };
}

/**
 * Converts an unexpected error to one for the caller. If the database is full, or still unavailable after the retries in db/, this one says
 * when to repeat the request.
 */
export function toAppError(error: unknown): AppError {
	if (isDatabaseFull(error)) return new AppError("DATABASE_FULL", { retryAfterSeconds: FULL_RETRY_SECONDS });
	if (!isTransient(error)) return new AppError("INTERNAL_ERROR");
	return new AppError("OVERLOADED", { retryAfterSeconds: OVERLOADED_RETRY_SECONDS });
}

/** A list of faults gets no next actions, because the caller must correct the faults first. */
function withNextActions(details: unknown, actions: readonly NextAction[]): unknown {
	if (actions.length === 0 || Array.isArray(details)) return details;
	return { ...(typeof details === "object" ? details : {}), next_actions: actions };
}

function secondsUntilRetry(refusal: AppError, now: number): number | undefined {
	const retry = refusal.facts.retry ?? errorEntryOf(refusal.code).retry;
	if (retry === undefined) return undefined;
	return ((retry === "next_utc_day" ? startOfNextUtcDay(now) : startOfNextUtcMonth(now)) - now) / SECOND_MS;
}
