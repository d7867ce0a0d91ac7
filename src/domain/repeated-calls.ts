import { AppError } from "./errors.ts";

/** An `Idempotency-Key` is remembered for this long. */
export const REPLY_WINDOW_MS = 24 * 60 * 60 * 1000;
/** A response that shows a secret is repeated for this long only. */
export const SECRET_REPLY_WINDOW_MS = 10 * 60 * 1000;

/** A request can have an `Idempotency-Key`. Its caller can send it again and gets the first response. */
export interface RepeatableCall {
	/** The agent or the operator token of this id sends the request. */
	readonly caller: string;
	readonly path: string;
	readonly key: string;
	/** Two requests with the same hash ask for the same thing. */
	readonly requestHash: string;
	/** If true, the response is repeated only for {@link SECRET_REPLY_WINDOW_MS}. */
	readonly showsSecret: boolean;
}

/** @throws AppError `CONFLICT` if the earlier request with this key had another body. */
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
			"The first request with this Idempotency-Key succeeded. Its response shows a secret, so it can be repeated only for 10 minutes. List what you have, and create another one with a new key if you have lost the secret.",
	});
}
