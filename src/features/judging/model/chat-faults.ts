// Turns a failed call to a model into a fault of the evaluation.
import { EvaluationFault } from "../../../domain/evaluation-fault.ts";
import { parseRetryAfter } from "../../../domain/retries.ts";

/** The call does not fit into the model's context; a shorter one may. */
export class ContextOverflowError extends Error {
	override readonly name = "ContextOverflowError";
}

/** An endpoint has responded with this, and its body was read. */
export interface HttpReply {
	readonly status: number;
	readonly headers: Headers;
	readonly text: string;
}

const OVERFLOW = /context.?(length|window|size)|maximum context|too (long|large|many tokens)|token limit|reduce the length/i;
const CONTENT_FILTER =
	/content.?filter|content.?management.?policy|content.?policy|usage.?polic(?:y|ies)|prohibited.?content|responsible.?ai|safety (?:system|filter|settings|reasons)|blocked (?:by|due to|for) (?:our |the )?(?:content|safety)/i;
/** The platform searches and logs only the beginning of the endpoint's own words. */
const MAX_DETAIL_LENGTH = 2_000;

/** Makes the fault of a connection that failed or of an incomplete reply. Another attempt may succeed. */
export function brokenOff(cause: unknown): EvaluationFault {
	return new EvaluationFault("The connection to the judge failed or broke off.", { blame: "platform", isRetryable: true, cause });
}

/** Returns true if a provider refused a request because of what it contains. */
export function isContentFilter({ status, text }: HttpReply): boolean {
	return status === 400 && CONTENT_FILTER.test(text.slice(0, MAX_DETAIL_LENGTH));
}

/**
 * Explains a status other than 2xx. A rejected request would be rejected again, so only other faults are retryable.
 * Messages contain no URL and no credential, because agents read them.
 */
export function toFault(
	{ status, headers, text }: HttpReply,
	{ model, now }: { readonly model: string; readonly now: number },
): EvaluationFault | ContextOverflowError {
	const detail = text.slice(0, MAX_DETAIL_LENGTH);
	const cause = new Error(`Status ${status}: ${detail}`);
	if (status === 413 || (status === 400 && OVERFLOW.test(detail))) return new ContextOverflowError(detail, { cause });
	if (status === 429 || status >= 500 || status === 408 || status === 409) {
		const retryAfterMs = parseRetryAfter(headers.get("Retry-After"), now);
		const reason = status === 429 ? "is at its rate limit" : `failed with status ${status}`;
		// A rate limit says nothing about the evaluation, only when to try again.
		const facts = { blame: "platform", isRetryable: true, costsAttempt: status !== 429, cause } as const;
		return new EvaluationFault(
			`The judge ${reason}.`,
			retryAfterMs === null ? facts : { ...facts, retryAfterSeconds: retryAfterMs / 1000 },
		);
	}
	const reason =
		status === 401 || status === 403
			? "refused this deployment's credentials"
			: `refused the request for model ${model} with status ${status}`;
	return new EvaluationFault(`The judge ${reason}. The deployment's operator must correct its configuration.`, {
		blame: "platform",
		isRetryable: false,
		cause,
	});
}
