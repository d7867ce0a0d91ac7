// The view of a passkey for the person who owns it.
import * as z from "zod";
import { AT, ID } from "../../domain/example-story.ts";
import { timestamp } from "../../http/fields.ts";
import { toIso, toIsoOrNull } from "../../platform/clock.ts";
import type { PasskeyRow } from "./store.ts";

/** The maximum number of passkeys per person. */
export const MAX_PASSKEYS = 20;

export const passkeyView = z
	.object({
		id: z.uuid().describe("The passkey's id. Use it to remove the passkey."),
		name: z.string().nullable().describe("The name that you gave the passkey. Null without one."),
		created_at: timestamp.describe("When the passkey was added."),
		last_used_at: timestamp.nullable().describe("When someone last signed in with it. Null if no one has."),
	})
	.meta({ id: "Passkey", description: "A passkey that a person signs in with." });

export const examplePasskey = { id: ID.secondKey, name: "Laptop", created_at: AT.secondKeyCreated, last_used_at: null };

export function viewPasskey(row: Pick<PasskeyRow, "id" | "name" | "createdAt" | "lastUsedAt">): z.input<typeof passkeyView> {
	return { id: row.id, name: row.name, created_at: toIso(row.createdAt), last_used_at: toIsoOrNull(row.lastUsedAt) };
}
