import { AppError } from "./errors.ts";

/** For how long an `Idempotency-Key` is remembered. */
export const REPLY_WINDOW_MS = 24 * 60 * 60 * 1000;
/** For how long a response that shows a secret is repeated. */
export const SECRET_REPLY_WINDOW_MS = 10 * 60 * 1000;

/** A request with an `Idempotency-Key`. If it is sent again, the caller gets the first response. */
export interface RepeatableCall {
	/** The id of the agent or operator token that sent the request. */
	readonly caller: string;
	readonly path: string;
	readonly key: string;
	/** A hash of the request's body. */
	readonly requestHash: string;
	/** If true, the response is repeated only for {@link SECRET_REPLY_WINDOW_MS}. */
	readonly showsSecret: boolean;
}

/** @throws AppError `CONFLICT` if the earlier request with this `Idempotency-Key` had another body. */
export function assertSameRequest({ requestHash }: RepeatableCall, earlierHash: string): void {
	if (requestHash === earlierHash) return;
	throw new AppError("CONFLICT", {
		message: "This Idempotency-Key was used with a different body within 24 hours. Send a new key with a new request.",
	});
}

/** Returns the error for a repeated request whose first response showed a secret that is no longer kept. */
export function secretForgotten(): AppError {
	return new AppError("CONFLICT", {
		message:
			"The first request with this Idempotency-Key succeeded. Its response contained a secret, so the response is repeated only for 10 minutes. If you have lost the secret, create another one with a new Idempotency-Key.",
	});
}
