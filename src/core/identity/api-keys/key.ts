import * as z from "zod";
import { API_KEY, AT, ID } from "../../../domain/example-story.ts";
import { timestamp } from "../../../http/fields.ts";
import { toIso, toIsoOrNull } from "../../../platform/clock.ts";
import type { ApiKeyRow } from "./store.ts";

/** The field of a response that contains a new key. */
export const apiKeyText = z
	.string()
	.regex(/^svc_sk_[0-9a-f]{64}$/)
	.describe("The API key. It is shown only once, because the platform stores only its hash.");

export const apiKey = z
	.object({
		id: z.uuid().describe("The key's id. Use it to revoke the key."),
		name: z.string().nullable().describe("The name that you gave the key. Null without one."),
		prefix: z.string().describe("The first 16 characters of the key, so that you can recognize it."),
		created_at: timestamp.describe("When the key was created."),
		last_used_at: timestamp.nullable().describe("When the key was last used. Null if it was never used."),
	})
	.meta({ id: "ApiKey", description: "An active API key, without the key itself." });

export const exampleKey = {
	id: ID.secondKey,
	name: "ci",
	prefix: API_KEY.slice(0, 16),
	created_at: AT.secondKeyCreated,
	last_used_at: null,
};

export function viewKey(row: Pick<ApiKeyRow, "id" | "name" | "prefix" | "createdAt" | "lastUsedAt">): z.input<typeof apiKey> {
	return {
		id: row.id,
		name: row.name,
		prefix: row.prefix,
		created_at: toIso(row.createdAt),
		last_used_at: toIsoOrNull(row.lastUsedAt),
	};
}
