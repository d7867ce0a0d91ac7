// Errors of R2 and of Durable Objects that a later request does not meet.

/** R2 writes the method before its message and the code behind it: an internal error, no service, too many requests for one object. */
const TRANSIENT_R2_ERROR = /^\w+: .*\((?:10001|10043|10058)\)$/;

/**
 * Whether an error of R2 or of a Durable Object passes by itself. Nothing needs to repeat calls to objects: the runtime does where that
 * cannot run them twice.
 */
export function isTransientStorageFault(error: unknown): boolean {
	if (!(error instanceof Error)) return false;
	const isOfObject = ("retryable" in error && error.retryable === true) || ("overloaded" in error && error.overloaded === true);
	return isOfObject || TRANSIENT_R2_ERROR.test(error.message);
}
