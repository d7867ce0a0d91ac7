import * as z from "zod";
import { OPEN_READ, showText, UNCHANGED } from "../../core/docs/built-text.ts";
import { DISCOVERY_LINKS } from "../../core/docs/rules.ts";
import { EXAMPLE_ORIGIN } from "../../domain/example-story.ts";
import { endpoint } from "../../http/endpoint.ts";

/** The profile of a catalog (RFC 9727). */
const CATALOG = 'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"';

export const getApiCatalog = endpoint({
	...OPEN_READ,
	path: "/.well-known/api-catalog",
	operationId: "getApiCatalog",
	owner: "doors",
	summary: "Find the descriptions of this API",
	description: "Returns a link set (RFC 9727) with the API's description, documentation and status.",
	response: {
		status: 200,
		description: "The link set (RFC 9264).",
		schema: z.string(),
		contentType: "application/linkset+json",
		headers: { Link: "Links with the same relations as in the body." },
		others: [UNCHANGED],
	},
	errors: [],
	examples: {
		texts: {
			"application/linkset+json": {
				linkset: [
					{
						anchor: EXAMPLE_ORIGIN,
						"service-desc": [{ href: `${EXAMPLE_ORIGIN}/openapi.json`, type: "application/json" }],
						"service-doc": [{ href: `${EXAMPLE_ORIGIN}/docs`, type: "text/html" }],
						status: [{ href: `${EXAMPLE_ORIGIN}/health`, type: "application/json" }],
					},
				],
			},
		},
	},

	handle: (ctx) => showText(ctx, { path: "api-catalog.json", contentType: CATALOG, headers: { Link: DISCOVERY_LINKS } }),
});
