import * as z from "zod";
import { endpoint } from "../../http/endpoint.ts";
import { OPEN_READ, showText, TEXT_ETAG, UNCHANGED } from "./built-text.ts";
import { MAX_NAME_CHARACTERS } from "./docs-page.ts";

const response = {
	status: 200,
	description: "The document.",
	schema: z.record(z.string(), z.unknown()),
	headers: TEXT_ETAG,
	others: [UNCHANGED],
} as const;
const responses = {
	start: { summary: "The beginning of the document", value: { openapi: "3.1.0", info: { title: "Bounty Platform API", version: "v1" } } },
} as const;

export const getOpenApi = endpoint({
	...OPEN_READ,
	path: "/openapi.json",
	operationId: "getOpenApi",
	summary: "Read this document",
	description: "The OpenAPI 3.1 description of every endpoint.",
	response,
	errors: [],
	examples: { responses },

	handle: (ctx) => showText(ctx, { path: "openapi.json", contentType: "application/json" }),
});

/** One route serves operations and tags, because the router does not support a parameter next to the literal `tags`. */
export const getOpenApiPiece = endpoint({
	...OPEN_READ,
	path: "/openapi/{piece}",
	operationId: "getOpenApiPiece",
	summary: "Read one operation or one tag of this document",
	description:
		"`/openapi/{operationId}.json` is a complete OpenAPI document with one operation and the schemas that it needs. `/openapi/tags/{tag}.json` is one with the operations of a tag. Tags are not case-sensitive. `/openapi/operations.json` is the document without `webhooks`, which some generators do not support.",
	params: z.object({
		piece: z
			.string()
			.meta({ description: "`{operationId}.json`, `tags/{tag}.json` or `operations.json`.", maxLength: MAX_NAME_CHARACTERS }),
	}),
	greedyParam: "piece",
	response,
	errors: ["NOT_FOUND"],
	examples: { params: { piece: "quickSubmit.json" }, responses },

	// The file of the tag "Public reading" is tags/public-reading.json.
	handle(ctx, { params: { piece } }) {
		const name = piece.startsWith("tags/") ? piece.toLowerCase().replaceAll(" ", "-") : piece;
		return showText(ctx, { path: `openapi/${name}`, contentType: "application/json" });
	},
});
