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

/** The context that a handler gets for each kind of authentication. `authenticators` in authenticate.ts enforces each kind. */
interface CtxByAuth {
	/** The caller has an API key, an access token or a session. */
	readonly key: Ctx;
	/** The caller has a session, which a human or a key opened. A request with only the key is rejected. */
	readonly session: SessionCtx;
	/** The caller has an operator token. */
	readonly operator: OperatorCtx;
	/** The URL has a signature. */
	readonly signed: SignedCtx;
	/** The body has the task's callback token in `callback_token`. */
	readonly callback: CallbackCtx;
	/** The caller has the deployment's admin token. */
	readonly admin: AdminCtx;
	/** No credential is required. */
	readonly none: PublicCtx;
}

export type AuthKind = keyof CtxByAuth;

/** An endpoint as data. Rate limiting, authentication, validation, the OpenAPI document and the meta-tests are derived from it. */
export interface EndpointContract extends Owned {
	readonly method: "get" | "post" | "put" | "patch" | "delete";
	/** Parameters are placeholders such as `{id}`. */
	readonly path: string;
	readonly operationId: string;
	readonly summary: string;
	readonly description: string;
	/** Only one tag, because client generators make a file for each tag. */
	readonly tags: readonly [string];
	readonly auth: AuthKind;
	readonly rate: RateClass | "none";
	/** With `auth: "admin"`, the role that the token must have. The default is `read` for GET and `operate` otherwise. */
	readonly role?: AdminRole;
	/** True if the request changes nothing although its method is not GET. Programs with read access can call it. */
	readonly changesNothing?: true;
	/** True if the endpoint creates credentials or ends others, so that programs with an access token cannot call it. */
	readonly isForHolders?: true;
	/** The endpoint returns 503 while one of these is switched off. {@link switchesOf} adds `writes` for most other methods than GET. */
	readonly pausedBy?: readonly SwitchName[];
	readonly params?: ObjectSchema | undefined;
	/**
	 * True if the last segment of the path is literal where another endpoint with the same method has a parameter. The literal endpoint must
	 * come after the other one.
	 */
	readonly isBesideParam?: true;
	/** The name of the last path parameter, if it may contain slashes. */
	readonly greedyParam?: string;
	readonly query?: ObjectSchema | undefined;
	/** If set, the query has `fields`, which selects top-level fields of the response. */
	readonly selectable?: Selectable;
	/** The request headers, with names in lower case. */
	readonly headers?: ObjectSchema | undefined;
	readonly body?: BodyContract | undefined;
	/**
	 * A body of bytes or a form, which the handler reads from `input.request` with its own limits. If the contract also has `body`, the
	 * request's Content-Type decides between the two.
	 */
	readonly rawBody?:
		| {
				readonly contentTypes: readonly string[];
				readonly description: string;
				/** The fields of a form. */
				readonly form?: {
					readonly schema: z.ZodObject;
					/** The media type of each file field. */
					readonly contentTypes: Readonly<Record<string, string>>;
				};
				/** The schema of JSON that the handler parses itself. */
				readonly schema?: z.ZodType;
		  }
		| undefined;
	readonly response: ResponseContract;
	/**
	 * If set, the request can have an `Idempotency-Key`. A repeated request creates nothing more and gets the first response again. With
	 * `secret`, the response contains a secret, so it is repeated for only 10 minutes. The handler finds the key in `repeatable` of its
	 * input.
	 */
	readonly idempotent?: true | "secret";
	/** Set if the response is the same for everyone, so that caches may keep it. All other responses are private or not stored at all. */
	readonly shared?: SharedResponse;
	/** True if the endpoint only calls other endpoints. They check the switches for pausing themselves. */
	readonly isRelay?: true;
	/** Set if errors have the body of another protocol. The default is the error envelope. */
	readonly errorBody?: {
		readonly schema: z.ZodType;
		bodyOf(refusal: AppError): unknown;
		/** Statuses of the protocol that no error code of the platform has, with their meanings. */
		readonly others?: Readonly<Record<number, string>>;
	};
	/** Error codes in addition to those that follow from `auth`, `rate`, `params`, `query`, `headers` and `body`. */
	readonly errors: readonly ErrorCode[];
	/** The documentation page that explains more, such as `concepts/tasks`. */
	readonly page?: string;
	readonly examples?: OperationExamples | undefined;
}

/** Returns true if an endpoint changes nothing: its method is GET, or its contract says so. */
export function isReading({ method, changesNothing }: Pick<EndpointContract, "method" | "changesNothing">): boolean {
	return method === "get" || changesNothing === true;
}

interface ResponseContract {
	readonly status: 200 | 201 | 202 | 302;
	readonly description: string;
	readonly schema: z.ZodType;
	/** Not needed for JSON. For any other type, the handler returns a Response. */
	readonly contentType?: string;
	/** True if the response contains a secret or a signed URL, so that no cache may store it. */
	readonly carriesSecret?: true;
	/** True if some responses contain a secret. The handler sends `no-store` with these. */
	readonly mayCarrySecret?: true;
	/** The schemas of content types other than JSON. */
	readonly textSchemas?: Readonly<Record<string, z.ZodType>>;
	/** The events of a stream, by name, with the schema of the JSON in their `data`. */
	readonly events?: Readonly<Record<string, z.ZodType>>;
	/** True if the response has the media type with which the bytes were stored. */
	readonly hasAnyMediaType?: true;
	/** Headers in addition to those that every response has, with their meanings. */
	readonly headers?: Readonly<Record<string, string>>;
	/** Successful responses with another status or content type. If they are JSON, they have the same `schema`. A 304 has no content. */
	readonly others?: readonly {
		readonly status: 200 | 201 | 202 | 204 | 206 | 302 | 304;
		readonly description: string;
		/** True if the response has no body. A 204 or 304 never has one. */
		readonly isEmpty?: true;
		readonly contentType?: string;
	}[];
}

interface BodyContract {
	readonly schema: z.ZodType;
	/** If false, a missing body is read as `{}`. */
	readonly required: boolean;
	/** The maximum number of bytes. A larger body gets a 413. The default suits JSON with text fields. */
	readonly maxBytes?: number;
	/** The code of errors in the body. The default is `INVALID_BODY`. */
	readonly faultCode?: "INVALID_BODY" | "VALIDATION_ERROR";
	/**
	 * For a body over 1 MB, runs before errors in the body are reported, so that errors about the resource come first. A caller should not
	 * have to correct megabytes for a task that no longer accepts them.
	 */
	lookFirst?(ctx: never, params: never): Promise<unknown>;
	/** True if the body contains JSON that is stored unchanged, so that numbers which parsing would change are rejected. */
	readonly keepsNumbers?: boolean;
}

/** The parts of a contract that its examples and its handler must match. */
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
			/** Null without an `Idempotency-Key`, and for endpoints that do not accept one. */
			readonly repeatable: RepeatableCall | null;
			/** Handlers of streamed bodies and of signed URLs read the request itself. */
			readonly request: Request;
		},
	) => Promise<z.input<S> | Reply<z.input<S>> | Response>;
}

/** The same parts of a declared endpoint. Parts that were omitted have the type undefined. */
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

/** Declares an endpoint. The compiler checks that its examples and handler match its schemas. */
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
	"A response that shows a secret is repeated for 10 minutes after the first request; later requests with the same Idempotency-Key return `CONFLICT`.";

/** Adds what every endpoint with an `Idempotency-Key` has: the header, its errors and its documentation. */
function idempotentParts(contract: EndpointContract, idempotent: true | "secret") {
	const { description, headers, response, errors, examples, operationId } = contract;
	const exampleKey = operationId.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
	return {
		description: idempotent === "secret" ? `${description}\n\n${SECRET_WINDOW}` : description,
		headers: headers === undefined ? IDEMPOTENCY_KEY : headers.extend(IDEMPOTENCY_KEY.shape),
		response: {
			...response,
			headers: { ...response.headers, "Idempotency-Replayed": "`true` if this repeats the response to an earlier request." },
		},
		errors: [...new Set([...errors, "CONFLICT" as const])],
		examples: { ...examples, headers: { ...examples?.headers, "idempotency-key": `${exampleKey}-1` } },
	};
}

type OutputOf<S> = S extends z.ZodType ? z.output<S> : undefined;

/** What a handler returns if its response needs additional headers, or a status other than the contract's first one. */
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

/** A contract with its handler. With `never`, the handler of any contract fits. `respond` in chain.ts calls it. */
export interface Endpoint extends EndpointContract {
	readonly handle: (ctx: never, input: never) => Promise<unknown>;
}

/** The ETag header and the 304 response of contracts for which chain.ts compares the ETag with `If-None-Match`. */
export const REVALIDATED = {
	headers: { ETag: "The version of this response." },
	others: [{ status: 304, description: "Nothing has changed since the ETag that you sent." }],
} as const;

/**
 * Lists the switches that an endpoint depends on: those of its contract, and `writes` for every method except GET. Relays and endpoints of
 * operators depend only on those of their contracts.
 */
export function switchesOf({
	method,
	auth,
	pausedBy = [],
	isRelay,
}: Pick<EndpointContract, "method" | "auth" | "pausedBy" | "isRelay">): readonly SwitchName[] {
	return method === "get" || isRelay === true || auth === "admin" || pausedBy.includes("writes") ? pausedBy : [...pausedBy, "writes"];
}

/** Returns the role that an operator endpoint requires. */
export function roleOf({ role, method }: Pick<EndpointContract, "role" | "method">): AdminRole {
	return role ?? (method === "get" ? "read" : "operate");
}

/**
 * 403 is for suspended agents, writes with a session but without its CSRF token, programs whose scope is too small, and operators without
 * the role.
 */
const AUTH_ERRORS = {
	key: ["unauthorized", "FORBIDDEN"],
	session: ["unauthorized", "FORBIDDEN"],
	operator: ["INVALID_OPERATOR_TOKEN_FORMAT", "UNAUTHORIZED", "FORBIDDEN"],
	signed: ["UNAUTHORIZED"],
	callback: ["INVALID_CALLBACK_TOKEN"],
	admin: ["UNAUTHORIZED", "FORBIDDEN", "NOT_FOUND"],
	none: [],
} as const satisfies Record<AuthKind, readonly ErrorCode[]>;

/** Lists every error code that an endpoint can return: those in its contract and those that follow from its other properties. */
export function errorCodesOf(contract: EndpointContract): ErrorCode[] {
	const codes = new Set<ErrorCode>([...contract.errors, "RATE_LIMITED"]);
	for (const code of AUTH_ERRORS[contract.auth]) codes.add(code);
	if (switchesOf(contract).length > 0) codes.add("SERVICE_PAUSED");
	for (const param of Object.values(contract.params?.shape ?? {})) codes.add(param === uuid ? "INVALID_UUID" : "VALIDATION_ERROR");
	if (contract.query !== undefined || contract.headers !== undefined) codes.add("VALIDATION_ERROR");
	if (contract.body !== undefined) codes.add(contract.body.faultCode ?? "INVALID_BODY").add("FILE_TOO_LARGE");
	if (contract.body !== undefined || contract.rawBody !== undefined) codes.add("UNSUPPORTED_FILE_TYPE");
	// In development, a write that another website's page sends is rejected.
	if (contract.method !== "get") codes.add("FORBIDDEN");
	// The few GET endpoints that store something, such as an audit log entry, list `DATABASE_FULL` in their contracts.
	if (contract.method !== "get") codes.add("DATABASE_FULL");
	// SERVICE_BUSY is also the error if a Durable Object of another version lacks the verb.
	codes.add("INTERNAL_ERROR").add("OVERLOADED").add("SERVICE_BUSY");
	return [...codes];
}

/** Read-only, because operations share their examples. */
type Immutable<Value> = Value extends readonly (infer Item)[]
	? readonly Immutable<Item>[]
	: Value extends object
		? { readonly [Key in keyof Value]: Immutable<Value[Key]> }
		: Value;

interface Example<Value> {
	readonly summary?: string;
	readonly value: Immutable<Value>;
}

/** Examples by a short name, such as `typical`. */
export type NamedExamples<Value> = Readonly<Record<string, Example<Value>>>;

interface ResponseExample<Value> extends Example<Value> {
	/** The status of the example. The default is the first status of the contract. */
	readonly status?: number;
}

/** The examples of one operation in the OpenAPI document and the documentation. */
export interface OperationExamples {
	readonly params?: Readonly<Record<string, unknown>>;
	readonly query?: Readonly<Record<string, unknown>>;
	readonly headers?: Readonly<Record<string, unknown>>;
	readonly bodies?: NamedExamples<unknown>;
	/** JSON bodies that the handler parses itself. */
	readonly rawBodies?: NamedExamples<unknown>;
	/** The values of a form's fields. Files are included only if they are text. */
	readonly form?: Readonly<Record<string, string>>;
	readonly responses?: Readonly<Record<string, ResponseExample<unknown>>>;
	/** Examples of content types other than JSON. */
	readonly texts?: Readonly<Record<string, unknown>>;
}

type InputExample<Key extends string, Schema> = Schema extends z.ZodType ? Readonly<Record<Key, z.input<Schema>>> : unknown;

/** Examples with the types of a contract, so that the compiler finds those that do not match it. */
type ExamplesOf<P, Q, H, B, S extends z.ZodType> = OperationExamples &
	InputExample<"params", P> &
	InputExample<"query", Q> &
	InputExample<"headers", H> &
	(B extends z.ZodType ? { readonly bodies: NamedExamples<z.input<B>> } : unknown) & {
		readonly responses?: Readonly<Record<string, ResponseExample<z.output<S>>>>;
	};
