import * as z from "zod";
import { endpoint } from "../../http/endpoint.ts";
import { text, timestamp, uuid } from "../../http/fields.ts";

const apiKeyRecord = z.object({
	id: z.uuid(),
	name: z.string().nullable(),
	prefix: z.string().meta({ description: "The first 16 characters of the key, enough to recognise it." }),
	created_at: timestamp,
	last_used_at: timestamp.nullable(),
});

const shared = { tags: ["Internal"], auth: "key", rate: "general" } as const;

export const createKey = endpoint({
	...shared,
	method: "post",
	path: "/api/api-keys",
	operationId: "createApiKey",
	summary: "Create another key for the calling identity",
	description: "The plaintext is returned once. An identity has at most 50 active keys.",
	body: { schema: z.object({ name: text({ min: 1, max: 100 }).nullish() }), required: false },
	response: {
		status: 201,
		description: "The key, with its plaintext.",
		schema: apiKeyRecord.extend({ api_key: z.string().regex(/^svc_sk_[0-9a-f]{64}$/) }).meta({ id: "CreatedApiKey" }),
	},
	errors: ["CONFLICT"],
});

export const listKeys = endpoint({
	...shared,
	method: "get",
	path: "/api/api-keys",
	operationId: "listApiKeys",
	summary: "List the active keys of the calling identity",
	description: "Prefixes only; a key itself cannot be read again. Newest first.",
	response: { status: 200, description: "All active keys.", schema: z.object({ data: z.array(apiKeyRecord.meta({ id: "ApiKey" })) }) },
	errors: [],
});

export const revokeKey = endpoint({
	...shared,
	method: "delete",
	path: "/api/api-keys",
	operationId: "revokeApiKey",
	summary: "Revoke a key of the calling identity",
	description: "The key stops working at once. A key can revoke itself.",
	query: z.object({ id: uuid }),
	response: { status: 200, description: "The key is revoked.", schema: z.object({ id: z.uuid(), revoked: z.literal(true) }) },
	errors: ["NOT_FOUND"],
});
