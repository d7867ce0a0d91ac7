// Translates JSON Schema into the types of the Python package. Values that the platform returns become classes; values that it accepts
// become type hints.

import { pascalCase } from "./names.ts";

/** A part of the OpenAPI document that describes a value. */
export type JsonSchema = Readonly<Record<string, unknown>>;

interface ModelClass {
	readonly name: string;
	readonly text: string;
}

const KEYWORDS = new Set([
	...["and", "as", "async", "await", "class", "def", "del", "for", "from", "global", "if", "import", "in", "is", "lambda", "not", "or"],
	...["pass", "raise", "return", "try", "while", "with", "yield", "None", "True", "False"],
]);
/** Methods of every pydantic class. */
const METHODS = new Set(["copy", "construct", "dict", "fields", "json", "schema", "validate"]);
const COMPONENT = "#/components/schemas/";

/** Collects the classes that types refer to, each after the classes that it needs itself. */
export class PythonTypes {
	readonly #schemas: Readonly<Record<string, JsonSchema>>;
	readonly #written = new Map<string, string>();
	readonly #classes: ModelClass[] = [];
	/** The schemas that are being written, to find a schema that contains itself. */
	readonly #open = new Set<string>();

	constructor(schemas: Readonly<Record<string, JsonSchema>>) {
		this.#schemas = schemas;
	}

	get classes(): readonly ModelClass[] {
		return this.#classes;
	}

	/** Returns the type of a named schema. A schema that contains itself is described as any value. */
	named(name: string): string {
		const written = this.#written.get(name);
		if (written !== undefined) return written;
		if (this.#open.has(name)) return "Any";
		this.#open.add(name);
		const type = this.returned(this.#schemas[name] ?? {}, name);
		this.#open.delete(name);
		this.#written.set(name, type);
		return type;
	}

	/** Returns the type of a value that the platform returns. An object with fields becomes a class of the suggested name. */
	returned(schema: JsonSchema, suggested: string): string {
		return typeOf(schema, {
			reference: (name) => this.named(name),
			nested: (nested, suffix = "") => this.returned(nested, `${suggested}${suffix}`),
			object: (properties) => this.#writeClass(schema, properties, suggested),
			time: "datetime",
			list: "List",
		});
	}

	/** Returns the type of a value that the caller passes. A caller can also pass dictionaries for objects. */
	accepted(schema: JsonSchema): string {
		return typeOf(schema, {
			reference: (name) => this.accepted(this.#schemas[name] ?? {}),
			nested: (nested) => this.accepted(nested),
			object: () => "Mapping[str, Any]",
			time: "Union[datetime, str]",
			list: "Sequence",
		});
	}

	/** Returns a schema without its reference. */
	resolve(schema: JsonSchema): JsonSchema {
		const name = referenceOf(schema);
		return name === null ? schema : this.resolve(this.#schemas[name] ?? {});
	}

	#writeClass(schema: JsonSchema, properties: Readonly<Record<string, JsonSchema>>, name: string): string {
		const required = new Set(Array.isArray(schema["required"]) ? schema["required"] : []);
		const fields = Object.entries(properties).map(([field, value]) => {
			const type = this.returned(value, `${name}${pascalCase(field)}`);
			return `${declareField(field, type, required.has(field))}\n${docstring(textOf(value), "    ")}`;
		});
		const body = [docstring(textOf(schema), "    "), ...fields].filter((part) => part !== "").join("\n");
		this.#classes.push({ name, text: `class ${name}(Model):\n${body === "" ? "    pass\n" : body}` });
		return name;
	}
}

/** Declares a field of a class. A field that is not required defaults to None. A name that Python cannot have gets an alias. */
function declareField(field: string, type: string, isRequired: boolean): string {
	const own = METHODS.has(field) ? `${field}_` : pythonName(field);
	const alias = own === field ? "" : `alias=${JSON.stringify(field)}`;
	if (isRequired) return `    ${own}: ${type}${alias === "" ? "" : ` = Field(..., ${alias})`}`;
	const optional = type === "Any" || type.startsWith("Optional[") ? type : `Optional[${type}]`;
	return `    ${own}: ${optional} = ${alias === "" ? "None" : `Field(None, ${alias})`}`;
}

interface Translation {
	readonly reference: (name: string) => string;
	readonly nested: (schema: JsonSchema, suffix?: string) => string;
	readonly object: (properties: Readonly<Record<string, JsonSchema>>) => string;
	readonly time: string;
	readonly list: string;
}

function typeOf(schema: JsonSchema, to: Translation): string {
	const name = referenceOf(schema);
	if (name !== null) return to.reference(name);
	const { type } = schema;
	if (Array.isArray(type)) return union(type.map((each) => typeOf({ ...schema, type: each }, to)));
	const alternatives = schemasOf(schema["anyOf"]);
	// Alternatives that only say which fields are required describe the same object.
	if (alternatives.length > 0 && type === undefined) return union(alternatives.map((each) => to.nested(each)));
	if (typeof schema["const"] === "string") return `Literal[${JSON.stringify(schema["const"])}]`;
	if ("const" in schema) return literals([schema["const"]]);
	if (Array.isArray(schema["enum"])) return literals(schema["enum"]);
	if (type === "object") return objectType(schema, to);
	if (type === "array") return `${to.list}[${to.nested(recordOf(schema["items"]), "Item")}]`;
	if (type === "string" && schema["format"] === "date-time") return to.time;
	return { string: "str", integer: "int", number: "float", boolean: "bool", null: "None" }[String(type)] ?? "Any";
}

function objectType(schema: JsonSchema, to: Translation): string {
	const properties = propertiesOf(schema);
	if (Object.keys(properties).length > 0) return to.object(properties);
	const values = recordOf(schema["additionalProperties"]);
	const value = Object.keys(values).length === 0 ? "Any" : to.nested(values, "Value");
	return to.list === "List" ? `Dict[str, ${value}]` : `Mapping[str, ${value}]`;
}

/** Returns the type of an enumeration. Accepts any text, because a newer platform may have further values. */
function literals(values: readonly unknown[]): string {
	const texts = values.filter((value) => typeof value === "string");
	if (texts.length === values.length) return `Union[Literal[${texts.map((text) => JSON.stringify(text)).join(", ")}], str]`;
	return values.every((value) => typeof value === "boolean") ? "bool" : "Any";
}

function union(types: readonly string[]): string {
	const parts = [...new Set(types)].filter((type) => type !== "None");
	const whole = parts.length === 1 ? parts.join("") : `Union[${parts.join(", ")}]`;
	if (parts.includes("Any")) return "Any";
	return types.includes("None") ? `Optional[${whole}]` : whole;
}

/** Returns the fields of an object's schema. */
export function propertiesOf(schema: JsonSchema): Readonly<Record<string, JsonSchema>> {
	return Object.fromEntries(Object.entries(recordOf(schema["properties"])).map(([name, value]) => [name, recordOf(value)]));
}

/** Returns the name of the schema that a reference leads to. Returns null for an inline schema. */
function referenceOf(schema: JsonSchema): string | null {
	const reference = schema["$ref"];
	return typeof reference === "string" && reference.startsWith(COMPONENT) ? reference.slice(COMPONENT.length) : null;
}

/** Returns the value as a schema, or an empty one for a value that is not a schema. */
export function recordOf(value: unknown): JsonSchema {
	return typeof value === "object" && value !== null && !Array.isArray(value) ? Object.fromEntries(Object.entries(value)) : {};
}

function schemasOf(value: unknown): readonly JsonSchema[] {
	return Array.isArray(value) ? value.map(recordOf) : [];
}

function textOf(schema: JsonSchema): string {
	return typeof schema["description"] === "string" ? schema["description"] : "";
}

/** Returns text as the documentation of a class, field or function. */
export function docstring(text: string, indent: string): string {
	if (text === "") return "";
	const escaped = text.replaceAll("\\", "\\\\").replaceAll('"""', '\\"\\"\\"');
	const lines = escaped.endsWith('"') ? `${escaped} ` : escaped;
	const isShort = !lines.includes("\n");
	const end = isShort ? '"""' : `\n${indent}"""`;
	return `${indent}"""${lines
		.split("\n")
		.join(`\n${indent}`)
		.replace(/[ ]+\n/g, "\n")}${end}\n`;
}

/** Converts `getTask` and `X-Workspace-Path` to Python's style: `get_task`, `x_workspace_path`. */
export function snakeCase(name: string): string {
	return name
		.replace(/([a-z0-9])([A-Z])/g, "$1_$2")
		.replace(/[^A-Za-z0-9]+/g, "_")
		.toLowerCase();
}

/** Returns a name that Python allows for a field or parameter. A reserved name gets an underscore at its end. */
export function pythonName(name: string): string {
	const safe = name.replace(/[^A-Za-z0-9_]/g, "_").replace(/^(?=\d)/, "value_");
	return KEYWORDS.has(safe) || safe.startsWith("_") ? `${safe.replace(/^_+/, "")}_` : safe;
}
