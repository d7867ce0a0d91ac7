// Gives every field of the document a description: the contract's own, or the one of field-meanings.ts.
import { MEANINGS } from "./field-meanings.ts";
import { isJson, type Json } from "./json.ts";

/** A copy of a schema in which fields that say nothing of themselves are described. `root` is the schema's or operation's name. */
export function describeFields(schema: Json, root: string): Json {
	const described = describe(schema, [root]);
	return isJson(described) ? described : schema;
}

function describe(schema: unknown, trail: readonly string[]): unknown {
	if (Array.isArray(schema)) return schema.map((part) => describe(part, trail));
	if (!isJson(schema)) return schema;
	const entries = Object.entries(schema).map(([key, part]) => {
		if (key === "properties" && isJson(part)) return [key, describeProperties(part, trail)];
		return [
			key,
			["items", "anyOf", "allOf", "oneOf", "additionalProperties", "contentSchema"].includes(key) ? describe(part, trail) : part,
		];
	});
	return Object.fromEntries(entries);
}

function describeProperties(properties: Json, trail: readonly string[]): Json {
	return Object.fromEntries(
		Object.entries(properties).map(([name, schema]) => {
			const own = describe(schema, [...trail, name]);
			const meaning = findMeaning([...trail, name]);
			const isSilent = isJson(own) && own["description"] === undefined && own["const"] === undefined;
			return [name, isSilent && meaning !== undefined ? { ...own, description: meaning } : own];
		}),
	);
}

/** The most particular one: of the field in the object around it, in its schema, of the name. */
function findMeaning(trail: readonly string[]): string | undefined {
	const [root = "", name = ""] = [trail[0], trail.at(-1)];
	return MEANINGS[trail.slice(-2).join(".")] ?? MEANINGS[`${root}.${name}`] ?? MEANINGS[name];
}
