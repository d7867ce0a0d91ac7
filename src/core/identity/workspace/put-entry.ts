import * as z from "zod";
import { AppError, invalidInput } from "../../../domain/errors.ts";
import { credentialRefused } from "../../../http/authenticate.ts";
import { endpoint } from "../../../http/endpoint.ts";
import {
	anyJson,
	entryKey,
	exampleEntry,
	exampleFacts,
	respondWithEntry,
	toPrecondition,
	workspaceEntry,
	writeConditions,
} from "./entry.ts";
import { ENTRY_ETAG, quotaExceeded, SLASHES, tooLarge } from "./fields.ts";
import { ENTRY_LIMITS } from "./rules.ts";

/** The limit for the body: enough for a value of 1 MB in which every character is escaped. */
const ENTRY_BODY_LIMIT_BYTES = 6 * ENTRY_LIMITS.valueBytes + 65_536;

export const putWorkspaceEntry = endpoint({
	method: "put",
	path: "/api/v1/workspace/kv/{key}",
	greedyParam: "key",
	operationId: "putWorkspaceEntry",
	summary: "Store a value",
	description: [
		"Creates or replaces the entry under a key. A value can be any JSON of up to 1 MB. All values together can take up 10 MB, under at most 10,000 keys. To avoid overwriting another process's changes, send If-Match with the ETag that you read, or If-None-Match: *.",
		"Numbers are stored as 64-bit floating-point numbers. A number that is too large, or an integer that cannot be represented exactly, is rejected with INVALID_BODY; send it as text.",
		SLASHES,
	].join("\n\n"),
	tags: ["Workspace"],
	auth: "key",
	rate: "general",
	params: z.object({ key: entryKey }),
	headers: writeConditions,
	body: { schema: z.object({ value: anyJson }), required: true, maxBytes: ENTRY_BODY_LIMIT_BYTES, keepsNumbers: true },
	response: { status: 200, description: "The entry as it is stored now.", schema: workspaceEntry, headers: ENTRY_ETAG },
	errors: ["PRECONDITION_FAILED", "FILE_QUOTA_EXCEEDED", "BYTE_QUOTA_EXCEEDED"],
	page: "guides/workspace",
	examples: {
		params: { key: exampleFacts.key },
		headers: { "if-match": '"7"', "if-none-match": "*" },
		bodies: {
			object: { summary: "An object", value: { value: exampleEntry.value } },
			plain: { summary: "Any JSON is allowed", value: { value: 42 } },
		},
		responses: { stored: { value: exampleEntry } },
	},

	async handle(ctx, { params: { key }, headers, body }) {
		const value = serialize(body.value);
		const sizeBytes = new TextEncoder().encode(value).byteLength;
		if (sizeBytes > ENTRY_LIMITS.valueBytes) throw tooLarge("A value", ENTRY_LIMITS.valueBytes, " Store it as a file instead.");
		const outcome = await ctx.hubs.callWorkspace(ctx.actor.agentId, (workspace) =>
			workspace.putEntry({ key, value, sizeBytes, condition: toPrecondition(headers) }),
		);
		if (!("refused" in outcome)) return respondWithEntry({ ...outcome, value });
		if (outcome.refused === "ERASED") throw credentialRefused();
		throw outcome.refused === "PRECONDITION_FAILED" ? new AppError("PRECONDITION_FAILED") : quotaExceeded(outcome.refused, "entries");
	},
});

/** A value that `JSON.parse` accepted can be nested too deeply for `JSON.stringify`, which then throws a `RangeError`. */
function serialize(value: unknown): string {
	try {
		return JSON.stringify(value);
	} catch (cause) {
		if (!(cause instanceof RangeError)) throw cause;
		throw invalidInput("INVALID_BODY", [{ path: "value", message: "is nested too deeply" }]);
	}
}
