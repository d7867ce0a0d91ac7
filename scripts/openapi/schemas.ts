// Translates zod to the JSON Schema of the document. Named schemas (`.meta({ id })`) become components.
import { isDeepStrictEqual } from "node:util";
import * as z from "zod";
import { isJson, type Json, toJson } from "./json.ts";

export type Direction = "input" | "output";

/** Collects the document's named schemas while its operations are described. */
export class SchemaCollection {
	readonly #schemas = new Map<string, Json>();
	readonly #isClosed: boolean;

	/** @param isClosed If true, responses have only the fields of their schemas, for tests. Clients must accept other fields. */
	constructor({ isClosed = false }: { readonly isClosed?: boolean } = {}) {
		this.#isClosed = isClosed;
	}

	/**
	 * Returns the JSON Schema of a request (`input`) or a response (`output`), or a reference for a named schema. In a schema's meta,
	 * `override` replaces what zod makes of it, and `adds` has keywords that zod does not know.
	 */
	describe(schema: z.ZodType, direction: Direction): Json {
		const { $schema: _, ...converted }: Json = z.toJSONSchema(schema, {
			target: "draft-2020-12",
			io: direction,
			unrepresentable: "any",
			reused: "inline",
			override: ({ zodSchema, jsonSchema }) => this.#applyMeta(zodSchema, jsonSchema, direction),
		});
		const { $defs, ...own } = toJson(tidy(converted, { direction, isClosed: this.#isClosed }));
		for (const [name, definition] of Object.entries(toJson($defs))) this.#add(name, toJson(definition));
		return own;
	}

	/** Lists the schemas in alphabetical order, so that the document does not depend on the order of the endpoints. */
	list(): Json {
		return Object.fromEntries([...this.#schemas].toSorted(([a], [b]) => (a < b ? -1 : 1)));
	}

	/**
	 * Adds a schema.
	 *
	 * @throws Error if another schema has the same name. A request and a response never share a name, because a schema's input and output
	 * differ.
	 */
	#add(name: string, definition: Json): void {
		const known = this.#schemas.get(name);
		if (known !== undefined && !isDeepStrictEqual(known, definition)) throw new Error(`Two different schemas are called ${name}.`);
		this.#schemas.set(name, definition);
	}

	#applyMeta(schema: z.core.$ZodTypes, json: Json, direction: Direction): void {
		const { override, adds, description } = z.globalRegistry.get(schema) ?? {};
		delete json["override"];
		delete json["adds"];
		if (isJson(override)) {
			for (const key of Object.keys(json)) delete json[key];
			for (const [key, value] of Object.entries(override)) json[key] = value instanceof z.ZodType ? this.describe(value, direction) : value;
			if (description !== undefined) json["description"] = description;
		}
		if (isJson(adds)) Object.assign(json, hideCombinations(toJson(openConditions(adds))));
	}
}

const COMBINATIONS: readonly string[] = ["allOf", "anyOf", "oneOf"];

/**
 * Moves combinations of conditions, such as "one of these two fields", to a place that generators do not read: the `else` branch of a
 * condition. Next to `properties`, generators would treat them as unnamed types: TypeScript's become unknown, and ogen stops.
 */
function hideCombinations(adds: Json): Json {
	const [combined = [], rest = []] = [true, false].map((isWanted) =>
		Object.entries(adds).filter(([key]) => COMBINATIONS.includes(key) === isWanted),
	);
	return { ...Object.fromEntries(rest), ...(combined.length === 0 ? {} : { if: { type: "string" }, else: Object.fromEntries(combined) }) };
}

/** Opens conditions. Linters close each object that has properties, but a condition names only the properties that it is about. */
function openConditions(value: unknown): unknown {
	if (Array.isArray(value)) return value.map(openConditions);
	if (!isJson(value)) return value;
	const parts = Object.fromEntries(Object.entries(value).map(([key, part]) => [key, openConditions(part)]));
	return isJson(value["properties"]) ? { ...parts, unevaluatedProperties: true } : parts;
}

/** Formats for which a pattern says no more than the format itself. */
const SELF_EVIDENT_FORMATS: readonly unknown[] = ["uuid", "date-time", "date"];

interface Use {
	readonly direction: Direction;
	readonly isClosed: boolean;
}

/**
 * Points references to the place of schemas in an OpenAPI document, removes keywords that matter only to authors of validators, and
 * expresses the rest in terms that generators of other languages accept.
 */
function tidy(value: unknown, use: Use): unknown {
	if (Array.isArray(value)) return value.map((part) => tidy(part, use));
	if (!isJson(value)) return value;
	const entries = Object.entries(value)
		.filter(([key, part]) => !isSelfEvident(value, key) && !(use.direction === "output" && isNeedlessInResponse(use, key, part)))
		.map(([key, part]) => [
			key,
			key === "$ref" && typeof part === "string" ? part.replace("#/$defs/", "#/components/schemas/") : tidy(part, use),
		]);
	return withIntegerFormat(unionOfOneOrMany(withoutBooleanConst(Object.fromEntries(entries))));
}

function isNeedlessInResponse({ isClosed }: Use, key: string, value: unknown): boolean {
	return isSafeIntegerBound(key, value) || (key === "additionalProperties" && value === false && !isClosed);
}

const LARGEST_INT32 = 2 ** 31 - 1;

/** Adds the format of an integer. Without one, generators use 32 bits, which are too few for a budget in cents. */
function withIntegerFormat(schema: Json): Json {
	if (![schema["type"]].flat().includes("integer")) return schema;
	const { maximum } = schema;
	return { ...schema, format: typeof maximum === "number" && maximum <= LARGEST_INT32 ? "int32" : "int64" };
}

/**
 * Removes a boolean constant, because generators make an enumeration from a constant, and fail for a boolean one. The description states
 * the value.
 */
function withoutBooleanConst(schema: Json): Json {
	const { const: constant, ...rest } = schema;
	return typeof constant === "boolean" ? rest : schema;
}

function isSelfEvident(schema: Json, key: string): boolean {
	return key === "pattern" && SELF_EVIDENT_FORMATS.includes(schema["format"]);
}

/**
 * Returns true if the keyword is the bound of safe integers. A number that clients send must be in this range, and every number that they
 * receive is.
 */
function isSafeIntegerBound(key: string, value: unknown): boolean {
	return (key === "maximum" && value === Number.MAX_SAFE_INTEGER) || (key === "minimum" && value === Number.MIN_SAFE_INTEGER);
}

/** Returns the list form of a parameter that may be repeated. The server accepts one value or a list, but clients see only the list. */
function unionOfOneOrMany(json: Json): Json {
	const { anyOf, ...rest } = json;
	if (!Array.isArray(anyOf) || anyOf.length !== 2) return json;
	const [one, many] = anyOf;
	return isJson(many) && many["type"] === "array" && isDeepStrictEqual(many["items"], one) ? { ...many, ...rest } : json;
}
