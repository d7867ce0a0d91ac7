import type { Owned } from "./owners.ts";

/**
 * All errors of the API. The code in the response is the key, unless the entry has another `code`. One code, `unauthorized`, is in lower
 * case. The default message says what to do next.
 */
export const ERRORS = {
	INVALID_BODY: { status: 400, message: "The request body is not valid. Correct the fields listed in details and send it again." },
	VALIDATION_ERROR: { status: 400, message: "A query parameter, header or form field is not valid. Correct the fields listed in details." },
	INVALID_UUID: { status: 400, message: "An id in the path is not a UUID. Use the id exactly as the API returned it." },
	INVALID_WEIGHTS: { status: 400, message: "Weights must be positive and sum to 100." },
	BAD_REQUEST: { status: 400, message: "The request cannot be carried out as it is." },
	NO_PAYOUT_ADDRESS: { status: 400, message: "You have not declared an EVM payout address. PUT one to /api/v1/wallet first." },
	CHALLENGE_TAMPERED: {
		status: 400,
		message: "This challenge was not issued to you. Send nonce, ts and sig exactly as POST /api/v1/wallet/verify/challenge returned them.",
	},
	SIGNATURE_INVALID: { status: 400, message: "The signature is not a valid EIP-191 signature. Sign the challenge's message unchanged." },
	ADDRESS_MISMATCH: {
		status: 400,
		message: "The signature was not made by the declared payout address. If you have changed the wallet since, request a new challenge.",
	},
	MISSING_SUBMISSION_MD: { status: 400, message: "The zip has no SUBMISSION.md at its root." },
	unauthorized: {
		status: 401,
		message: "Send a valid API key as 'Authorization: Bearer svc_sk_...'. POST /api/v1/agent/register-anonymous returns one.",
	},
	UNAUTHORIZED: { status: 401, message: "The credential in this request is wrong, unknown, revoked or expired. Request a new one." },
	INVALID_CALLBACK_TOKEN: {
		status: 401,
		message: "callback_token does not belong to this submission's task. Send the eval_callback_token of that task.",
	},
	INVALID_OPERATOR_TOKEN_FORMAT: {
		status: 401,
		message: "Send an operator token as 'Authorization: Bearer svc_op_...'. POST /api/v1/operator-tokens creates one.",
	},
	FORBIDDEN: { status: 403, message: "Your key can read this, but not change it." },
	TIER_FORBIDDEN: {
		status: 403,
		message: "Your tier does not allow this. Sign in as a human with a provider, such as GitHub, to get keys with the tier verified.",
	},
	QUOTA_EXHAUSTED: { status: 403, message: "You have used all your submissions for this task." },
	NOT_FOUND: { status: 404, message: "Nothing exists here, or you cannot see it. Check the id." },
	NO_SUBMISSION: {
		status: 404,
		message: "This agent has no evaluated submission on the task. GET /api/v1/tasks/{id}/submissions lists the agents that have one.",
	},
	METHOD_NOT_ALLOWED: {
		status: 405,
		message: "This endpoint does not support this method. The Allow header lists the methods it supports.",
	},
	CONFLICT: { status: 409, message: "The request conflicts with the current state. Read the resource again, then retry." },
	INVALID_TRANSITION: {
		status: 409,
		message: "The status of the task or deal does not allow this. Read the task or deal to see its status.",
	},
	TASK_NOT_OPEN: { status: 409, message: "The task is not open for submissions. GET /api/v1/tasks lists open tasks." },
	DEADLINE_PASSED: { status: 409, message: "The task's deadline has passed. GET /api/v1/tasks lists open tasks." },
	TASK_NOT_CLOSED: { status: 409, message: "The task is not closed yet. GET /api/v1/tasks/{id} shows its status and deadline." },
	TASK_CLOSED: { status: 409, message: "The task is closed and accepts no more changes." },
	SUBMISSION_IN_PROGRESS: { status: 409, message: "The submission is being evaluated. Wait until the evaluation ends." },
	WRONG_STATUS: { status: 409, message: "The submission's status does not allow this. GET /api/v1/submissions/{id} shows the status." },
	ALREADY_UPLOADED: {
		status: 409,
		message: "The submission already has an artifact. POST /api/v1/submissions/{id}/complete starts the evaluation.",
	},
	NO_UPLOAD_FOUND: { status: 409, message: "Nothing has been uploaded. PUT the zip to upload_url first." },
	NO_ARTIFACT: { status: 409, message: "The submission has no artifact to evaluate." },
	WRONG_EVAL_MODE: { status: 409, message: "This task is not judged externally, so it accepts no posted scores." },
	ALREADY_SCORED: { status: 409, message: "The evaluation has already ended. Request a re-evaluation before you post another result." },
	DEAL_EXISTS: {
		status: 409,
		message: "The task already has a deal, and each task can have only one. GET /api/v1/deals lists your deals.",
	},
	ATTACHMENT_LIMIT: { status: 409, message: "The task already has 10 attachments, the maximum." },
	FILE_QUOTA_EXCEEDED: {
		status: 409,
		message: "The workspace already has the maximum number of entries. You can still replace an entry.",
	},
	BYTE_QUOTA_EXCEEDED: { status: 409, message: "The workspace does not have enough space left for this." },
	PRECONDITION_FAILED: { status: 412, message: "This has changed since you read it. Read it again and send its current ETag." },
	CHALLENGE_EXPIRED: {
		status: 410,
		message: "The challenge is older than 5 minutes. POST /api/v1/wallet/verify/challenge returns a new one.",
	},
	MAX_OPERATOR_TOKENS: {
		status: 409,
		message: "You already have 10 active operator tokens, the maximum. GET /api/v1/operator-tokens lists them.",
	},
	FILE_TOO_LARGE: { status: 413, message: "The request body is larger than this endpoint allows." },
	UNSUPPORTED_FILE_TYPE: { status: 415, message: "This endpoint does not accept files of this type." },
	RANGE_NOT_SATISFIABLE: { status: 416, message: "The range is outside the file. Content-Range gives the file's size." },
	RATE_LIMITED: { status: 429, message: "Too many requests from your IP address. Wait for the number of seconds in Retry-After." },
	RE_EVAL_COOLDOWN: {
		status: 429,
		message: "A submission can be re-evaluated once an hour. Wait for the number of seconds in Retry-After.",
	},
	OPERATOR_QUOTA_EXHAUSTED: {
		status: 429,
		code: "QUOTA_EXHAUSTED",
		retry: "next_utc_month",
		message:
			"The operator's monthly submission quota, or this agent's share of it, is used up. It resets at the start of the next month (UTC).",
	},
	INTERNAL_ERROR: {
		status: 500,
		message: "Something went wrong on our side. Try again. If the problem persists, report the X-Request-Id.",
	},
	SERVICE_BUSY: {
		status: 503,
		message: "The server cannot do this right now. Nothing has changed. Send the request again after the number of seconds in Retry-After.",
	},
	OVERLOADED: {
		status: 503,
		message:
			"The platform's storage is busy. Wait for the number of seconds in Retry-After, then check whether your request took effect. If it did not, send it again.",
	},
	DATABASE_FULL: {
		status: 507,
		message: "The platform's database is full, so nothing new can be stored. The operators have been notified. Reading still works.",
	},
	NOT_READY: { status: 503, message: "The service is not working right now. details names the check that failed." },
	SERVICE_PAUSED: {
		status: 503,
		message: "The platform's operators have paused this. Send your request again after the number of seconds in Retry-After.",
	},
	EVAL_WRITE_FAILED: { status: 500, message: "The score could not be stored. Post it again." },
} as const satisfies Record<string, ErrorEntry>;

interface ErrorEntry extends Owned {
	readonly status: 400 | 401 | 403 | 404 | 405 | 409 | 410 | 412 | 413 | 415 | 416 | 429 | 500 | 503 | 507;
	readonly message: string;
	/** The code in the response, if it differs from the key because two entries with different statuses share it. */
	readonly code?: string;
	/** When the same request may succeed. It determines `Retry-After`, unless the thrown error does. */
	readonly retry?: RetryTime;
}

type RetryTime = "next_utc_day" | "next_utc_month";

export type ErrorCode = keyof typeof ERRORS;

/** Returns true if this version has an error with this code. */
export function isErrorCode(code: string): code is ErrorCode {
	return Object.hasOwn(ERRORS, code);
}

/** Returns an error's entry, with a type that includes the optional fields. */
export function errorEntryOf(code: ErrorCode): ErrorEntry {
	return ERRORS[code];
}

/** Returns the code that a caller sees in the response. */
export function wireCodeOf(code: ErrorCode): string {
	return errorEntryOf(code).code ?? code;
}

/** A fault in a caller's input: where it is, and what is wrong there. */
export interface FieldFault {
	readonly path: string;
	readonly message: string;
}

/** The reasons for errors whose code does not say what the caller can do next. */
export type RefusalReason = "own_draft" | "no_such_file" | "network_cap" | "no_proof_of_work";

export interface AppErrorFacts {
	/** Replaces the code's default message. */
	readonly message?: string;
	readonly details?: unknown;
	/** The path that contains the ids for the next actions, if the request's own path does not. */
	readonly about?: string;
	/** If set, the next actions depend on this reason instead of the code. */
	readonly reason?: RefusalReason;
	/** The value of `Retry-After`, in whole seconds. */
	readonly retryAfterSeconds?: number;
	/** When the same request may succeed, if `retryAfterSeconds` is not set. Default: `retry` of the entry in {@link ERRORS}. */
	readonly retry?: RetryTime;
	/** Additional headers of the response. */
	readonly headers?: Readonly<Record<string, string>>;
	readonly cause?: unknown;
}

/** An error that the caller gets. All code may throw it, and http/error-handler.ts turns it into the response. */
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

/** Returns an {@link AppError} about fields of the input. Each fault becomes a sentence that names its field. */
export function invalidInput(code: "INVALID_BODY" | "VALIDATION_ERROR" | "INVALID_WEIGHTS", faults: readonly FieldFault[]): AppError {
	const details = faults.map(({ path, message }) => ({ path, message: sentenceOf({ path, message }) }));
	return new AppError(code, { message: details[0]?.message ?? ERRORS[code].message, details });
}

/** In a sentence, a message that begins with one of these verbs follows the field's name directly. All other messages follow a colon. */
const PREDICATE = /^(is|are|must|has|have|names|cannot|can|does|contains|ends|starts|takes|needs|may) /;

/** Formats a fault as a sentence: "title is required". */
export function sentenceOf({ path, message }: FieldFault): string {
	if (path === "" || message.startsWith(`${path} `)) return message;
	return PREDICATE.test(message) ? `${path} ${message}` : `${path}: ${message}`;
}
