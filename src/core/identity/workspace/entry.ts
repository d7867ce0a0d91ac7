import * as z from "zod";
import { quoteTag } from "../../../domain/entity-tags.ts";
import { AT } from "../../../domain/example-story.ts";
import { entityTags } from "../../../http/entity-tags.ts";
import { count, timestamp } from "../../../http/fields.ts";
import { toIso } from "../../../platform/clock.ts";
import type { EntryFacts, Precondition, WorkspaceEntry } from "../../../ports/workspace.ts";
import { PATH_RULE, pathSchema, ruled } from "./fields.ts";
import { findPathFault } from "./rules.ts";

export const entryKey = ruled(findPathFault, { ...pathSchema, description: `The entry's key. ${PATH_RULE}` });

export const anyJson = z
	.custom<unknown>((value) => value !== undefined, "is required; it can be any JSON, including null")
	.meta({ override: {}, description: "Any JSON value, including null." });

export const entryFacts = z.object({
	key: z.string().describe("The entry's key."),
	size_bytes: count.describe("Size of the value's JSON in bytes."),
	created_at: timestamp.describe("When the entry was created."),
	updated_at: timestamp.describe("When the entry was last written."),
});

export const workspaceEntry = entryFacts
	.extend({ value: anyJson })
	.meta({ id: "WorkspaceEntry", description: "A value stored under a key." });

export const exampleFacts = { key: "runs/last", size_bytes: 29, created_at: AT.adaRegistered, updated_at: AT.stored };
export const exampleEntry = { ...exampleFacts, value: { task: "ledger", attempts: 3 } };

export function viewEntryFacts(entry: EntryFacts) {
	return { key: entry.key, size_bytes: entry.sizeBytes, created_at: toIso(entry.createdAt), updated_at: toIso(entry.updatedAt) };
}

/** Responds with an entry. Inserts the stored JSON of its value as it is, without parsing and serializing it again. */
export function respondWithEntry(entry: WorkspaceEntry): Response {
	const { key, size_bytes, created_at, updated_at } = viewEntryFacts(entry);
	const facts = JSON.stringify({ size_bytes, created_at, updated_at });
	return new Response(`{"key":${JSON.stringify(key)},"value":${entry.value},${facts.slice(1)}`, {
		headers: { "Content-Type": "application/json", ETag: quoteTag(entry.revision) },
	});
}

export const writeConditions = z.object({
	"if-match": entityTags("Changes the entry only if its ETag is one of these. `*` stands for any existing entry."),
	"if-none-match": entityTags("`*` changes the entry only if it does not exist yet."),
});

export function toPrecondition(headers: z.output<typeof writeConditions>): Precondition {
	return { ifMatch: headers["if-match"] ?? null, ifNoneMatch: headers["if-none-match"] ?? null };
}
