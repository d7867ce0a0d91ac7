import * as z from "zod";
import { contractOf } from "../../../http/endpoint.ts";
import { oneLineText, timestamp, uuid } from "../../../http/fields.ts";

/** A new key in a response. */
export const apiKeyText = z
	.string()
	.regex(/^svc_sk_[0-9a-f]{64}$/)
	.describe("The API key. It is shown only once, because the platform stores only its hash.");

const apiKeyRecord = z.object({
	id: z.uuid().describe("The key's id. Use it to revoke the key."),
	name: z.string().nullable().describe("The name that you gave the key. Null without one."),
	prefix: z.string().describe("The first 16 characters of the key, so that you can recognize it."),
	created_at: timestamp.describe("When the key was created."),
	last_used_at: timestamp.nullable().describe("When the key was last used. Null if it was never used."),
});

const shared = { tags: ["Internal"], auth: "key", rate: "general" } as const;

export const createKey = contractOf({
	...shared,
	method: "post",
	path: "/api/api-keys",
	operationId: "createApiKey",
	summary: "Create another key for the calling identity",
	description: "The plaintext is returned once. An identity has at most 50 active keys.",
	body: {
		schema: z.object({ name: oneLineText({ min: 1, max: 100 }).nullish().describe("A name to recognize the key by.") }),
		required: false,
	},
	response: {
		status: 201,
		description: "The key, with its plaintext.",
		schema: apiKeyRecord
			.extend({ api_key: apiKeyText })
			.meta({ id: "CreatedApiKey", description: "A new API key. The key itself is shown only here." }),
		carriesSecret: true,
	},
	errors: ["CONFLICT"],
});

export const listKeys = contractOf({
	...shared,
	method: "get",
	path: "/api/api-keys",
	operationId: "listApiKeys",
	summary: "List the active keys of the calling identity",
	description: "Prefixes only; a key itself cannot be read again. Newest first.",
	response: {
		status: 200,
		description: "All active keys.",
		schema: z.object({
			data: z
				.array(apiKeyRecord.meta({ id: "ApiKey", description: "An active API key, without the key itself." }))
				.describe("All active keys, newest first."),
		}),
	},
	errors: [],
});

export const revokeKey = contractOf({
	...shared,
	method: "delete",
	path: "/api/api-keys",
	operationId: "revokeApiKey",
	summary: "Revoke a key of the calling identity",
	description: "The key stops working at once. A key can revoke itself.",
	query: z.object({ id: uuid.describe("The key's id from the list, not the key itself.") }),
	response: {
		status: 200,
		description: "The key is revoked.",
		schema: z.object({
			id: z.uuid().describe("The id of the revoked key."),
			revoked: z.literal(true).describe("Always true: the key no longer works."),
		}),
	},
	errors: ["NOT_FOUND"],
});
