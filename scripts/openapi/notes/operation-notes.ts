// What the document says about an operation beyond its contract: examples, longer texts, forms. None of it is in the Worker's bundle.
import type * as z from "zod";
import type { EndpointContract } from "../../../src/http/endpoint.ts";

/** Examples are shared between operations, so they are read-only. */
type Immutable<Value> = Value extends readonly (infer Item)[]
	? readonly Immutable<Item>[]
	: Value extends object
		? { readonly [Key in keyof Value]: Immutable<Value[Key]> }
		: Value;

export interface Example<Value> {
	readonly summary?: string;
	readonly value: Immutable<Value>;
}

/** By a short name, such as `typical`. */
export type Examples<Value> = Readonly<Record<string, Example<Value>>>;

interface ResponseExample<Value> extends Example<Value> {
	/** Default: the contract's first. */
	readonly status?: number;
}

/** A multipart form. */
export interface FormNotes {
	readonly schema: z.ZodObject;
	/** Media types of file fields, by field. */
	readonly contentTypes: Readonly<Record<string, string>>;
	/** By field; files are left out unless they are text. */
	readonly example?: Readonly<Record<string, string>>;
}

interface CommonNotes {
	/** Markdown after the contract's own description, a paragraph each. */
	readonly details?: readonly string[];
	readonly form?: FormNotes;
	/** Examples of a raw body in JSON. */
	readonly rawBodies?: Examples<unknown>;
	/** Examples of responses that are not JSON, by content type. */
	readonly texts?: Readonly<Record<string, unknown>>;
	/** Schemas of responses that are not JSON, by content type. */
	readonly textSchemas?: Readonly<Record<string, z.ZodType>>;
	/** Names and meanings of response headers that the contract omits. */
	readonly responseHeaders?: Readonly<Record<string, string>>;
	/** The response has the media type that the bytes were stored with. */
	readonly hasAnyMediaType?: true;
	/** A page of the documentation, such as `concepts/tasks`. */
	readonly page?: string;
}

type ExamplesOf<Key extends string, Schema> = Schema extends z.ZodType ? Readonly<Record<Key, z.input<Schema>>> : unknown;

type BodyNotes<C extends EndpointContract> = C["body"] extends { readonly schema: infer Schema extends z.ZodType }
	? { readonly bodies: Examples<z.input<Schema>> }
	: unknown;

type ResponseNotes<C extends EndpointContract> = {
	readonly responses?: Readonly<Record<string, ResponseExample<z.output<C["response"]["schema"]>>>>;
};

/** Examples have the types of the contract, so the compiler finds those that no longer fit it. */
export type NotesOn<C extends EndpointContract> = CommonNotes &
	ExamplesOf<"params", C["params"]> &
	ExamplesOf<"query", C["query"]> &
	ExamplesOf<"headers", C["headers"]> &
	BodyNotes<C> &
	ResponseNotes<C>;

/** {@link NotesOn} for any contract. */
export interface OperationNotes extends CommonNotes {
	readonly operationId: string;
	readonly params?: Readonly<Record<string, unknown>>;
	readonly query?: Readonly<Record<string, unknown>>;
	readonly headers?: Readonly<Record<string, unknown>>;
	readonly bodies?: Examples<unknown>;
	readonly responses?: Readonly<Record<string, ResponseExample<unknown>>>;
}

/** Declares the notes on one contract. */
export function notesOn<C extends EndpointContract>(contract: C, notes: NotesOn<C>): OperationNotes {
	return { operationId: contract.operationId, ...notes };
}

/** The notes of an endpoint that has its examples in its own file. */
export function notesFrom({ operationId, examples = {}, page, rawBody, response }: EndpointContract): OperationNotes {
	const { params, query, headers, bodies, rawBodies, responses, texts, form: formExample } = examples;
	const form =
		rawBody?.form === undefined ? undefined : { ...rawBody.form, ...(formExample === undefined ? {} : { example: formExample }) };
	const notes = { params, query, headers, bodies, rawBodies, responses, texts, form, page, ...pick(response) };
	return { operationId, ...Object.fromEntries(Object.entries(notes).filter(([, value]) => value !== undefined)) };
}

function pick({ textSchemas, hasAnyMediaType }: EndpointContract["response"]) {
	return { textSchemas, hasAnyMediaType };
}
