// What the document says about an operation beyond its contract: examples, longer texts, forms. None of it is in the Worker's bundle.
import type * as z from "zod";
import type { EndpointContract } from "../../../src/http/endpoint.ts";
import type { NamedExamples, OperationExamples } from "../../../src/http/examples.ts";

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
	readonly rawBodies?: NamedExamples<unknown>;
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
	? { readonly bodies: NamedExamples<z.input<Schema>> }
	: unknown;

type ResponseNotes<C extends EndpointContract> = {
	readonly responses?: Readonly<Record<string, NamedExamples<z.output<C["response"]["schema"]>>[string] & { readonly status?: number }>>;
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
	readonly bodies?: NamedExamples<unknown>;
	readonly responses?: OperationExamples["responses"] & object;
}

/** Declares the notes on one contract. */
export function notesOn<C extends EndpointContract>(contract: C, notes: NotesOn<C>): OperationNotes {
	return { operationId: contract.operationId, ...notes };
}

/** Puts the notes of an endpoint where an endpoint that has been converted to a file of its own declares them. */
export function withNotes(contract: EndpointContract, notes: OperationNotes | undefined): EndpointContract {
	if (notes === undefined) return contract;
	const { operationId: _, details = [], page, form, responseHeaders, textSchemas, hasAnyMediaType, ...examples } = notes;
	const { rawBody, response, description } = contract;
	return {
		...contract,
		description: [description, ...details].join("\n\n"),
		...(page === undefined ? {} : { page }),
		...(rawBody === undefined || form === undefined ? {} : { rawBody: { ...rawBody, form } }),
		response: {
			...response,
			headers: { ...response.headers, ...responseHeaders },
			...(textSchemas === undefined ? {} : { textSchemas }),
			...(hasAnyMediaType === undefined ? {} : { hasAnyMediaType }),
		},
		examples: { ...examples, ...(form?.example === undefined ? {} : { form: form.example }) },
	};
}
