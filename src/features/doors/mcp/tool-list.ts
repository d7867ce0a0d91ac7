// This file describes the tools as `tools/list` shows them.
import * as z from "zod";
import { isToolName, TOOLS, type ToolAnnotations, type ToolName } from "./tools.ts";

interface ToolSchema {
	[keyword: string]: unknown;
	type: "object";
}

const list: {
	readonly name: ToolName;
	readonly description: string;
	readonly inputSchema: ToolSchema;
	readonly outputSchema: ToolSchema;
	readonly annotations: ToolAnnotations;
}[] = [];

/** Lists every tool. The list is made once, at the first use. */
export function listTools(): typeof list {
	if (list.length > 0) return list;
	for (const [name, { description, annotations, input, output }] of Object.entries(TOOLS)) {
		if (!isToolName(name)) continue;
		list.push({ name, description, inputSchema: schemaOf(input), outputSchema: schemaOf(output, { isOutput: true }), annotations });
	}
	return list;
}

/** A model reads the list in every session, so it has nothing that says little: patterns, and what parts of results require. */
function schemaOf(schema: z.ZodObject, { isOutput = false } = {}): ToolSchema {
	const { $schema: _, ...json } = z.toJSONSchema(schema, {
		io: "input",
		unrepresentable: "any",
		override: ({ jsonSchema, path }) => {
			dropKeywords(jsonSchema);
			if (isOutput && path.length > 0) delete jsonSchema.required;
		},
	});
	return { ...json, type: "object" };
}

/** The bounds of money and of integers say nothing to a model. */
const MAX_CENTS = 1_000_000_000_000;
const nullableOf = z.tuple([z.looseObject({ type: z.string() }), z.strictObject({ type: z.literal("null") })]);

function dropKeywords(json: z.core.JSONSchema.BaseSchema): void {
	delete json.pattern;
	delete json.minLength;
	if (json.enum !== undefined) delete json.type;
	if (json.minimum === Number.MIN_SAFE_INTEGER) delete json.minimum;
	if (Number(json.maximum) >= MAX_CENTS) delete json.maximum;
	const either = nullableOf.safeParse(json.anyOf).data;
	if (either !== undefined) {
		delete json.anyOf;
		Object.assign(json, either[0], { type: either.map(({ type }) => type) });
	}
	// Schemas are open unless they say otherwise.
	if (Object.keys(json.properties ?? {}).length === 0) delete json.properties;
	delete json.additionalProperties;
	delete json.propertyNames;
}
