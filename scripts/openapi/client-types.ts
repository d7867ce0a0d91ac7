// Writes packages/sdk/src/generated/schema.ts: the types of every operation, with their descriptions.
import openapiTS, { astToString } from "openapi-typescript";
import * as z from "zod";
import { GENERATED_NOTE } from "./client-operations.ts";

const FIRST_ERROR_STATUS = 400;

const operationSchema = z.looseObject({
	responses: z.record(z.string(), z.looseObject({})),
});
const documentSchema = z.looseObject({ paths: z.record(z.string(), z.record(z.string(), operationSchema)), components: z.looseObject({}) });

/**
 * Writes the types for the SDK. Omits error responses, which all have the same body and which the SDK throws, and the headers of responses.
 * These would make the file three times as large.
 */
export async function generateClientTypes(document: string): Promise<string> {
	const parsed = documentSchema.parse(JSON.parse(document));
	for (const operations of Object.values(parsed.paths)) {
		for (const operation of Object.values(operations)) {
			const kept = Object.entries(operation.responses).filter(([status]) => Number(status) < FIRST_ERROR_STATUS);
			operation.responses = Object.fromEntries(kept.map(([status, { headers: _, ...response }]) => [status, response]));
		}
	}
	const { responses: _, headers: __, examples: ___, ...components } = parsed.components;
	// Fields with a default stay optional in request bodies.
	const nodes = await openapiTS(JSON.stringify({ ...parsed, components }), { defaultNonNullable: false });
	return GENERATED_NOTE + astToString(nodes);
}
