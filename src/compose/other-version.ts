// For some minutes after a deployment or rollback, Workers and Durable Objects of two versions call each other. If one lacks what the other
// calls, the caller gets `SERVICE_BUSY`. Every version knows this error, and clients repeat the request.
import { AppError } from "../domain/errors.ts";

const RETRY_AFTER_SECONDS = 30;

/** The errors of an object that lacks a verb or a method. They come from the version before verbs had numbers, and from the runtime. */
const LACKING = [/\bNo verb is called /, /The RPC receiver does not implement /];

/** Returns the error for a call that only another version of the platform can handle. Nothing has changed. */
export function otherVersion(cause?: unknown): AppError {
	return new AppError("SERVICE_BUSY", {
		message: "The platform is being updated. Nothing has changed. Send the request again after the number of seconds in Retry-After.",
		retryAfterSeconds: RETRY_AFTER_SECONDS,
		...(cause === undefined ? {} : { cause }),
	});
}

/** Calls an object, which may run another version. @throws AppError `SERVICE_BUSY` if it lacks what is called. */
export async function refuseWhatIsLacking<Result>(call: () => Promise<Result>): Promise<Result> {
	try {
		return await call();
	} catch (error) {
		const isLacking = error instanceof Error && LACKING.some((pattern) => pattern.test(error.message));
		throw isLacking ? otherVersion(error) : error;
	}
}
