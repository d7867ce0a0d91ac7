// Derives what `tools/list` of the MCP server shows from the rows of tools and the contracts of their operations.
import * as z from "zod";
import { operations } from "../../src/compose/endpoints.ts";
import type { Argument, Call, Picks, Tool } from "../../src/extensions/mcp/tool-row.ts";
import { TOOLS, toolOf } from "../../src/extensions/mcp/tools.ts";
import type { EndpointContract } from "../../src/http/endpoint.ts";
import { isJson, type Json } from "../openapi/json.ts";
import type { SiteFiles } from "./site-files.ts";

const contracts: Readonly<Record<string, EndpointContract>> = operations;

/** Builds `mcp-tools.json`. Omits a tool if its operations are missing. */
export function buildToolsFile(): SiteFiles {
	const names = Object.keys(TOOLS).filter((name): name is keyof typeof TOOLS => Object.hasOwn(TOOLS, name));
	const rows = names.map((name) => ({ name, tool: toolOf(name) }));
	const present = rows.filter(({ tool }) => tool.calls.every(({ operation }) => Object.hasOwn(contracts, operation)));
	return new Map([["mcp-tools.json", JSON.stringify({ tools: present.map(({ name, tool }) => describeTool(name, tool)) })]]);
}

function describeTool(name: string, tool: Tool) {
	const { says: description, hints: annotations } = tool;
	return { name, description, inputSchema: inputSchemaOf(tool), outputSchema: outputSchemaOf(tool), annotations };
}

/** Returns the contract of an operation that a row names. */
function contractOf(operationId: string): EndpointContract {
	const contract = contracts[operationId];
	if (contract === undefined) throw new Error(`No operation is called ${operationId}.`);
	return contract;
}

function inputSchemaOf({ takes }: Tool): Json {
	const fields = Object.entries(takes).map(([name, argument]) => argumentsOf(name, argument));
	return {
		type: "object",
		properties: Object.assign({}, ...fields.map((part) => part.properties)),
		required: fields.flatMap((part) => part.required),
	};
}

function argumentsOf(name: string, argument: Argument): { properties: Json; required: readonly string[] } {
	if (!("of" in argument)) {
		const { isRequired, ...schema } = argument;
		return { properties: { [name]: schema }, required: isRequired === true ? [name] : [] };
	}
	const { params, query, body } = contractOf(argument.of);
	const parts = [params, query, body?.schema].flatMap((part) => (part === undefined ? [] : [jsonSchemaOf(part, "input")]));
	const plain = parts.map((part) => toPlain(part, { defs: part["$defs"], itemFields: argument.only }));
	const properties: Json = Object.assign({}, ...plain.map((part) => part["properties"]));
	const required = plain.flatMap((part) => namesIn(part["required"]));
	const source = argument.name ?? name;
	if (properties[source] === undefined) throw new Error(`${argument.of} has no parameter ${source}.`);
	return { properties: { [name]: properties[source] }, required: required.includes(source) ? [name] : [] };
}

function namesIn(list: unknown): string[] {
	return Array.isArray(list) ? list.filter((name) => typeof name === "string") : [];
}

/** Returns the JSON Schema of a request or a response. In a schema's meta, `override` replaces what zod makes of it. */
function jsonSchemaOf(schema: z.ZodType, io: "input" | "output"): Json {
	const override = ({ zodSchema, jsonSchema }: { zodSchema: z.core.$ZodTypes; jsonSchema: Json }) => {
		const meta = z.globalRegistry.get(zodSchema) ?? {};
		if (isJson(meta["override"])) Object.assign(jsonSchema, meta["override"]);
	};
	return z.toJSONSchema(schema, { io, unrepresentable: "any", override });
}

/** Follows references, and uses the first of several forms. Null does not count as a form: clients leave the argument out. */
function resolve(schema: unknown, defs: unknown): Json {
	if (!isJson(schema)) return {};
	const { $ref, anyOf, ...own } = schema;
	if (typeof $ref === "string") return { ...resolve(isJson(defs) ? defs[$ref.replace("#/$defs/", "")] : {}, defs), ...own };
	if (!Array.isArray(anyOf)) return schema;
	const forms = anyOf.map((form) => resolve(form, defs));
	const [first = {}] = forms.filter(({ type }) => type !== "null");
	return { ...first, ...own, isNullable: forms.some(({ type }) => type === "null") };
}

interface PlainOptions {
	readonly defs: unknown;
	/** The only fields that the items of a list show. */
	readonly itemFields: readonly string[] | undefined;
	readonly isItem?: boolean;
}

/** Rewrites a request's schema in the dialect that every client accepts: one type for each property, and no other keywords. */
function toPlain(given: unknown, { defs, itemFields, isItem = false }: PlainOptions): Json {
	const schema = resolve(given, defs);
	const { type, description, enum: values, items, properties, required } = schema;
	const words = [description, schema["format"] === "date-time" ? "ISO 8601." : "", boundsOf(schema)]
		.filter((part) => typeof part === "string" && part !== "")
		.join(" ");
	const described = words === "" ? {} : { description: words };
	if (type === "array") return { type, ...described, items: toPlain(items, { defs, itemFields, isItem: true }) };
	if (type !== "object") return { type: type ?? "string", ...described, ...(values === undefined ? {} : { enum: values }) };
	const kept = Object.entries(isJson(properties) ? properties : {}).filter(([name]) => !isItem || itemFields?.includes(name) !== false);
	if (kept.length === 0) throw new Error("An object of an input schema has to name its properties.");
	const parts = kept.map(([name, part]) => [name, toPlain(part, { defs, itemFields })]);
	return { type, ...described, properties: Object.fromEntries(parts), required: namesIn(required) };
}

/** Larger bounds are not stated: the bounds of money and of integers mean nothing to a model. */
const MAX_STATED = 1_000_000_000;

/** Puts the bounds of numbers and lists into words, because several clients reject their keywords. */
function boundsOf({ minimum, exclusiveMinimum, maximum, maxItems }: Json): string {
	if (typeof maxItems === "number") return `At most ${maxItems}.`;
	const most = typeof maximum === "number" && maximum < MAX_STATED ? maximum : null;
	if (typeof exclusiveMinimum === "number") return `More than ${exclusiveMinimum}${most === null ? "" : `, at most ${most}`}.`;
	if (typeof minimum !== "number" || minimum < -MAX_STATED) return most === null ? "" : `At most ${most}.`;
	return most === null ? `At least ${minimum}.` : `From ${minimum} to ${most}.`;
}

interface Described {
	readonly properties: Json;
	readonly required: readonly string[];
}

const CUT = { type: "string" };

/** Describes a tool's result. The fields that every call returns are required, and `full` adds more. */
function outputSchemaOf({ calls, returns }: Tool): Json {
	const each = calls.map(describeCall);
	const always = (name: string) => each.every(({ required }) => required.includes(name));
	const [first] = each;
	return {
		type: "object",
		properties: { ...Object.assign({}, ...each.map(({ properties }) => properties)), ...returns?.properties, cut: CUT },
		required: [...(first?.required.filter(always) ?? []), ...(returns?.required ?? [])],
	};
}

function describeCall({ operation, streams, keyless, picks, also, next }: Call): Described {
	const variants = [streams ?? operation, ...(keyless === undefined ? [] : [keyless])].map((id) =>
		describePicks(picks, { ...responseOf(id), isPartial: id === keyless }),
	);
	const added = also === undefined ? { properties: {}, required: [] } : describePicks(also.picks, responseOf(also.operation));
	const [first = { properties: {}, required: [] }] = variants;
	const isSure = (name: string) => variants.every(({ required }) => required.includes(name));
	const isPart = (name: string) => typeof also?.picks[name] === "object";
	return {
		properties: { ...first.properties, ...added.properties, ...(next === undefined ? {} : { next: { type: "string" } }) },
		required: [...first.required.filter(isSure), ...added.required.filter(isPart), ...(next === undefined ? [] : ["next"])],
	};
}

interface Response {
	readonly schema: Json;
	readonly defs: unknown;
	/** True if some callers get a response without all fields: those without a key. */
	readonly isPartial: boolean;
}

function responseOf(operationId: string): Response {
	const { response } = contractOf(operationId);
	const schema = jsonSchemaOf(response.schema, "output");
	return { schema: resolve(schema, schema["$defs"]), defs: schema["$defs"], isPartial: false };
}

function describePicks(picks: Picks, response: Response): Described {
	const { schema, defs } = response;
	const fields = Object.entries(picks).map(([name, pick]) => {
		if (typeof pick === "string") return { name, ...describePath(pick, response) };
		const [path, parts] = "list" in pick ? [pick.list, pick.each] : [pick.object, pick.only];
		const source = path === "" ? schema : findAt(path, response).schema;
		const part = resolve("list" in pick && source["type"] === "array" ? source["items"] : source, defs);
		const { properties } = describePicks(parts, { ...response, schema: part });
		const item = { type: "object", properties };
		return { name, schema: "list" in pick ? { type: "array", items: item } : { ...item, type: ["object", "null"] }, isRequired: true };
	});
	return {
		properties: Object.fromEntries(fields.map(({ name, schema: own }) => [name, own])),
		required: fields.flatMap(({ name, isRequired }) => (isRequired ? [name] : [])),
	};
}

function describePath(path: string, response: Response): { schema: Json; isRequired: boolean } {
	if (path.startsWith("$")) return { schema: { type: "string" }, isRequired: true };
	const { schema, isRequired, isNullable } = findAt(path, response);
	return { schema: briefly(schema, response.defs, isNullable), isRequired };
}

/** Finds the schema at a path, such as `scores.final_score`. The value can be null if anything along the path can be. */
function findAt(path: string, { schema, defs, isPartial }: Response): { schema: Json; isRequired: boolean; isNullable: boolean } {
	return path.split(".").reduce<{ schema: Json; isRequired: boolean; isNullable: boolean }>(
		(found, name) => {
			const { properties, required } = found.schema;
			const part = isJson(properties) ? properties[name] : undefined;
			if (part === undefined && !isPartial) throw new Error(`A response has no field ${path}.`);
			const next = resolve(part, defs);
			return {
				schema: next,
				isRequired: found.isRequired && namesIn(required).includes(name),
				isNullable: found.isNullable || next["isNullable"] === true,
			};
		},
		{ schema, isRequired: true, isNullable: false },
	);
}

/** Describes a field of a result only by its type, because a model reads the list of tools in every session. */
function briefly(schema: Json, defs: unknown, isNullable: boolean): Json {
	const { type, items } = schema;
	if (type === undefined) return {};
	const own = type === "array" ? { type, items: { type: resolve(items, defs)["type"] } } : { type };
	return isNullable ? { ...own, type: [type, "null"] } : own;
}
