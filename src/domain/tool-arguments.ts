// The input schemas of MCP tools use only what every client accepts: one type for each property, and the keywords in {@link Schema}.
import type { FieldFault } from "./errors.ts";

export interface Schema {
	readonly type: "string" | "integer" | "number" | "boolean" | "array" | "object";
	readonly description?: string;
	readonly enum?: readonly string[];
	readonly items?: Schema;
	readonly properties?: Readonly<Record<string, Schema>>;
	readonly required?: readonly string[];
}

export type Fields = Readonly<Record<string, unknown>>;

export function isFields(value: unknown): value is Fields {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}

const NIL_UUID = "00000000-0000-0000-0000-000000000000";

/** The depth to which arguments are searched. Deeper nesting is not from a real client, and could overflow the stack. */
const MAX_DEPTH = 10;

/** Returns true for values that mean "not given". Clients that must send every argument send such values for those that they omit. */
export function isNothing(value: unknown, depth = 0): boolean {
	if (value === null || value === undefined || value === "" || value === NIL_UUID) return true;
	if (typeof value !== "object" || depth > MAX_DEPTH) return false;
	return Object.values(value).every((part) => isNothing(part, depth + 1));
}

/** Arguments for which an empty string is a value, because a file, a note or a parameter can be empty. */
const KEPT: ReadonlySet<string> = new Set(["content", "value"]);
/** Arguments whose value is JSON as a string. Some clients send the JSON value itself. */
const JSON_TEXTS: ReadonlySet<string> = new Set(["body", "value_json"]);

/**
 * Normalizes a client's arguments for their schema: drops values that mean "not given", and parses JSON strings where another type is
 * expected. Where a list is expected, turns a map into a list of files, or of names and values. Returns undefined if nothing is left.
 */
export function makeRegular(schema: Schema, given: unknown): unknown {
	if (given === null || given === "") return undefined;
	const value = schema.type === "string" ? given : readJsonText(schema.type, given);
	if (schema.type === "array") return makeListRegular(schema.items, value);
	if (schema.type === "object" && isFields(value)) return makeObjectRegular(schema.properties ?? {}, value);
	return isNothing(value) ? undefined : value;
}

function makeListRegular(items: Schema | undefined, given: unknown): unknown {
	const list = isFields(given) ? entriesOf(items?.properties ?? {}, given) : given;
	if (!Array.isArray(list) || items === undefined) return isNothing(list) ? undefined : list;
	const regularItems = list.map((item) => makeRegular(items, item)).filter((item) => item !== undefined);
	if (regularItems.length === 0) return undefined;
	return items.properties?.["value"] === undefined ? regularItems : regularItems.map(withTextValue);
}

/** Converts a map to the list that a schema expects. The keys are paths of files, or names of values. Returns other maps unchanged. */
function entriesOf(properties: Readonly<Record<string, Schema>>, map: Fields): unknown {
	if (properties["path"] !== undefined && properties["content"] !== undefined) {
		return Object.entries(map).map(([path, file]) => (isFields(file) ? { ...file, path } : { path, content: file }));
	}
	if (properties["name"] === undefined || properties["value"] === undefined) return map;
	return Object.entries(map).flatMap(([name, value]) => [value].flat().flatMap((one) => (one === null ? [] : [{ name, value: one }])));
}

function withTextValue(pair: unknown): unknown {
	if (!isFields(pair)) return pair;
	const { value } = pair;
	return typeof value === "number" || typeof value === "boolean" ? { ...pair, value: String(value) } : pair;
}

function makeObjectRegular(properties: Readonly<Record<string, Schema>>, given: Fields): Fields | undefined {
	const members = Object.entries(given).map(([name, value]) => {
		const schema = Object.hasOwn(properties, name) ? properties[name] : undefined;
		return [name, schema === undefined ? value : makeMemberRegular(name, schema, value)] as const;
	});
	const presentMembers = members.filter(([, value]) => value !== undefined && value !== null);
	// Empty content is valid for a file with a path.
	return presentMembers.every(([name, value]) => (KEPT.has(name) || properties[name] === undefined) && isNothing(value))
		? undefined
		: Object.fromEntries(presentMembers);
}

function makeMemberRegular(name: string, schema: Schema, given: unknown): unknown {
	if (KEPT.has(name)) return given ?? undefined;
	if (JSON_TEXTS.has(name) && given !== null && given !== undefined && typeof given !== "string") return toJsonText(given);
	const value = makeRegular(schema, given);
	return name === "limit" && typeof value === "number" && value < 1 ? undefined : value;
}

/**
 * Parses a JSON string if the result has the expected type. A list, an object and null count as the same type. Otherwise, returns `given`.
 */
function readJsonText(type: Schema["type"], given: unknown): unknown {
	if (typeof given !== "string") return given;
	const value = parseJson(given);
	const isDue = type === "array" || type === "object" ? typeof value === "object" : typeof value === (type === "boolean" ? type : "number");
	return isDue ? value : given;
}

/** Formats a value as JSON. Returns the value unchanged if it is nested too deeply. */
function toJsonText(value: unknown): unknown {
	try {
		return JSON.stringify(value);
	} catch {
		return value;
	}
}

/** Parses JSON. Returns undefined for text that is not JSON. */
export function parseJson(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}

const TYPE_NAMES: Readonly<Record<Schema["type"], string>> = {
	string: "text",
	integer: "a whole number",
	number: "a number",
	boolean: "true or false",
	array: "a list",
	object: "an object",
};

/** Lists what is wrong with normalized arguments. The endpoint behind the tool checks the rest, such as lengths. */
export function findFaults(schema: Schema, value: unknown, path = ""): FieldFault[] {
	if (!hasType(schema.type, value)) return [{ path, message: `must be ${TYPE_NAMES[schema.type]}` }];
	if (schema.enum !== undefined && !schema.enum.some((one) => one === value))
		return [{ path, message: `must be one of ${schema.enum.join(", ")}` }];
	const { items, properties = {}, required = [] } = schema;
	if (Array.isArray(value)) return items === undefined ? [] : value.flatMap((item, index) => findFaults(items, item, `${path}[${index}]`));
	if (!isFields(value)) return [];
	const pathOf = (name: string) => (path === "" ? name : `${path}.${name}`);
	const missing = required.filter((name) => value[name] === undefined).map((name) => ({ path: pathOf(name), message: "is required" }));
	const present = Object.entries(properties).filter(([name]) => value[name] !== undefined);
	return [...missing, ...present.flatMap(([name, part]) => findFaults(part, value[name], pathOf(name)))];
}

function hasType(type: Schema["type"], value: unknown): boolean {
	if (type === "array") return Array.isArray(value);
	if (type === "object") return isFields(value);
	return type === "integer" ? Number.isInteger(value) : typeof value === type;
}
