// Writes packages/sdk/src/generated/texts.ts: the names that fields can have, and the texts of the contract, for the help of the command
// line and for the console.
import * as z from "zod";
import { GENERATED_NOTE } from "./client-operations.ts";
import { nameOf } from "./names.ts";

const fieldSchema = z.looseObject({ $ref: z.string().optional(), description: z.string().default("") });
const bodySchema = z.looseObject({ $ref: z.string().optional(), properties: z.record(z.string(), fieldSchema).default({}) });
const parameterSchema = z.looseObject({ name: z.string().default(""), description: z.string().default("") });
const operationSchema = z.object({
	operationId: z.string(),
	summary: z.string(),
	parameters: z.array(parameterSchema).default([]),
	requestBody: z.object({ content: z.record(z.string(), z.object({ schema: bodySchema.optional() })) }).optional(),
});
const namesSchema = z.object({ type: z.literal("string"), enum: z.array(z.string()) });
const documentSchema = z.object({
	paths: z.record(z.string(), z.record(z.string(), operationSchema)),
	webhooks: z.record(z.string(), z.object({ post: z.object({ summary: z.string() }) })),
	components: z.object({ schemas: z.record(z.string(), z.unknown()) }),
});

export function generateClientTexts(document: string): string {
	const { paths, webhooks, components } = documentSchema.parse(JSON.parse(document));
	const names = Object.entries(components.schemas).flatMap(([name, schema]) => {
		const parsed = namesSchema.safeParse(schema);
		return parsed.success ? [[name, parsed.data.enum] as const] : [];
	});
	const subscribed = new Set(Object.fromEntries(names)["WebhookEventName"]);
	const events = Object.entries(webhooks).flatMap(([name, { post }]) => (subscribed.has(name) ? [[name, post.summary] as const] : []));
	const operations = Object.values(paths).flatMap((methods) =>
		Object.values(methods).map(({ operationId, summary, parameters, requestBody }) => {
			const schema = requestBody?.content["application/json"]?.schema;
			const body = schema?.$ref === undefined ? schema : bodySchema.parse(components.schemas[nameOf(schema.$ref)]);
			const fields = [
				...parameters.map(({ name, description }) => [name, description] as const),
				...Object.entries(body?.properties ?? {}).map(([name, { description }]) => [name, description] as const),
			];
			const described = fields.flatMap(([name, text]) => (name === "" || text === "" ? [] : [[name, firstSentence(text)] as const]));
			return [operationId, { summary, fields: Object.fromEntries(described) }] as const;
		}),
	);
	return `${GENERATED_NOTE}
/** The values of each field with a fixed set of values. */
export const NAMES = ${print(Object.fromEntries(names))} as const;

/** A description of each event that webhooks can subscribe to. */
export const EVENT_TEXTS = ${print(Object.fromEntries(events))} as const;

/** The texts of each operation, its parameters and the fields of its body. */
export const OPERATION_TEXTS = ${print(Object.fromEntries(operations))} as const;
`;
}

/** Returns the first sentence of a description. The rest is details. */
function firstSentence(text: string): string {
	return (
		text
			.split("\n", 1)[0]
			?.split(/(?<=[a-z`)])\. /, 1)[0]
			?.replace(/\.$/, "") ?? ""
	);
}

function print(value: unknown): string {
	return JSON.stringify(value, null, "\t");
}
