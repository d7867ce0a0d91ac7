// From zod to the JSON Schema of the document. Named schemas (`.meta({ id })`) become components.
import { isDeepStrictEqual } from "node:util";
import * as z from "zod";
import { describeFields } from "./fields.ts";
import { isJson, type Json } from "./json.ts";
import { SCHEMA_MEANINGS } from "./schema-meanings.ts";

export type Direction = "input" | "output";

/** The document's named schemas, collected while its operations are described. */
export class SchemaCollection {
	readonly #schemas = new Map<string, Json>();

	/**
	 * JSON Schema of what is sent (`input`) or answered (`output`). `override` in a schema's meta replaces what zod makes of it.
	 * `owner` is the operation or event that an unnamed schema belongs to.
	 */
	describe(schema: z.ZodType, direction: Direction, owner = ""): Json {
		const { $defs, ...own } = convert(schema, direction);
		for (const [name, definition] of Object.entries(isJson($defs) ? $defs : {})) this.#add(name, definition);
		const { id, ...rest } = own;
		if (typeof id !== "string") return describeFields(rest, owner);
		this.#add(id, rest);
		return { $ref: `#/components/schemas/${id}` };
	}

	/** In alphabetical order, with every schema and field described, so that the document does not depend on the order of the endpoints. */
	list(): Json {
		const sorted = [...this.#schemas].toSorted(([a], [b]) => (a < b ? -1 : 1));
		return Object.fromEntries(sorted.map(([name, schema]) => [name, describeSchema(name, schema)]));
	}

	/** A request and a response never share a name, because a schema's input and output differ. */
	#add(name: string, definition: unknown): void {
		const { id: _, ...schema } = isJson(definition) ? definition : {};
		const known = this.#schemas.get(name);
		if (known !== undefined && !isDeepStrictEqual(known, schema)) throw new Error(`Two different schemas are called ${name}.`);
		this.#schemas.set(name, schema);
	}
}

function describeSchema(name: string, schema: Json): Json {
	const meaning = SCHEMA_MEANINGS[name];
	const isSilent = schema["description"] === undefined && meaning !== undefined;
	return describeFields(isSilent ? { ...schema, description: meaning } : schema, name);
}

function convert(schema: z.ZodType, direction: Direction): Json {
	const { $schema: _, ...json }: Json = z.toJSONSchema(schema, {
		target: "draft-2020-12",
		io: direction,
		unrepresentable: "any",
		reused: "inline",
		override: ({ zodSchema, jsonSchema }) => applyOverride(zodSchema, jsonSchema, direction),
	});
	const tidied = tidy(json);
	return isJson(tidied) ? tidied : {};
}

function applyOverride(schema: z.core.$ZodTypes, json: Json, direction: Direction): void {
	const { override, description } = z.globalRegistry.get(schema) ?? {};
	if (!isJson(override)) return;
	for (const key of Object.keys(json)) delete json[key];
	for (const [key, value] of Object.entries(override)) {
		const { id: _, ...inline } = value instanceof z.ZodType ? convert(value, direction) : {};
		json[key] = value instanceof z.ZodType ? inline : value;
	}
	if (description !== undefined) json["description"] = description;
}

/** Whose patterns say no more than the format does. */
const SELF_EVIDENT_FORMATS: readonly unknown[] = ["uuid", "date-time", "uri"];

/** Points references to where an OpenAPI document keeps its schemas, and leaves out what only a validator's author would miss. */
function tidy(value: unknown): unknown {
	if (Array.isArray(value)) return value.map(tidy);
	if (!isJson(value)) return value;
	const entries = Object.entries(value)
		.filter(([key, part]) => !(key === "pattern" && SELF_EVIDENT_FORMATS.includes(value["format"])) && !isSafeIntegerBound(key, part))
		.map(([key, part]) => [
			key,
			key === "$ref" && typeof part === "string" ? part.replace("#/$defs/", "#/components/schemas/") : tidy(part),
		]);
	return unionOfOneOrMany(Object.fromEntries(entries));
}

function isSafeIntegerBound(key: string, value: unknown): boolean {
	return (key === "maximum" && value === Number.MAX_SAFE_INTEGER) || (key === "minimum" && value === Number.MIN_SAFE_INTEGER);
}

/** A parameter that may be repeated is one value or a list of them; to a client it is a list. */
function unionOfOneOrMany(json: Json): Json {
	const { anyOf, ...rest } = json;
	if (!Array.isArray(anyOf) || anyOf.length !== 2) return json;
	const [one, many] = anyOf;
	return isJson(many) && many["type"] === "array" && isDeepStrictEqual(many["items"], one) ? { ...many, ...rest } : json;
}
