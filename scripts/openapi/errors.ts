// Describes the errors of an operation: one response for each status, with its codes and an example of each.
import { isDeepStrictEqual } from "node:util";
import * as z from "zod";
import { nextActionsOf } from "../../src/compose/next-actions.ts";
import {
	AppError,
	type AppErrorFacts,
	ERRORS,
	type ErrorCode,
	errorEntryOf,
	invalidInput,
	isErrorCode,
	wireCodeOf,
} from "../../src/domain/errors.ts";
import { EXAMPLE_ORIGIN } from "../../src/domain/example-story.ts";
import { DEFAULT_BODY_LIMIT_BYTES } from "../../src/http/body.ts";
import { type EndpointContract, errorCodesOf } from "../../src/http/endpoint.ts";
import { errorDetailsOf, wordError } from "../../src/http/error-handler.ts";
import { uuid } from "../../src/http/fields.ts";
import { noFile } from "../../src/http/multipart.ts";
import { RATE_WINDOW_SECONDS } from "../../src/http/rate-limit.ts";
import { bodyTooLarge } from "../../src/http/raw-body.ts";
import { describeIssue, faultsOf } from "../../src/http/validation.ts";
import type { Json } from "./json.ts";
import type { SchemaCollection } from "./schemas.ts";

const HEADERS_BY_STATUS: Readonly<Record<number, readonly string[]>> = {
	401: ["WWW-Authenticate"],
	416: ["Content-Range"],
	429: ["Retry-After", "RateLimit", "RateLimit-Policy"],
	503: ["Retry-After"],
	507: ["Retry-After"],
};

/** Shared responses by name, each with its codes. The errors with these codes are the same for every operation. */
const SHARED_RESPONSES: Readonly<Record<string, readonly ErrorCode[]>> = {
	InvalidApiKey: ["unauthorized"],
	InvalidId: ["INVALID_UUID"],
	Forbidden: ["FORBIDDEN"],
	NotFound: ["NOT_FOUND"],
	RateLimited: ["RATE_LIMITED"],
	InternalError: ["INTERNAL_ERROR"],
	Overloaded: ["OVERLOADED", "SERVICE_BUSY"],
	DatabaseFull: ["DATABASE_FULL"],
};

export function describeErrors(contract: EndpointContract, schemas: SchemaCollection): Json {
	const byStatus = Map.groupBy(errorCodesOf(contract).toSorted(), (code) => ERRORS[code].status);
	const sorted = [...byStatus].toSorted(([a], [b]) => a - b);
	const pages = hasErrorPages(contract);
	const { others = {}, schema } = contract.errorBody ?? {};
	const further = Object.entries(others).map(([status, description]) => [status, describeOther(description, schema, schemas)]);
	return Object.fromEntries([
		...sorted.map(([status, codes]) => {
			if (contract.errorBody !== undefined) return [status, describeOwnBody(codes, contract.errorBody, schemas)];
			const describeExample = (code: ErrorCode) => exampleOf(code, contract);
			if (pages) return [status, withPage(describeResponse(codes, describeExample))];
			const shared = findSharedResponse(codes, describeExample);
			return [status, shared === null ? describeResponse(codes, describeExample) : { $ref: `#/components/responses/${shared}` }];
		}),
		...further,
	]);
}

/** Returns true if browsers get the operation's errors as pages, as they do outside of the API. Other protocols have their own formats. */
function hasErrorPages({ method, path, errorBody }: EndpointContract): boolean {
	return method === "get" && errorBody === undefined && !path.startsWith("/api/");
}

function withPage(response: Json): Json {
	return {
		...response,
		content: {
			...Object(response["content"]),
			"text/html": { schema: { type: "string", description: "The same error as an HTML page, for `Accept: text/html`." } },
		},
	};
}

function describeOther(description: string, schema: z.ZodType | undefined, schemas: SchemaCollection): Json {
	const headers = { "X-Request-Id": { $ref: "#/components/headers/X-Request-Id" } };
	return {
		description,
		headers,
		content: { "application/json": { schema: schema === undefined ? {} : schemas.describe(schema, "output") } },
	};
}

/**
 * Finds the name of the shared response for these codes. Returns null if there is none, or if this operation returns something else for a
 * code.
 */
function findSharedResponse(codes: readonly ErrorCode[], describeExample: (code: ErrorCode) => Json): string | null {
	const [name] = Object.entries(SHARED_RESPONSES).find(([, shared]) => isDeepStrictEqual(shared, codes)) ?? [];
	const isLikeAllOthers = codes.every((code) => isDeepStrictEqual(describeExample(code), referToExample(code)));
	return isLikeAllOthers ? (name ?? null) : null;
}

/** Makes `components.responses`. */
export function sharedResponses(): Json {
	return Object.fromEntries(Object.entries(SHARED_RESPONSES).map(([name, codes]) => [name, describeResponse(codes, referToExample)]));
}

/** Makes `components.examples`, with one error of each code. */
export function errorExamples(): Json {
	const codes = Object.keys(ERRORS).filter(isErrorCode).toSorted();
	return Object.fromEntries(codes.map((code) => [code, { value: envelopeOf(refuse(code), ANYWHERE) }]));
}

/** Details of the examples of codes that need some. */
const FACTS: Partial<Readonly<Record<ErrorCode, AppErrorFacts>>> = {
	INVALID_UUID: { details: [{ path: "id", message: "id must be a UUID" }] },
	RATE_LIMITED: { retryAfterSeconds: RATE_WINDOW_SECONDS },
	RE_EVAL_COOLDOWN: { retryAfterSeconds: 1_800 },
	OPERATOR_QUOTA_EXHAUSTED: { retryAfterSeconds: 864_000 },
	FILE_TOO_LARGE: bodyTooLarge(DEFAULT_BODY_LIMIT_BYTES).facts,
};

/** A path without ids, for errors that are the same everywhere. */
const ANYWHERE = "/api/v1";

function refuse(code: ErrorCode): AppError {
	return new AppError(code, FACTS[code]);
}

/** Makes the body of the response to a rejected request to this path. */
function envelopeOf(error: AppError, path: string): Json {
	const actions = nextActionsOf(error.code, { baseUrl: EXAMPLE_ORIGIN, path });
	const details = errorDetailsOf(error, actions, error.facts.retryAfterSeconds);
	return {
		error: { message: wordError(error, actions), code: wireCodeOf(error.code), ...(details === undefined ? {} : { details }) },
	};
}

function referToExample(code: ErrorCode): Json {
	return { $ref: `#/components/examples/${code}` };
}

function describeResponse(codes: readonly ErrorCode[], describeExample: (code: ErrorCode) => Json): Json {
	const [status = 500] = codes.map((code) => ERRORS[code].status);
	const headerNames = ["X-Request-Id", ...(HEADERS_BY_STATUS[status] ?? [])];
	const lines = codes.map((code) => `\`${wireCodeOf(code)}\`: ${errorEntryOf(code).message}`);
	return {
		description: lines.length === 1 ? lines.join("") : lines.map((line) => `- ${line}`).join("\n"),
		"x-codes": [...new Set(codes.map(wireCodeOf))],
		headers: Object.fromEntries(headerNames.map((name) => [name, { $ref: `#/components/headers/${name}` }])),
		content: {
			"application/json": {
				schema: { $ref: "#/components/schemas/ErrorResponse" },
				examples: Object.fromEntries(codes.map((code) => [code, describeExample(code)])),
			},
		},
	};
}

function describeOwnBody(
	codes: readonly ErrorCode[],
	{ schema, bodyOf }: NonNullable<EndpointContract["errorBody"]>,
	schemas: SchemaCollection,
): Json {
	const examples = Object.fromEntries(codes.map((code) => [code, { value: bodyOf(refuse(code)) }]));
	const content = { "application/json": { schema: schemas.describe(schema, "output"), examples } };
	return { ...describeResponse(codes, referToExample), content };
}

/** Returns an example of an error as this operation would return it, with the faults of its input and the requests that help next. */
function exampleOf(code: ErrorCode, contract: EndpointContract): Json {
	const path = contract.path.replace(/\{(\w+)\}/g, (placeholder, name: string) => String(contract.examples?.params?.[name] ?? placeholder));
	const value = envelopeOf(findFaults(code, contract) ?? findSizeFault(code, contract) ?? refuse(code), path);
	return isDeepStrictEqual(value, envelopeOf(refuse(code), ANYWHERE)) ? referToExample(code) : { value };
}

function findSizeFault(code: ErrorCode, { body }: EndpointContract): AppError | null {
	if (code !== "FILE_TOO_LARGE") return null;
	return body === undefined ? new AppError(code) : bodyTooLarge(body.maxBytes ?? DEFAULT_BODY_LIMIT_BYTES);
}

function findFaults(code: ErrorCode, { body, rawBody, query, headers, params, examples = {} }: EndpointContract): AppError | null {
	if (code !== "INVALID_BODY" && code !== "VALIDATION_ERROR") return null;
	const ofBody = (body?.faultCode ?? "INVALID_BODY") === code ? body?.schema : undefined;
	const [example] = Object.values(examples.bodies ?? {});
	if (code === "INVALID_BODY") return breakOneField({ schema: ofBody, valid: example?.value, values: BROKEN_FIELDS }, code);
	return (
		breakOneField({ schema: ofBody, valid: example?.value, values: BROKEN_FIELDS }, code) ??
		breakOneField({ schema: query, valid: examples.query, values: BROKEN_FIELDS }, code) ??
		(rawBody?.contentTypes.includes("multipart/form-data") === true ? noFile() : null) ??
		breakOneField({ schema: headers, valid: examples.headers, values: BROKEN_TEXTS }, code) ??
		breakOneField({ schema: withoutIds(params), valid: examples.params, values: BROKEN_TEXTS }, code)
	);
}

const BROKEN_TEXTS: readonly unknown[] = ["", "0", "a//b", "\0", "x".repeat(1_000)];
const BROKEN_FIELDS: readonly unknown[] = [undefined, ...BROKEN_TEXTS, false];

/** Omits ids, because a wrong id in a path has a separate code, and all ids in paths have the same schema. */
function withoutIds(params: z.ZodObject | undefined): z.ZodObject {
	return z.object(Object.fromEntries(Object.entries(params?.shape ?? {}).filter(([, field]) => field !== uuid)));
}

interface Attempt {
	readonly schema: z.ZodType | undefined;
	readonly valid: unknown;
	readonly values: readonly unknown[];
}

/** Breaks one field of a valid input and returns the schema's error. Returns null if the schema accepts every attempt. */
function breakOneField({ schema, valid, values }: Attempt, code: "INVALID_BODY" | "VALIDATION_ERROR"): AppError | null {
	const fields = Object.keys(schema instanceof z.ZodObject ? schema.shape : {});
	for (const value of values) {
		for (const name of fields) {
			const parsed = schema?.safeParse({ ...(typeof valid === "object" ? valid : {}), [name]: value }, { error: describeIssue });
			if (parsed?.success === false) return invalidInput(code, faultsOf(parsed.error));
		}
	}
	return null;
}
