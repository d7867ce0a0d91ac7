// Errors of the API as the console shows them: message, code, request id and what to do next.
import * as z from "zod/mini";

const nextAction = z.object({ method: z.string(), href: z.string(), description: z.string() });
const fieldFault = z.object({ path: z.string(), message: z.string() });
const facts = z.object({ next_actions: z.optional(z.array(nextAction)) });
const errorBody = z.object({
	error: z.object({ message: z.string(), code: z.string(), details: z.optional(z.union([z.array(fieldFault), facts])) }),
});

export type NextAction = z.infer<typeof nextAction>;
export type FieldFault = z.infer<typeof fieldFault>;

interface ErrorFacts {
	readonly message: string;
	/** 0 if no response arrived. */
	readonly status: number;
	readonly code: string;
	readonly requestId: string | null;
	readonly retryAfterSeconds: number | null;
	readonly nextActions: readonly NextAction[];
	/** What is wrong in which field of the request. */
	readonly faults: readonly FieldFault[];
}

export class ApiError extends Error {
	override readonly name = "ApiError";
	readonly facts: ErrorFacts;

	constructor(facts: ErrorFacts) {
		super(facts.message);
		this.facts = facts;
	}

	/** The message for one field of the request, such as `criteria[1].name`; null without one. */
	faultOf(path: string): string | null {
		return this.facts.faults.find((fault) => fault.path === path)?.message ?? null;
	}
}

/** The error of a response that is not 2xx. `body` is its parsed body, of any shape. */
export function toApiError(response: Response, body: unknown): ApiError {
	const parsed = errorBody.safeParse(body);
	const { message, code, details } = parsed.data?.error ?? {
		message: `The platform returned ${response.status} without an explanation.`,
		code: "UNKNOWN",
		details: undefined,
	};
	return new ApiError({
		message,
		code,
		status: response.status,
		requestId: response.headers.get("X-Request-Id"),
		retryAfterSeconds: readRetryAfter(response.headers.get("Retry-After")),
		nextActions: details === undefined || Array.isArray(details) ? [] : (details.next_actions ?? []),
		faults: Array.isArray(details) ? details : [],
	});
}

/** The error for a request without a response. */
export function unreachable(): ApiError {
	return new ApiError({
		message: "The platform could not be reached. Check your connection, then try again.",
		code: "UNREACHABLE",
		status: 0,
		requestId: null,
		retryAfterSeconds: null,
		nextActions: [],
		faults: [],
	});
}

/** Seconds of a `Retry-After`. The platform always sends seconds, never a date. */
function readRetryAfter(header: string | null): number | null {
	return header !== null && /^\d{1,6}$/.test(header) ? Number(header) : null;
}
