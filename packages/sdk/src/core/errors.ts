import type { ErrorCode } from "../generated/errors.ts";
import type { components } from "../generated/schema.ts";
import { isRecord } from "./json.ts";

export type NextAction = components["schemas"]["NextAction"];
type CheckResult = components["schemas"]["CheckResult"];

/** Base class of everything that the SDK throws itself. A cancelled call throws the reason of its `AbortSignal` instead. */
export class BountyError extends Error {
	override readonly name: string = "BountyError";
}

/** A call cannot be made with these options or arguments. Nothing was sent. */
export class BountyUsageError extends BountyError {
	override readonly name: string = "BountyUsageError";
}

/** No complete response arrived: the host is unknown, the connection broke, or the body is not what a platform sends. */
export class BountyConnectionError extends BountyError {
	override readonly name: string = "BountyConnectionError";
}

/** No response within `timeoutMs`. The platform may have carried out the request. */
export class BountyTimeoutError extends BountyError {
	override readonly name: string = "BountyTimeoutError";
	/** The time limit was this many milliseconds. */
	readonly timeoutMs: number;

	constructor(message: string, timeoutMs: number) {
		super(message);
		this.timeoutMs = timeoutMs;
	}
}

/** The check before submitting found problems. No slot was used. */
export class BountyCheckError extends BountyError {
	override readonly name: string = "BountyCheckError";
	readonly check: CheckResult;

	constructor(check: CheckResult) {
		const [first, ...others] = check.problems.map(({ message }) => message);
		super(others.length === 0 ? (first ?? "The files would be rejected.") : `${first} (1 of ${others.length + 1} problems)`);
		this.check = check;
	}

	get problems(): CheckResult["problems"] {
		return this.check.problems;
	}
}

/** A slot is taken, but the artifact did not arrive. Submit again with `resume: error.submissionId`, which takes no other slot. */
export class BountyIncompleteError extends BountyError {
	override readonly name: string = "BountyIncompleteError";
	readonly submissionId: string;

	constructor(submissionId: string, cause: unknown) {
		const reason = cause instanceof Error ? cause.message : String(cause);
		super(`Submission ${submissionId} is registered but not complete. Submit again with resume: "${submissionId}". ${reason}`, { cause });
		this.submissionId = submissionId;
	}
}

/** A receipt is not valid. The message says why, in a sentence for people. */
export class VerificationError extends BountyError {
	override readonly name = "VerificationError";
}

/** The fault of one field, such as `criteria[1].name`. */
export interface FieldFault {
	readonly path: string;
	readonly message: string;
}

interface ApiErrorFields {
	readonly code: string;
	readonly status: number;
	readonly message: string;
	readonly details?: unknown;
	readonly requestId?: string | undefined;
	readonly retryAfterSeconds?: number | undefined;
	readonly method?: string;
	readonly url?: string;
}

/** The platform rejected the request. Decide by `code`. */
export class BountyApiError extends BountyError {
	override readonly name: string = "BountyApiError";
	/**
	 * The stable name of the error, such as `NOT_FOUND`. `HTTP_<status>` if a proxy responded instead of the platform.
	 * Editors suggest the codes of this version.
	 */
	readonly code: ErrorCode | (string & {});
	readonly status: number;
	/** Names the request in the platform's log. */
	readonly requestId: string | undefined;
	/** Requests that help next, as the platform suggests them. */
	readonly nextActions: readonly NextAction[];
	/** For a validation error: what is wrong in which field of the request. */
	readonly faults: readonly FieldFault[];
	/** Facts about the error, or a list of `{path, message}` for a validation error. */
	readonly details: unknown;
	/** The number of seconds after which the same request can succeed. */
	readonly retryAfterSeconds: number | undefined;
	readonly method: string | undefined;
	/** The URL has no query, because that may contain a signature. */
	readonly url: string | undefined;

	constructor({ code, status, message, details, requestId, retryAfterSeconds, method, url }: ApiErrorFields) {
		super(message);
		this.code = code;
		this.status = status;
		this.details = details;
		this.requestId = requestId;
		this.nextActions = nextActionsOf(details);
		this.faults = Array.isArray(details) ? details.filter(isFieldFault) : [];
		this.retryAfterSeconds = retryAfterSeconds;
		this.method = method;
		this.url = url;
	}
}

function nextActionsOf(details: unknown): readonly NextAction[] {
	const actions = isRecord(details) ? details["next_actions"] : [];
	return Array.isArray(actions) ? actions.filter(isNextAction) : [];
}

function isNextAction(value: unknown): value is NextAction {
	return isRecord(value) && ["method", "href", "description"].every((name) => typeof value[name] === "string");
}

function isFieldFault(value: unknown): value is FieldFault {
	return isRecord(value) && typeof value["path"] === "string" && typeof value["message"] === "string";
}

const MAX_PROXY_TEXT = 200;

/** Reads an error response. One without the platform's envelope comes from something in between, such as a proxy. */
export async function readApiError(response: Response, method: string): Promise<BountyApiError> {
	const text = await response.text().catch(() => "");
	const { status, headers, url } = response;
	const shared = {
		status,
		requestId: headers.get("X-Request-Id") ?? undefined,
		method,
		...(url === "" ? {} : { url: url.split("?", 1)[0] ?? url }),
	};
	const fields = parseEnvelope(text);
	const retryAfterSeconds = parseRetryAfter(headers.get("Retry-After")) ?? secondsOf(fields?.details);
	if (fields !== null) return new BountyApiError({ ...shared, ...fields, retryAfterSeconds });
	const excerpt = text.replace(/\s+/g, " ").trim().slice(0, MAX_PROXY_TEXT);
	const message = `Status ${status} without the platform's error format${excerpt === "" ? "." : `: ${excerpt}`}`;
	return new BountyApiError({ ...shared, code: `HTTP_${status}`, message, retryAfterSeconds });
}

/** Returns the error inside an envelope that was received as text, or null for anything else. */
export function parseEnvelope(text: string): Pick<ApiErrorFields, "code" | "message" | "details"> | null {
	let body: unknown;
	try {
		body = JSON.parse(text);
	} catch {
		return null;
	}
	const error = isRecord(body) ? body["error"] : null;
	if (!isRecord(error)) return null;
	const { code, message, details } = error;
	return typeof code === "string" && typeof message === "string" ? { code, message, details } : null;
}

function secondsOf(details: unknown): number | undefined {
	const seconds = isRecord(details) ? details["retry_after_seconds"] : undefined;
	return typeof seconds === "number" && seconds >= 0 ? seconds : undefined;
}

/** Returns the seconds of a `Retry-After` header, which is a number or a date. */
function parseRetryAfter(value: string | null): number | undefined {
	if (value === null || value.trim() === "") return undefined;
	const seconds = /^\d+$/.test(value.trim()) ? Number(value) : (Date.parse(value) - Date.now()) / 1000;
	return Number.isFinite(seconds) ? Math.max(0, seconds) : undefined;
}
