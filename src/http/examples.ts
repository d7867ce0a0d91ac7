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
export type ExamplesOf<P, Q, H, B, S extends z.ZodType> = OperationExamples &
	InputExample<"params", P> &
	InputExample<"query", Q> &
	InputExample<"headers", H> &
	(B extends z.ZodType ? { readonly bodies: NamedExamples<z.input<B>> } : unknown) & {
		readonly responses?: Readonly<Record<string, ResponseExample<z.output<S>>>>;
	};
