// Describes the request bodies of operations: JSON with examples, forms with their fields, or bytes.
import { DEFAULT_BODY_LIMIT_BYTES } from "../../src/http/body.ts";
import type { EndpointContract, NamedExamples } from "../../src/http/endpoint.ts";
import type { Json } from "./json.ts";
import type { SchemaCollection } from "./schemas.ts";

export const BINARY = { schema: { type: "string", format: "binary" } };
const MULTIPART = "multipart/form-data";
/** The media type of the forms in sign-in protocols. */
export const URL_ENCODED = "application/x-www-form-urlencoded";
const MEGABYTE = 1_048_576;

type Form = NonNullable<EndpointContract["rawBody"]>["form"];

/** Describes the request body of an operation. Returns null if it accepts none. */
export function describeBody({ body, rawBody, examples = {} }: EndpointContract, schemas: SchemaCollection): Json | null {
	if (body === undefined && rawBody === undefined) return null;
	const json =
		body === undefined
			? {}
			: { "application/json": { schema: schemas.describe(body.schema, "input"), ...describeExamples(examples.bodies ?? {}) } };
	const rawSchema = rawBody?.schema === undefined ? { type: "object" } : schemas.describe(rawBody.schema, "input");
	const raw = Object.fromEntries(
		(rawBody?.contentTypes ?? []).map((type) => [
			type,
			/[/+]json$/.test(type) || type === URL_ENCODED
				? { schema: rawSchema, ...describeExamples(examples.rawBodies ?? {}) }
				: describeRaw(type, { form: rawBody?.form, example: examples.form }, schemas),
		]),
	);
	const limit = body === undefined ? [] : [`JSON of at most ${formatSize(body.maxBytes ?? DEFAULT_BODY_LIMIT_BYTES)}.`];
	const description = [...(rawBody === undefined ? [] : [rawBody.description]), ...limit].join(" ");
	// Some generators know only the first type. A form comes first, because all of them can send one.
	const types = Object.entries({ ...json, ...raw }).toSorted(([a], [b]) => Number(b === MULTIPART) - Number(a === MULTIPART));
	return { required: body?.required ?? true, description, content: Object.fromEntries(types) };
}

function describeRaw(
	contentType: string,
	{ form, example }: { form: Form; example: Readonly<Record<string, string>> | undefined },
	schemas: SchemaCollection,
): Json {
	if (contentType !== MULTIPART || form === undefined) return BINARY;
	const encoding = Object.fromEntries(Object.entries(form.contentTypes).map(([field, type]) => [field, { contentType: type }]));
	return {
		schema: schemas.describe(form.schema, "input"),
		encoding,
		...(example === undefined ? {} : { example }),
	};
}

/** Describes the examples of a media type, if there are any. */
export function describeExamples(examples: NamedExamples<unknown>): Json {
	const entries = Object.entries(examples).map(([name, { summary, value }]) => [
		name,
		{ ...(summary === undefined ? {} : { summary }), value },
	]);
	return entries.length === 0 ? {} : { examples: Object.fromEntries(entries) };
}

function formatSize(bytes: number): string {
	return `${Math.floor((bytes / MEGABYTE) * 10) / 10} MB`;
}
