import { AppError, ERRORS } from "../errors.ts";
import { describeError, type Log } from "../platform/log.ts";

/** The answer to anything thrown. What is not an {@link AppError} is our fault: logged whole, told as `INTERNAL_ERROR`. */
export function toErrorResponse(error: unknown, { log, requestId }: { log: Log; requestId: string }): Response {
	if (!(error instanceof AppError)) log.error("request_failed", { request_id: requestId, ...describeError(error) });
	const refusal = error instanceof AppError ? error : new AppError("INTERNAL_ERROR");
	const { details, headers, retryAfterSeconds } = refusal.facts;
	const body = { error: { message: refusal.message, code: refusal.code, ...(details === undefined ? {} : { details }) } };
	const response = Response.json(body, { status: ERRORS[refusal.code].status, headers: { ...headers } });
	if (retryAfterSeconds !== undefined) response.headers.set("Retry-After", String(Math.max(1, Math.ceil(retryAfterSeconds))));
	return response;
}
