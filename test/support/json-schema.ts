// Reads the contracts' JSON Schemas: which fields are text, and an example of a valid value.
import { z } from "zod";

interface Schema {
	readonly type?: string;
	readonly properties?: Readonly<Record<string, Schema>>;
	readonly required?: readonly string[];
	readonly items?: Schema;
	readonly anyOf?: readonly Schema[];
	readonly oneOf?: readonly Schema[];
	readonly enum?: readonly unknown[];
	readonly const?: unknown;
	readonly format?: string;
	readonly minimum?: number;
	readonly minLength?: number;
	readonly minItems?: number;
	readonly $ref?: string;
	readonly $defs?: Readonly<Record<string, Schema>>;
}

type Path = readonly (string | number)[];

/** Returns the paths of all fields that accept a string, including those in the first item of a list. */
export function allStringPaths(root: object): Path[] {
	const walk = (schema: Schema, path: Path): Path[] => {
		const resolved = dereference(schema, root);
		const parts = [...(resolved.anyOf ?? []), ...(resolved.oneOf ?? [])].flatMap((part) => walk(part, path));
		if (resolved.type === "string") parts.push(path);
		for (const [name, property] of Object.entries(resolved.properties ?? {})) parts.push(...walk(property, [...path, name]));
		if (resolved.items !== undefined) parts.push(...walk(resolved.items, [...path, 0]));
		return parts;
	};
	return walk(root, []).filter((path) => path.length > 0);
}

/** Returns a value that the schema accepts, with only the required fields. */
export function exampleOf(root: object): unknown {
	return makeExample(root, root);
}

function makeExample(schema: Schema, root: object): unknown {
	const resolved = dereference(schema, root);
	const [first] = resolved.anyOf ?? resolved.oneOf ?? [];
	if (first !== undefined) return makeExample(first, root);
	const [fixed] = resolved.enum ?? [resolved.const];
	if (fixed !== undefined) return fixed;
	switch (resolved.type) {
		case "object":
			return Object.fromEntries((resolved.required ?? []).map((name) => [name, makeExample(resolved.properties?.[name] ?? {}, root)]));
		case "array":
			return Array.from({ length: resolved.minItems ?? 0 }, () => makeExample(resolved.items ?? {}, root));
		case "string":
			return exampleText(resolved);
		case "boolean":
			return true;
		default:
			return Math.max(1, resolved.minimum ?? 1);
	}
}

function exampleText({ format, minLength = 1 }: Schema): string {
	if (format === "uuid") return "01900000-0000-7000-8000-000000000000";
	if (format === "date-time") return "2100-01-01T00:00:00.000Z";
	if (format === "uri") return "https://example.com/";
	return "x".repeat(Math.max(1, minLength));
}

function dereference(schema: Schema, root: object): Schema {
	const name = schema.$ref?.split("/").at(-1);
	return name === undefined ? schema : ((root as Schema).$defs?.[name] ?? {});
}

/** Returns a copy of a JSON value with another value at a path, and creates missing parents. */
export function replaceAt(value: unknown, [head, ...rest]: Path, replacement: unknown): unknown {
	if (head === undefined) return replacement;
	if (typeof head === "number") {
		const list = Array.isArray(value) ? [...value] : [];
		list[head] = replaceAt(list[head], rest, replacement);
		return list;
	}
	const record = typeof value === "object" && value !== null ? { ...value } : {};
	return { ...record, [head]: replaceAt((record as Record<string, unknown>)[head], rest, replacement) };
}

/** Returns true if a query parameter may be given more than once. */
export function isListSchema(schema: z.core.$ZodType): boolean {
	return JSON.stringify(z.toJSONSchema(schema, { io: "input", unrepresentable: "any" })).includes('"array"');
}
