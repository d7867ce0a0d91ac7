// Holds the schemas of all tools of the MCP server to what clients, OpenAI and Gemini take. The rules were tried with 26 clients.
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { SUBMIT_FOLDER } from "../../packages/cli/src/commands/submit-folder.ts";
import { isJson, type Json, toJson } from "../../scripts/openapi/json.ts";
import { buildToolsFile } from "../../scripts/site/tools.ts";
import { TOOLS } from "../../src/extensions/mcp/tools.ts";

const tool = z.looseObject({
	name: z.string(),
	description: z.string(),
	inputSchema: z.record(z.string(), z.unknown()),
	outputSchema: z.record(z.string(), z.unknown()),
	annotations: z.record(z.string(), z.boolean()),
});
const { tools } = z.object({ tools: z.array(tool) }).parse(JSON.parse(String(buildToolsFile().get("mcp-tools.json"))));
const all = [...tools, tool.parse(SUBMIT_FOLDER)];

/** Returns a schema and every schema in it, by path. */
function walk(schema: Json, path: string): [path: string, schema: Json][] {
	const properties = Object.entries(toJson(schema["properties"])).flatMap(([name, part]) => walk(toJson(part), `${path}.${name}`));
	return [[path, schema], ...properties, ...(isJson(schema["items"]) ? walk(schema["items"], `${path}[]`) : [])];
}

/** Returns the paths at which input schemas break a rule. */
function offences(isOffence: (schema: Json) => boolean): string[] {
	return all.flatMap(({ name, inputSchema }) => walk(inputSchema, name)).flatMap(([path, schema]) => (isOffence(schema) ? [path] : []));
}

const TYPES = ["string", "integer", "number", "boolean", "array", "object"];
/** `$ref`, `anyOf`, `oneOf`, `allOf`, `format`, `default`, `const`, `exclusiveMinimum` and all others are left out. */
const KEYWORDS = ["type", "description", "enum", "items", "properties", "required"];

describe("every property of an input schema, at every depth", () => {
	it("is walked, in all tools", () => {
		expect(tools.map(({ name }) => name)).toEqual(Object.keys(TOOLS));
		expect(tools.length).toBe(16);
		expect(offences(() => true)).toContain("submit_files.files[].encoding");
		expect(offences(() => true)).toContain("post_task.criteria[].checks[]");
		expect(offences(() => true).length).toBeGreaterThan(90);
	});

	it("has exactly one type", () => {
		expect(offences(({ type }) => typeof type !== "string" || !TYPES.includes(type))).toEqual([]);
	});

	it("has no keyword that a client refuses", () => {
		expect(offences((schema) => Object.keys(schema).some((name) => !KEYWORDS.includes(name)))).toEqual([]);
	});

	it("names the properties of objects and the items of lists", () => {
		expect(offences(({ type, properties }) => type === "object" && Object.keys(toJson(properties)).length === 0)).toEqual([]);
		expect(offences(({ type, items }) => (type === "array") !== isJson(items))).toEqual([]);
	});

	it("has texts only as values of an enumeration, none of them empty", () => {
		const isText = (value: unknown) => typeof value === "string" && value !== "";
		expect(
			offences(
				(schema) =>
					schema["enum"] !== undefined &&
					!(schema["type"] === "string" && z.array(z.custom(isText)).min(1).safeParse(schema["enum"]).success),
			),
		).toEqual([]);
	});

	it("requires only what it names", () => {
		expect(
			offences(({ required = [], properties }) => !z.array(z.enum(Object.keys(toJson(properties)))).safeParse(required).success),
		).toEqual([]);
	});

	it("has a description, but for the items of lists", () => {
		const paths = new Set(offences(({ description }) => typeof description !== "string" || description.length < 5));
		expect([...paths].filter((path) => path.includes(".") && !path.endsWith("[]"))).toEqual([]);
	});
});

describe("a tool", () => {
	it("has a name, a sentence and hints that clients take", () => {
		for (const { name, description, annotations } of all) {
			expect(name).toMatch(/^[a-z][a-z_]{0,30}$/);
			expect(description.length).toBeLessThan(1_000);
			expect(Object.keys(annotations).toSorted()).toEqual(["destructiveHint", "idempotentHint", "openWorldHint", "readOnlyHint"]);
			expect(annotations["readOnlyHint"] === true && annotations["destructiveHint"] === true).toBe(false);
		}
	});

	it("takes files as a list, and the parts of a call as lists and JSON text", () => {
		const propertiesOf = (name: string) => toJson(tools.find((one) => one.name === name)?.inputSchema["properties"]);
		for (const name of ["check_files", "submit_files"]) {
			const items = toJson(toJson(propertiesOf(name)["files"])["items"]);
			expect(Object.keys(toJson(items["properties"]))).toEqual(["path", "content", "encoding"]);
			expect(toJson(items["properties"])).toMatchObject({ encoding: { enum: ["text", "base64"] } });
		}
		const pair = { type: "array", items: { properties: { name: { type: "string" }, value: { type: "string" } } } };
		expect(propertiesOf("call_operation")).toMatchObject({ params: pair, query: pair, body: { type: "string" } });
		expect(propertiesOf("notes")).toMatchObject({ value: { type: "string" }, value_json: { type: "string" } });
		expect(Object.keys(propertiesOf("read_file"))).toEqual(["task_id", "attachment_id", "submission_id", "path", "offset"]);
		expect(Object.keys(propertiesOf("wait_for_score"))).toEqual(["submission_id", "timeout_seconds", "detail"]);
	});

	it("has the bounds of its operation in words", () => {
		const shown = JSON.stringify(tools.find(({ name }) => name === "post_task")?.inputSchema);
		for (const words of [
			"At least 10000.",
			"From 1 to 25.",
			"in percent, more than 0. All weights of a rubric must sum to 100. From 0 to 100.",
			"ISO 8601.",
		])
			expect(shown).toContain(words);
	});
});

describe("OpenAI's strict mode", () => {
	/** Does what clients do: every property is required, and nothing else is allowed. */
	function toStrict(schema: Json): Json {
		const properties = Object.fromEntries(
			Object.entries(toJson(schema["properties"])).map(([name, part]) => [name, toStrict(toJson(part))]),
		);
		if (schema["type"] === "array") return { ...schema, items: toStrict(toJson(schema["items"])) };
		return schema["type"] === "object" ? { ...schema, properties, required: Object.keys(properties), additionalProperties: false } : schema;
	}

	it("takes all tools", () => {
		for (const { name, inputSchema } of all) {
			const strict = toStrict(inputSchema);
			const parts = walk(strict, name);
			for (const [path, schema] of parts) {
				expect({ path, foreign: Object.keys(schema).filter((key) => ![...KEYWORDS, "additionalProperties"].includes(key)) }).toEqual({
					path,
					foreign: [],
				});
				if (schema["type"] !== "object") continue;
				expect({ path, closed: schema["additionalProperties"] }).toEqual({ path, closed: false });
				expect({ path, required: schema["required"] }).toEqual({ path, required: Object.keys(toJson(schema["properties"])) });
			}
			// OpenAI's limits: 5 levels, 100 properties in the first version of the mode.
			expect(Math.max(...parts.map(([path]) => path.split(/[.[]/).length))).toBeLessThanOrEqual(5);
			expect(parts.length).toBeLessThan(100);
			expect(() => new Ajv2020({ strict: true }).compile(strict)).not.toThrow();
		}
	});
});

describe("Gemini's parameters", () => {
	const schema: z.ZodType = z.lazy(() =>
		z.discriminatedUnion("type", [
			z.strictObject({
				type: z.literal("object"),
				description: z.string().optional(),
				properties: z.record(z.string().regex(/^[a-zA-Z_]\w*$/), schema).refine((map) => Object.keys(map).length > 0),
				required: z.array(z.string()).optional(),
			}),
			z.strictObject({ type: z.literal("array"), description: z.string().optional(), items: schema }),
			z.strictObject({ type: z.literal("string"), description: z.string().optional(), enum: z.array(z.string().min(1)).min(1).optional() }),
			z.strictObject({ type: z.enum(["integer", "number", "boolean"]), description: z.string().optional() }),
		]),
	);

	it("take all tools, unchanged", () => {
		for (const { name, inputSchema } of all)
			expect({ name, fits: schema.safeParse(inputSchema).error?.issues ?? [] }).toEqual({ name, fits: [] });
	});
});

describe("every output schema", () => {
	it("compiles, names its fields and requires only those", () => {
		for (const { name, outputSchema } of all) {
			expect(() => new Ajv2020({ strict: true, allowUnionTypes: true }).compile(outputSchema)).not.toThrow();
			const names = Object.keys(toJson(outputSchema["properties"]));
			expect({ name, names: names.length > 1 }).toEqual({ name, names: true });
			expect(names).toEqual(expect.arrayContaining(z.array(z.string()).parse(outputSchema["required"])));
		}
	});

	it("says that whole numbers are integers", () => {
		const typesOf = (wanted: RegExp) =>
			all
				.flatMap(({ name, outputSchema }) => walk(outputSchema, name))
				.filter(([path]) => wanted.test(path))
				.map(([, { type }]) => type);
		expect(new Set(typesOf(/(_cents|size_bytes|\.rank|\.status_code|total_\w+)$/))).toEqual(new Set(["integer"]));
		expect(typesOf(/position$/)).toEqual([["integer", "null"]]);
		expect(typesOf(/wait_for_score\.final_score$/)).toEqual([["number", "null"]]);
	});
});
