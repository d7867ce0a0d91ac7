// The refusals of an operation: one response for each status, with the codes it can have and an example of each.
import * as z from "zod";
import { AppError, type AppErrorFacts, ERRORS, type ErrorCode, errorEntryOf, invalidInput, wireCodeOf } from "../../src/errors.ts";
import { type EndpointContract, errorCodesOf } from "../../src/http/endpoint.ts";
import { faultsOf } from "../../src/http/validation.ts";
import type { Json } from "./json.ts";
import type { OperationNotes } from "./notes.ts";

const refusal = z
	.object({
		message: z.string().meta({ description: "What is wrong and what to do next. Written for whoever reads it; it may change." }),
		code: z.string().meta({ description: "Stable: decide on this, never on the message." }),
		details: z.unknown().optional().meta({ description: "Facts of this refusal; of a validation error, a list of {path, message}." }),
	})
	.meta({ id: "Refusal" });

export const errorEnvelope = z.object({ error: refusal }).meta({ id: "Error", description: "What every refusal looks like." });

const HEADERS_BY_STATUS: Readonly<Record<number, readonly string[]>> = {
	401: ["WWW-Authenticate"],
	416: ["Content-Range"],
	429: ["Retry-After", "RateLimit", "RateLimit-Policy"],
};

/** Codes whose refusals look the same wherever they come from, by the name of their response. */
const SHARED_RESPONSES: Readonly<Record<string, ErrorCode>> = {
	InvalidApiKey: "unauthorized",
	InvalidId: "INVALID_UUID",
	Forbidden: "FORBIDDEN",
	NotFound: "NOT_FOUND",
	RateLimited: "RATE_LIMITED",
	InternalError: "INTERNAL_ERROR",
};

/** Refusals of an operation by status. */
export function describeErrors(contract: EndpointContract, notes: OperationNotes): Json {
	const byStatus = Map.groupBy(errorCodesOf(contract), (code) => ERRORS[code].status);
	const sorted = [...byStatus].toSorted(([a], [b]) => a - b);
	return Object.fromEntries(
		sorted.map(([status, codes]) => {
			const shared = codes.length === 1 ? Object.entries(SHARED_RESPONSES).find(([, code]) => code === codes[0]) : undefined;
			if (shared !== undefined) return [status, { $ref: `#/components/responses/${shared[0]}` }];
			return [status, describeResponse(codes, (code) => exampleOf(code, contract, notes))];
		}),
	);
}

/** What goes to `components.responses`. */
export function sharedResponses(): Json {
	return Object.fromEntries(Object.entries(SHARED_RESPONSES).map(([name, code]) => [name, describeResponse([code], referToExample)]));
}

/** What goes to `components.examples`: one refusal of each code. */
export function errorExamples(): Json {
	const codes = Object.keys(ERRORS).filter(isErrorCode);
	return Object.fromEntries(
		codes.map((code) => [code, { summary: ERRORS[code].message, value: envelopeOf(new AppError(code, FACTS[code])) }]),
	);
}

function isErrorCode(code: string): code is ErrorCode {
	return Object.hasOwn(ERRORS, code);
}

/** Details that tell something where the code alone does not. */
const FACTS: Partial<Readonly<Record<ErrorCode, AppErrorFacts>>> = {
	INVALID_UUID: { details: [{ path: "id", message: "Invalid UUID" }] },
	FILE_TOO_LARGE: { message: "The body may have at most 1048576 bytes.", details: { max_bytes: 1_048_576 } },
};

function envelopeOf(error: AppError): z.input<typeof errorEnvelope> {
	const { details } = error.facts;
	return { error: { message: error.message, code: wireCodeOf(error.code), ...(details === undefined ? {} : { details }) } };
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
		headers: Object.fromEntries(headerNames.map((name) => [name, { $ref: `#/components/headers/${name}` }])),
		content: {
			"application/json": {
				schema: narrowedTo([...new Set(codes.map(wireCodeOf))]),
				examples: Object.fromEntries(codes.map((code) => [code, describeExample(code)])),
			},
		},
	};
}

/** The envelope with the codes that this answer can have, for clients that decide on them. */
function narrowedTo(codes: readonly string[]): Json {
	const error = {
		allOf: [{ $ref: "#/components/schemas/Refusal" }, { type: "object", properties: { code: { enum: codes } }, required: ["code"] }],
	};
	return { type: "object", properties: { error }, required: ["error"], additionalProperties: false };
}

/** Faults of the input are shown as this very operation would answer. */
function exampleOf(code: ErrorCode, contract: EndpointContract, notes: OperationNotes): Json {
	const faults = findFaults(code, contract, notes);
	return faults === null ? referToExample(code) : { value: envelopeOf(faults) };
}

function findFaults(code: ErrorCode, { body, query, headers, params }: EndpointContract, notes: OperationNotes): AppError | null {
	if (code !== "INVALID_BODY" && code !== "VALIDATION_ERROR") return null;
	const ofBody = (body?.faultCode ?? "INVALID_BODY") === code ? body?.schema : undefined;
	const [example] = Object.values(notes.bodies ?? {});
	const attempts: readonly (readonly [z.ZodType | undefined, unknown])[] =
		code === "INVALID_BODY"
			? [[ofBody, example?.value]]
			: [
					[ofBody, example?.value],
					[query, notes.query],
					[params, notes.params],
					[headers, notes.headers],
				];
	for (const [schema, valid] of attempts) {
		const fault = schema === undefined ? null : breakOneField(schema, valid);
		if (fault !== null) return invalidInput(code, faultsOf(fault));
	}
	return null;
}

const BROKEN_VALUES: readonly unknown[] = [undefined, "", "0", false, "\0"];

/** What a schema says of a valid input once one of its fields is wrong; null when nothing is wrong with any of the attempts. */
function breakOneField(schema: z.ZodType, valid: unknown): z.ZodError | null {
	const fields = Object.keys(schema instanceof z.ZodObject ? schema.shape : {});
	for (const value of BROKEN_VALUES) {
		for (const field of fields) {
			const parsed = schema.safeParse({ ...(typeof valid === "object" ? valid : {}), [field]: value });
			if (!parsed.success) return parsed.error;
		}
	}
	return null;
}
