// After a deployment and after a rollback, Workers and objects run two versions for some minutes, in both directions. What one lacks of the
// other is refused as if the platform were busy: every version knows that refusal, and the caller repeats the request.
import { AppError } from "../domain/errors.ts";

const RETRY_AFTER_SECONDS = 30;

/** An object fails with one of these if it lacks a verb or a method: the version before verbs had numbers, and the runtime. */
const LACKING = [/\bNo verb is called /, /The RPC receiver does not implement /];

/** Makes the refusal of what another version of the platform would do. Nothing has changed. */
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
