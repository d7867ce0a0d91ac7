import type * as z from "zod";

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
export type NamedExamples<Value> = Readonly<Record<string, Example<Value>>>;

interface ResponseExample<Value> extends Example<Value> {
	/** Default: the contract's first. */
	readonly status?: number;
}

/** The examples of one operation, in the OpenAPI document and the documentation. */
export interface OperationExamples {
	readonly params?: Readonly<Record<string, unknown>>;
	readonly query?: Readonly<Record<string, unknown>>;
	readonly headers?: Readonly<Record<string, unknown>>;
	readonly bodies?: NamedExamples<unknown>;
	/** Bodies in JSON that the handler parses itself. */
	readonly rawBodies?: NamedExamples<unknown>;
	/** Fields of a form. Files are left out unless they are text. */
	readonly form?: Readonly<Record<string, string>>;
	readonly responses?: Readonly<Record<string, ResponseExample<unknown>>>;
	/** Responses that are not JSON, by content type. */
	readonly texts?: Readonly<Record<string, unknown>>;
}

type InputExample<Key extends string, Schema> = Schema extends z.ZodType ? Readonly<Record<Key, z.input<Schema>>> : unknown;

/** {@link OperationExamples} with the types of a contract, so the compiler finds examples that no longer fit it. */
export type ExamplesOf<P, Q, H, B, S extends z.ZodType> = OperationExamples &
	InputExample<"params", P> &
	InputExample<"query", Q> &
	InputExample<"headers", H> &
	(B extends z.ZodType ? { readonly bodies: NamedExamples<z.input<B>> } : unknown) & {
		readonly responses?: Readonly<Record<string, ResponseExample<z.output<S>>>>;
	};
