import * as z from "zod";
import type { AdminRole } from "../domain/actor.ts";
import type { AppError, ErrorCode } from "../domain/errors.ts";
import type { Owned } from "../domain/owners.ts";
import type { RepeatableCall } from "../domain/repeated-calls.ts";
import type { SwitchName } from "../domain/switches.ts";
import type { AdminCtx, CallbackCtx, Ctx, OperatorCtx, PublicCtx, RateClass, SessionCtx, SignedCtx } from "../ports/deps.ts";
import { uuid } from "./fields.ts";
import type { Selectable } from "./selection.ts";
import type { SharedResponse } from "./shared-responses.ts";

type ObjectSchema = z.ZodObject;

/** A handler's context depends on the kind of authentication. `authenticators` of authenticate.ts enforces each kind. */
interface CtxByAuth {
	/** The caller has an API key or the session of a signed-in human. */
	readonly key: Ctx;
	/** The caller has the session of a signed-in human. A key does not count. */
	readonly session: SessionCtx;
	/** The caller has an operator token. */
	readonly operator: OperatorCtx;
	/** The URL has a signature. */
	readonly signed: SignedCtx;
	/** The body has the task's callback token in `callback_token`. */
	readonly callback: CallbackCtx;
	/** The caller has the deployment's admin token. */
	readonly admin: AdminCtx;
	/** The caller needs no credential. */
	readonly none: PublicCtx;
}

export type AuthKind = keyof CtxByAuth;

/** A contract is an endpoint as data. Rate limiting, authentication, validation, the OpenAPI document and the meta-tests follow from it. */
export interface EndpointContract extends Owned {
	readonly method: "get" | "post" | "put" | "patch" | "delete";
	/** Parameters are placeholders such as `{id}`. */
	readonly path: string;
	readonly operationId: string;
	readonly summary: string;
	readonly description: string;
	/** Generators make a file of each tag, so an operation has one. */
	readonly tags: readonly [string];
	readonly auth: AuthKind;
	readonly rate: RateClass | "none";
	/** With `auth: "admin"`, the token needs this role. The default is `read` for GET and `operate` otherwise. */
	readonly role?: AdminRole;
	/** The request changes nothing, although its method is not GET. A program that may only read can call it. */
	readonly changesNothing?: true;
	/** The endpoint makes credentials, or ends those of others, which programs with an access token may not. */
	readonly isForHolders?: true;
	/** The endpoint is 503 while one of these is switched off. Everything that may change something also depends on `writes`. */
	readonly pausedBy?: readonly SwitchName[];
	readonly params?: ObjectSchema | undefined;
	/** The last segment of the path is literal, where another endpoint of the same method has a parameter. It must come after that one. */
	readonly isBesideParam?: true;
	/** The last path parameter has this name if it may contain slashes. */
	readonly greedyParam?: string;
	readonly query?: ObjectSchema | undefined;
	/** The query has `fields`, which selects top-level fields of the response. */
	readonly selectable?: Selectable;
	/** The names are in lower case. */
	readonly headers?: ObjectSchema | undefined;
	readonly body?: BodyContract | undefined;
	/**
	 * The handler reads a body of bytes or a form from `input.request`, and keeps to its own limits. If the contract has `body` too, the
	 * request's Content-Type decides which of the two the body is.
	 */
	readonly rawBody?:
		| {
				readonly contentTypes: readonly string[];
				readonly description: string;
				/** A form has these fields. */
				readonly form?: {
					readonly schema: z.ZodObject;
					/** Each file field has a media type. */
					readonly contentTypes: Readonly<Record<string, string>>;
				};
				/** The handler parses JSON of this schema itself. */
				readonly schema?: z.ZodType;
		  }
		| undefined;
	readonly response: ResponseContract;
	/**
	 * The request can have an `Idempotency-Key`: repeated, it makes nothing further and gets the first response again. With `secret` the
	 * response shows a secret, so it is repeated for 10 minutes only. `repeatable` of the handler's input has the key.
	 */
	readonly idempotent?: true | "secret";
	/** The response is the same for everyone, so caches may keep it. Every other response is private or not stored at all. */
	readonly shared?: SharedResponse;
	/** The endpoint only calls other endpoints, which depend on switches themselves. */
	readonly isRelay?: true;
	/** Errors have the body of another protocol. The default is the envelope. */
	readonly errorBody?: {
		readonly schema: z.ZodType;
		bodyOf(refusal: AppError): unknown;
		/** The protocol has errors with these statuses too, which no code of the platform has. Each has its meaning here. */
		readonly others?: Readonly<Record<number, string>>;
	};
	/** These codes come on top of those that follow from `auth`, `rate`, `params`, `query`, `headers` and `body`. */
	readonly errors: readonly ErrorCode[];
	/** A page of the documentation explains more, such as `concepts/tasks`. */
	readonly page?: string;
	readonly examples?: OperationExamples | undefined;
}

/** Returns true for an endpoint that changes nothing. */
export function isReading({ method, changesNothing }: Pick<EndpointContract, "method" | "changesNothing">): boolean {
	return method === "get" || changesNothing === true;
}

interface ResponseContract {
	readonly status: 200 | 201 | 202 | 302;
	readonly description: string;
	readonly schema: z.ZodType;
	/** JSON needs none. With any other type the handler returns a Response. */
	readonly contentType?: string;
	/** The response contains a secret or a signed URL, so nothing may store it. */
	readonly carriesSecret?: true;
	/** Some responses contain a secret. The handler says `no-store` for these. */
	readonly mayCarrySecret?: true;
	/** Each content type except JSON has a separate schema. */
	readonly textSchemas?: Readonly<Record<string, z.ZodType>>;
	/** A stream has these events, each with JSON of a named schema in its `data`. */
	readonly events?: Readonly<Record<string, z.ZodType>>;
	/** The response has the media type that the bytes were stored with. */
	readonly hasAnyMediaType?: true;
	/** These headers, each with its meaning, come on top of those that every response has. */
	readonly headers?: Readonly<Record<string, string>>;
	/** These successes have another status or content type. JSON has the schema above; 304 has no content. */
	readonly others?: readonly {
		readonly status: 200 | 201 | 202 | 204 | 206 | 302 | 304;
		readonly description: string;
		/** The response has no body. 204 and 304 never have one. */
		readonly isEmpty?: true;
		readonly contentType?: string;
	}[];
}

interface BodyContract {
	readonly schema: z.ZodType;
	/** An absent optional body reads as `{}`. */
	readonly required: boolean;
	/** A body of more bytes is 413. The default suits JSON of text fields. */
	readonly maxBytes?: number;
	/** A fault of the body has this code. The default is `INVALID_BODY`. */
	readonly faultCode?: "INVALID_BODY" | "VALIDATION_ERROR";
	/**
	 * Runs before a fault of a body of more than 1 MB is reported, so that what it throws about the resource comes first. A caller
	 * should not correct megabytes for a task that no longer accepts them.
	 */
	lookFirst?(ctx: never, params: never): Promise<unknown>;
	/** The body has JSON that is stored as it is, so it may not have a number that reading it changes. */
	readonly keepsNumbers?: boolean;
}

/** A contract's examples and its handler have to fit these parts. */
interface TypedParts<A extends AuthKind, P, Q, H, B extends z.ZodType | undefined, R, S extends z.ZodType> {
	readonly auth: A;
	readonly params?: P;
	readonly query?: Q;
	readonly headers?: H;
	readonly body?: BodyContract & { readonly schema: B };
	readonly rawBody?: R;
	readonly response: ResponseContract & { readonly schema: S };
	readonly examples?: ExamplesOf<P, Q, H, B, S>;
	readonly handle: (
		ctx: CtxByAuth[A],
		input: {
			readonly params: OutputOf<P>;
			readonly query: OutputOf<Q>;
			readonly headers: OutputOf<H>;
			readonly body: OutputOf<B> | (R extends object ? undefined : never);
			/** Null without an `Idempotency-Key`, and for endpoints that take none. */
			readonly repeatable: RepeatableCall | null;
			/** Handlers of streamed bodies and of signed URLs read the request itself. */
			readonly request: Request;
		},
	) => Promise<z.input<S> | Reply<z.input<S>> | Response>;
}

/** A declared endpoint has the same parts. A part that was left out has the type undefined. */
interface DeclaredParts<A extends AuthKind, P, Q, H, B extends z.ZodType | undefined, R, S extends z.ZodType> {
	readonly auth: A;
	readonly params: P;
	readonly query: Q;
	readonly headers: H;
	readonly body: B extends z.ZodType ? BodyContract & { readonly schema: B } : undefined;
	readonly rawBody: R;
	readonly response: ResponseContract & { readonly schema: S };
	readonly handle: Endpoint["handle"];
}

/** Declares an endpoint. The compiler checks that its examples and its handler fit its schemas. */
export function endpoint<
	const A extends AuthKind,
	S extends z.ZodType,
	P extends ObjectSchema | undefined = undefined,
	Q extends ObjectSchema | undefined = undefined,
	H extends ObjectSchema | undefined = undefined,
	B extends z.ZodType | undefined = undefined,
	R extends EndpointContract["rawBody"] = undefined,
>(
	contract: Omit<EndpointContract, keyof TypedParts<A, P, Q, H, B, R, S>> & TypedParts<A, P, Q, H, B, R, S>,
): Omit<EndpointContract, keyof TypedParts<A, P, Q, H, B, R, S>> & DeclaredParts<A, P, Q, H, B, R, S>;
export function endpoint(contract: EndpointContract): object {
	return contract.idempotent === undefined ? contract : { ...contract, ...idempotentParts(contract, contract.idempotent) };
}

const IDEMPOTENCY_KEY = z.object({
	"idempotency-key": z
		.string()
		.regex(/^[\x20-\x7e]{1,255}$/, "must be 1 to 255 printable ASCII characters")
		.optional()
		.meta({
			description: "Makes retries safe: within 24 hours, the same key with the same body returns the first response again.",
			minLength: 1,
			maxLength: 255,
		}),
});

const SECRET_WINDOW =
	"A response that shows a secret is repeated for 10 minutes after the first request; later requests with its Idempotency-Key are CONFLICT.";

/** Adds what every endpoint that takes an `Idempotency-Key` has: the header, its errors and its documentation. */
function idempotentParts(contract: EndpointContract, idempotent: true | "secret") {
	const { description, headers, response, errors, examples, operationId } = contract;
	const exampleKey = operationId.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
	return {
		description: idempotent === "secret" ? `${description}\n\n${SECRET_WINDOW}` : description,
		headers: headers === undefined ? IDEMPOTENCY_KEY : headers.extend(IDEMPOTENCY_KEY.shape),
		response: {
			...response,
			headers: { ...response.headers, "Idempotency-Replayed": "`true` when this repeats the response of an earlier request." },
		},
		errors: [...new Set([...errors, "CONFLICT" as const])],
		examples: { ...examples, headers: { ...examples?.headers, "idempotency-key": `${exampleKey}-1` } },
	};
}

type OutputOf<S> = S extends z.ZodType ? z.output<S> : undefined;

/** A handler returns a reply if its response has other headers, or another status than the contract's first. */
export class Reply<Body> {
	readonly content: Body;
	readonly headers: Readonly<Record<string, string>>;
	readonly status: 200 | 201 | undefined;

	constructor(content: Body, headers: Readonly<Record<string, string>> = {}, status?: 200 | 201) {
		this.content = content;
		this.headers = headers;
		this.status = status;
	}
}

/** An endpoint is a contract with its handler. `never` accepts the handler of any contract; `respond` of chain.ts calls it. */
export interface Endpoint extends EndpointContract {
	readonly handle: (ctx: never, input: never) => Promise<unknown>;
}

/** A contract declares this response if its ETag is compared with `If-None-Match`; chain.ts does the comparison. */
export const REVALIDATED = {
	headers: { ETag: "Version of this response." },
	others: [{ status: 304, description: "Nothing has changed since the ETag that you sent." }],
} as const;

/** Lists the switches that an endpoint depends on: those of its contract, and `writes` for each that may change something. */
export function switchesOf({
	method,
	auth,
	pausedBy = [],
	isRelay,
}: Pick<EndpointContract, "method" | "auth" | "pausedBy" | "isRelay">): readonly SwitchName[] {
	return method === "get" || isRelay === true || auth === "admin" || pausedBy.includes("writes") ? pausedBy : [...pausedBy, "writes"];
}

/** Returns the role that an endpoint for operators needs. */
export function roleOf({ role, method }: Pick<EndpointContract, "role" | "method">): AdminRole {
	return role ?? (method === "get" ? "read" : "operate");
}

/** 403 is for suspended agents, for a session's write without its CSRF token, and for an operator without the role. */
const AUTH_ERRORS = {
	key: ["unauthorized", "FORBIDDEN"],
	session: ["unauthorized", "FORBIDDEN"],
	operator: ["INVALID_OPERATOR_TOKEN_FORMAT", "UNAUTHORIZED", "FORBIDDEN"],
	signed: ["UNAUTHORIZED"],
	callback: ["INVALID_CALLBACK_TOKEN"],
	admin: ["UNAUTHORIZED", "FORBIDDEN", "NOT_FOUND"],
	none: [],
} as const satisfies Record<AuthKind, readonly ErrorCode[]>;

/** Lists every code that an endpoint can return: those of its contract's list and those that follow from its other properties. */
export function errorCodesOf(contract: EndpointContract): ErrorCode[] {
	const codes = new Set<ErrorCode>([...contract.errors, "RATE_LIMITED"]);
	for (const code of AUTH_ERRORS[contract.auth]) codes.add(code);
	if (switchesOf(contract).length > 0) codes.add("SERVICE_PAUSED");
	for (const param of Object.values(contract.params?.shape ?? {})) codes.add(param === uuid ? "INVALID_UUID" : "VALIDATION_ERROR");
	if (contract.query !== undefined || contract.headers !== undefined) codes.add("VALIDATION_ERROR");
	if (contract.body !== undefined) codes.add(contract.body.faultCode ?? "INVALID_BODY").add("FILE_TOO_LARGE");
	if (contract.body !== undefined || contract.rawBody !== undefined) codes.add("UNSUPPORTED_FILE_TYPE");
	// Locally, any write that a foreign web page sends is refused.
	if (contract.method !== "get") codes.add("FORBIDDEN");
	// The few reads that store something, such as an entry of the audit log, name it themselves.
	if (contract.method !== "get") codes.add("DATABASE_FULL");
	// If an object of another version lacks a verb, the response is SERVICE_BUSY.
	codes.add("INTERNAL_ERROR").add("OVERLOADED").add("SERVICE_BUSY");
	return [...codes];
}

/** Examples are shared between operations, so they are read-only. */
type Immutable<Value> = Value extends readonly (infer Item)[]
	? readonly Immutable<Item>[]
	: Value extends object
		? { readonly [Key in keyof Value]: Immutable<Value[Key]> }
		: Value;

interface Example<Value> {
	readonly summary?: string;
	readonly value: Immutable<Value>;
}

/** Each example has a short name, such as `typical`. */
export type NamedExamples<Value> = Readonly<Record<string, Example<Value>>>;

interface ResponseExample<Value> extends Example<Value> {
	/** The default is the contract's first status. */
	readonly status?: number;
}

/** One operation has these examples in the OpenAPI document and the documentation. */
export interface OperationExamples {
	readonly params?: Readonly<Record<string, unknown>>;
	readonly query?: Readonly<Record<string, unknown>>;
	readonly headers?: Readonly<Record<string, unknown>>;
	readonly bodies?: NamedExamples<unknown>;
	/** These JSON bodies are parsed by the handler itself. */
	readonly rawBodies?: NamedExamples<unknown>;
	/** A form's fields have these values. Files are left out unless they are text. */
	readonly form?: Readonly<Record<string, string>>;
	readonly responses?: Readonly<Record<string, ResponseExample<unknown>>>;
	/** Each content type except JSON has a separate example. */
	readonly texts?: Readonly<Record<string, unknown>>;
}

type InputExample<Key extends string, Schema> = Schema extends z.ZodType ? Readonly<Record<Key, z.input<Schema>>> : unknown;

/** These examples have the types of a contract, so the compiler finds those that no longer fit it. */
type ExamplesOf<P, Q, H, B, S extends z.ZodType> = OperationExamples &
	InputExample<"params", P> &
	InputExample<"query", Q> &
	InputExample<"headers", H> &
	(B extends z.ZodType ? { readonly bodies: NamedExamples<z.input<B>> } : unknown) & {
		readonly responses?: Readonly<Record<string, ResponseExample<z.output<S>>>>;
	};
