// The input and the result of each operation, for `request` and `open`, which take an `operationId`.
import type { OPERATIONS } from "../generated/methods.ts";
import type { operations } from "../generated/schema.ts";
import type { CallOptions } from "./options.ts";
import type { Selected } from "./selection.ts";

/** The `operationId` of an endpoint. */
export type OperationId = Extract<keyof typeof OPERATIONS, keyof operations>;

type Parameters<Id extends OperationId> = operations[Id]["parameters"];
type NotNull<Value> = NonNullable<Value>;

type PathOf<Id extends OperationId> = NotNull<Parameters<Id>["path"]>;
export type QueryOf<Id extends OperationId> = NotNull<Parameters<Id>["query"]>;
type HeadersOf<Id extends OperationId> = NotNull<Parameters<Id>["header"]>;

type RequestBodyOf<Id extends OperationId> = operations[Id] extends { requestBody?: infer Body } ? Body : never;
type JsonContent<Body> = Body extends { content: { "application/json": infer Json } } ? Json : never;

/** The JSON body that an operation accepts. */
export type BodyOf<Id extends OperationId> = JsonContent<NotNull<RequestBodyOf<Id>>>;

type Successes<Id extends OperationId> = operations[Id]["responses"][keyof operations[Id]["responses"] & (200 | 201 | 202 | 206)];
type ContentOf<Response> = Response extends { content: infer Content } ? Content : never;
type DataOf<Content> = Content extends { "application/json": infer Json } ? Json : string;

/** The JSON that an operation returns; text if it returns something else. */
export type ResultOf<Id extends OperationId> = DataOf<ContentOf<Successes<Id>>>;

/** The result of an operation whose query has these `fields`, if it supports any. */
export type SelectedOf<Id extends OperationId, Fields> = "fields" extends keyof QueryOf<Id> ? Selected<ResultOf<Id>, Fields> : ResultOf<Id>;

type IfAny<Value, Then> = [Value] extends [never] ? unknown : Then;
type RequiredKeys<Value> = { [Key in keyof Value]-?: object extends Pick<Value, Key> ? never : Key }[keyof Value];
type Field<Name extends string, Value> = [RequiredKeys<Value>] extends [never] ? { [Key in Name]?: Value } : { [Key in Name]: Value };
type BodyField<Id extends OperationId> = undefined extends RequestBodyOf<Id> ? { body?: BodyOf<Id> } : { body: BodyOf<Id> };

/** Everything that a request to an operation needs, except the key. */
export type InputOf<Id extends OperationId> = CallOptions &
	IfAny<PathOf<Id>, Field<"path", PathOf<Id>>> &
	IfAny<QueryOf<Id>, Field<"query", QueryOf<Id>>> &
	IfAny<HeadersOf<Id>, Field<"headers", HeadersOf<Id>>> &
	IfAny<BodyOf<Id>, BodyField<Id>>;
