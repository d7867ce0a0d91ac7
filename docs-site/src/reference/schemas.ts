// Reads the named schemas of docs/openapi.json for separate pages, because starlight-openapi shows them only inside operations.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "astro/zod";
import { PROJECT_ROOT } from "../project-root.ts";

/** The document contains JSON Schemas of this form. It lists only what the pages show; `$ref` names another schema. */
const jsonSchema = z.looseObject({
	get $ref() {
		return z.string().optional();
	},
	type: z.union([z.string(), z.array(z.string())]).optional(),
	format: z.string().optional(),
	description: z.string().optional(),
	enum: z.array(z.unknown()).optional(),
	const: z.unknown().optional(),
	required: z.array(z.string()).optional(),
	get properties() {
		return z.record(z.string(), jsonSchema).optional();
	},
	get items() {
		return jsonSchema.optional();
	},
	get additionalProperties() {
		return z.union([z.boolean(), jsonSchema]).optional();
	},
	get anyOf() {
		return z.array(jsonSchema).optional();
	},
	get oneOf() {
		return z.array(jsonSchema).optional();
	},
	get allOf() {
		return z.array(jsonSchema).optional();
	},
});
export type JsonSchema = z.output<typeof jsonSchema>;

const operation = z.looseObject({ summary: z.string(), operationId: z.string() });
const METHODS = ["get", "post", "put", "patch", "delete"] as const;
const described = z.object({
	paths: z.record(z.string(), z.looseObject({})),
	components: z.object({ schemas: z.record(z.string(), jsonSchema) }),
});

export interface NamedSchema {
	readonly name: string;
	readonly schema: JsonSchema;
	/** The request or responses of these operations contain the schema by name. */
	readonly usedBy: readonly { readonly href: string; readonly summary: string }[];
}

/** Returns all named schemas, by name. */
export function readSchemas(): readonly NamedSchema[] {
	const { paths, components } = described.parse(JSON.parse(readFileSync(join(PROJECT_ROOT, "docs", "openapi.json"), "utf8")));
	const operations = Object.values(paths).flatMap((item) =>
		METHODS.flatMap((method) => {
			const given = item[method];
			return given === undefined ? [] : [{ ...operation.parse(given), text: JSON.stringify(given) }];
		}),
	);
	return Object.entries(components.schemas)
		.map(([name, schema]) => ({
			name,
			schema,
			usedBy: operations
				.filter(({ text }) => text.includes(`"#/components/schemas/${name}"`))
				.map(({ operationId, summary }) => ({ href: `/docs/reference/operations/${operationId.toLowerCase()}`, summary })),
		}))
		.toSorted((a, b) => a.name.localeCompare(b.name));
}

/** Returns the page of a named schema. */
export function schemaPath(name: string): string {
	return `/docs/reference/schemas/${name.toLowerCase()}`;
}

export interface TypePart {
	readonly text: string;
	readonly href?: string;
}

/** Returns a schema's type in a few words, with links to named schemas: `array of Criterion`, `string or null`. */
export function describeType(schema: JsonSchema): readonly TypePart[] {
	const { $ref, type, items, enum: values, format } = schema;
	if ($ref !== undefined) {
		const name = $ref.split("/").at(-1) ?? $ref;
		return [{ text: name, href: schemaPath(name) }];
	}
	const choices = schema.anyOf ?? schema.oneOf;
	if (choices !== undefined)
		return choices.flatMap((choice, index) => [...(index === 0 ? [] : [{ text: " or " }]), ...describeType(choice)]);
	if (schema.allOf !== undefined) return schema.allOf.flatMap(describeType);
	if (schema.const !== undefined) return [{ text: JSON.stringify(schema.const) }];
	if (values !== undefined) return [{ text: values.map((value) => JSON.stringify(value)).join(", ") }];
	if (items !== undefined) return [{ text: "array of " }, ...describeType(items)];
	const text = Array.isArray(type) ? type.join(" or ") : (type ?? "any");
	if (text === "object" && typeof schema.additionalProperties === "object")
		return [{ text: "map of " }, ...describeType(schema.additionalProperties)];
	return [{ text: format === undefined ? text : `${text} (${format})` }];
}

export interface Field {
	readonly name: string;
	readonly type: readonly TypePart[];
	readonly isRequired: boolean;
	readonly description: string;
}

/** Returns the fields of an object, with those of the parts that it is composed of. */
export function fieldsOf(schema: JsonSchema): readonly Field[] {
	const own = Object.entries(schema.properties ?? {}).map(([name, value]) => ({
		name,
		type: describeType(value),
		isRequired: schema.required?.includes(name) ?? false,
		description: value.description ?? "",
	}));
	return [...own, ...(schema.allOf ?? []).flatMap(fieldsOf)];
}
