// Provides a request for each operation, made from its contract.
import { z } from "zod";
import type { EndpointContract } from "../../src/http/endpoint.ts";
import { uuid } from "../../src/http/fields.ts";
import type { CallInput } from "./client.ts";
import { FIXTURES } from "./common-fixtures.ts";
import { exampleOf } from "./json-schema.ts";

export const UNKNOWN_ID = "01900000-0000-7000-8000-000000000000";

export const isId = (schema: unknown) => schema === uuid;

/** Returns a call that is valid except for its ids. */
export function validCall(contract: EndpointContract, id = UNKNOWN_ID): CallInput {
	const { params, query, headers, rawBody } = FIXTURES[contract.operationId] ?? {};
	const names = Object.entries(contract.params?.shape ?? {});
	const path = names.map(([name, schema]) => [name, isId(schema) ? (name === "id" ? id : UNKNOWN_ID) : (params?.[name] ?? "x")]);
	return {
		params: Object.fromEntries(path),
		...(query === undefined ? {} : { query }),
		...(headers === undefined ? {} : { headers }),
		...(contract.body === undefined ? {} : { body: validBody(contract) }),
		...(contract.rawBody === undefined || contract.body !== undefined ? {} : { rawBody: rawBody?.() ?? "x" }),
	};
}

export function validBody(contract: EndpointContract): unknown {
	return FIXTURES[contract.operationId]?.body ?? exampleOf(bodySchema(contract));
}

/** The converted schemas. Converting one takes as long as a request, and tests call each endpoint many times. */
const bodySchemas = new WeakMap<EndpointContract, object>();

/** Returns the JSON Schema of a request's body, or an empty schema if it has none. */
export function bodySchema(contract: EndpointContract): object {
	const known = bodySchemas.get(contract) ?? convertBody(contract);
	bodySchemas.set(contract, known);
	return known;
}

function convertBody({ body }: EndpointContract): object {
	return body === undefined ? {} : z.toJSONSchema(body.schema, { io: "input", unrepresentable: "any" });
}
