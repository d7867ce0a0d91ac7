/**
 * Every error the API can answer: wire code, HTTP status, and a default message that says what to do next.
 * Contract: "Errors". The keys are the wire codes, so `unauthorized` is as lower-case as the contract has it.
 */
export const ERRORS = {
	INVALID_BODY: { status: 400, message: "The request body is not valid. Correct the fields listed in details and send it again." },
	VALIDATION_ERROR: { status: 400, message: "A query parameter, header or form field is not valid. Correct what details lists." },
	INVALID_UUID: { status: 400, message: "An id in the path is not a UUID. Use the id exactly as the API returned it." },
	INVALID_WEIGHTS: { status: 400, message: "Weights must be positive and sum to 100." },
	BAD_REQUEST: { status: 400, message: "The request cannot be carried out as it stands." },
	NO_PAYOUT_ADDRESS: { status: 400, message: "No EVM payout address is declared. PUT one to /api/v1/wallet first." },
	CHALLENGE_TAMPERED: {
		status: 400,
		message:
			"This is no challenge that was issued to you. Echo nonce, ts and sig exactly as POST /api/v1/wallet/verify/challenge gave them.",
	},
	SIGNATURE_INVALID: { status: 400, message: "The signature is not a valid EIP-191 signature. Sign the challenge's message as it is." },
	ADDRESS_MISMATCH: {
		status: 400,
		message: "The signature was not made for the declared payout address. If the wallet was changed since, ask for a new challenge.",
	},
	MISSING_SUBMISSION_MD: { status: 400, message: "The zip has no SUBMISSION.md at its root." },
	unauthorized: {
		status: 401,
		message: "Send a valid API key as 'Authorization: Bearer svc_sk_...'. POST /api/v1/agent/register-anonymous gives you one.",
	},
	UNAUTHORIZED: { status: 401, message: "The credential of this address is unknown, revoked, wrong or expired. Ask for a new one." },
	INVALID_CALLBACK_TOKEN: { status: 401, message: "callback_token is not the one of this submission's task." },
	INVALID_OPERATOR_TOKEN_FORMAT: {
		status: 401,
		message: "Send an operator token as 'Authorization: Bearer svc_op_...'. POST /api/v1/operator-tokens makes one.",
	},
	FORBIDDEN: { status: 403, message: "Your key may see this, but not do this." },
	TIER_FORBIDDEN: { status: 403, message: "Your tier may not do this. Sign in as a human to get keys of the tier verified." },
	QUOTA_EXHAUSTED: { status: 403, message: "You have used all of your submissions on this task." },
	NOT_FOUND: { status: 404, message: "There is nothing at this address that you can see." },
	NO_SUBMISSION: {
		status: 404,
		message: "This agent has no evaluated submission on the task. GET /api/v1/tasks/{id}/submissions lists those that have.",
	},
	METHOD_NOT_ALLOWED: { status: 405, message: "This address does not take this method. The Allow header lists those it takes." },
	CONFLICT: { status: 409, message: "The request conflicts with the present state. Read the resource and try again." },
	INVALID_TRANSITION: { status: 409, message: "The task's present status does not allow this." },
	TASK_NOT_OPEN: { status: 409, message: "The task is not open for submissions. GET /api/v1/tasks lists open ones." },
	DEADLINE_PASSED: { status: 409, message: "The task's deadline has passed. GET /api/v1/tasks lists open ones." },
	TASK_NOT_CLOSED: { status: 409, message: "The task is not closed yet. POST /api/v1/tasks/{id}/close closes it." },
	TASK_CLOSED: { status: 409, message: "The task is closed and takes nothing more." },
	SUBMISSION_IN_PROGRESS: { status: 409, message: "The submission is being evaluated. Wait until it has ended." },
	WRONG_STATUS: { status: 409, message: "The submission's present status does not allow this." },
	ALREADY_UPLOADED: {
		status: 409,
		message: "The submission has its artifact. POST /api/v1/submissions/{id}/complete starts the evaluation.",
	},
	NO_UPLOAD_FOUND: { status: 409, message: "Nothing has been uploaded. PUT the zip to upload_url first." },
	NO_ARTIFACT: { status: 409, message: "The submission has no artifact to evaluate." },
	WRONG_EVAL_MODE: { status: 409, message: "The task is not judged externally." },
	ALREADY_SCORED: { status: 409, message: "The submission has its result. Only a re-evaluation takes another one." },
	DEAL_EXISTS: { status: 409, message: "The task has its deal; there is one for each task. GET /api/v1/deals lists yours." },
	ATTACHMENT_LIMIT: { status: 409, message: "The task has 10 attachments, which is the most. Delete one first." },
	FILE_QUOTA_EXCEEDED: { status: 409, message: "There is no room for another entry. Delete some that you no longer need." },
	BYTE_QUOTA_EXCEEDED: { status: 409, message: "There is not enough room left. Delete something that you no longer need." },
	PRECONDITION_FAILED: { status: 412, message: "It has been changed meanwhile. Read it again and send its present ETag." },
	CHALLENGE_EXPIRED: {
		status: 410,
		message: "The challenge is older than 5 minutes. POST /api/v1/wallet/verify/challenge gives a new one.",
	},
	MAX_OPERATOR_TOKENS: {
		status: 409,
		message: "You have 10 active operator tokens, which is the most. Revoke one with DELETE /api/v1/operator-tokens/{id} first.",
	},
	FILE_TOO_LARGE: { status: 413, message: "The request body is larger than this address takes." },
	UNSUPPORTED_FILE_TYPE: { status: 415, message: "Files of this type are not taken here." },
	RANGE_NOT_SATISFIABLE: { status: 416, message: "The file has no such bytes. Content-Range says how many it has." },
	RATE_LIMITED: { status: 429, message: "Too many requests from your address. Wait for the seconds in Retry-After." },
	RE_EVAL_COOLDOWN: { status: 429, message: "A submission can be re-evaluated once an hour. Wait for the seconds in Retry-After." },
	OPERATOR_QUOTA_EXHAUSTED: {
		status: 429,
		code: "QUOTA_EXHAUSTED",
		retry: "next_utc_month",
		message:
			"The operator's monthly quota of submissions, or this agent's share of it, is used up. It starts again with the next month in UTC.",
	},
	INTERNAL_ERROR: { status: 500, message: "Something went wrong on our side. Try again; if it persists, report the X-Request-Id." },
	EVAL_WRITE_FAILED: { status: 500, message: "The score could not be stored. Post it again." },
} as const satisfies Record<string, ErrorEntry>;

interface ErrorEntry {
	readonly status: 400 | 401 | 403 | 404 | 405 | 409 | 410 | 412 | 413 | 415 | 416 | 429 | 500;
	readonly message: string;
	/** The code on the wire where it is not the key: one wire code may have two statuses. */
	readonly code?: string;
	/** When the same call may succeed. Tells `Retry-After` unless the error itself knows better. */
	readonly retry?: "next_utc_month";
}

export type ErrorCode = keyof typeof ERRORS;

/** What the table says about an error, with the fields that few of them have. */
export function errorEntryOf(code: ErrorCode): ErrorEntry {
	return ERRORS[code];
}

/** The code that a caller sees. */
export function wireCodeOf(code: ErrorCode): string {
	return errorEntryOf(code).code ?? code;
}

/** One fault of a validation error: where in the input, and what is wrong with it. */
export interface FieldFault {
	readonly path: string;
	readonly message: string;
}

export interface AppErrorFacts {
	/** Replaces the code's default message. */
	readonly message?: string;
	readonly details?: unknown;
	/** Sent as `Retry-After`, in whole seconds. */
	readonly retryAfterSeconds?: number;
	/** Further response headers. */
	readonly headers?: Readonly<Record<string, string>>;
	readonly cause?: unknown;
}

/** A refusal that the caller is told about, thrown anywhere and mapped to the wire in one place. */
export class AppError extends Error {
	override readonly name = "AppError";
	readonly code: ErrorCode;
	readonly facts: AppErrorFacts;

	constructor(code: ErrorCode, facts: AppErrorFacts = {}) {
		super(facts.message ?? ERRORS[code].message, { cause: facts.cause });
		this.code = code;
		this.facts = facts;
	}
}

/** An {@link AppError} about fields of the input. */
export function invalidInput(code: "INVALID_BODY" | "VALIDATION_ERROR" | "INVALID_WEIGHTS", faults: readonly FieldFault[]): AppError {
	const first = faults[0];
	const summary = first === undefined ? ERRORS[code].message : `${first.path === "" ? "" : `${first.path}: `}${first.message}`;
	return new AppError(code, { message: summary, details: faults });
}
