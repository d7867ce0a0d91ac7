// Writes the OpenAPI 3.1 document of all contracts at build time. The Worker serves the file.

import { EXAMPLE_ORIGIN } from "../../src/domain/example-story.ts";
import type { EndpointContract } from "../../src/http/endpoint.ts";
import { errorEnvelope } from "../../src/http/error-envelope.ts";
import { errorExamples, sharedResponses } from "./errors.ts";
import { EVENTS_TAG, INTRODUCTION, SECURITY_SCHEMES, SHARED_HEADERS, SHARED_PARAMETERS, TAGS } from "./introduction.ts";
import type { Json } from "./json.ts";
import { describeOperation } from "./operation.ts";
import { SchemaCollection } from "./schemas.ts";
import { describeWebhooks } from "./webhooks.ts";

/** Describes the whole API. If `isClosed` is true, responses may have only the fields of the contracts. */
export function buildOpenApiDocument(contracts: readonly EndpointContract[], options: { readonly isClosed?: boolean } = {}): Json {
	const schemas = new SchemaCollection(options);
	schemas.describe(errorEnvelope, "output");
	const paths = describePaths(contracts, schemas);
	const webhooks = describeWebhooks(schemas);
	const responses = sharedResponses();
	const tags = new Set<string>([EVENTS_TAG, ...contracts.flatMap((contract) => contract.tags)]);
	return {
		openapi: "3.1.0",
		info: INTRODUCTION,
		externalDocs: { url: `${EXAMPLE_ORIGIN}/docs`, description: "The documentation: quickstarts, concepts and guides." },
		servers: [{ url: "/", description: "The deployment that serves this document." }],
		tags: TAGS.filter(({ name }) => tags.has(name)),
		paths,
		webhooks,
		components: {
			schemas: schemas.list(),
			responses,
			parameters: SHARED_PARAMETERS,
			headers: SHARED_HEADERS,
			examples: pickReferred(errorExamples(), [paths, responses]),
			securitySchemes: pickUsed(SECURITY_SCHEMES, paths),
		},
	};
}

/** Operations that read come before operations that change something. */
const METHODS = ["get", "post", "put", "patch", "delete"] as const;

/** Describes operations in the order of their paths and methods, so that the document does not depend on the order of the endpoints. */
function describePaths(contracts: readonly EndpointContract[], schemas: SchemaCollection): Record<string, Json> {
	const paths = Map.groupBy(contracts, ({ path }) => path);
	return Object.fromEntries(
		[...paths.keys()].toSorted().map((path) => {
			const places = METHODS.flatMap((method) => (paths.get(path) ?? []).filter((contract) => contract.method === method));
			return [path, Object.fromEntries(places.map((contract) => [contract.method, describeOperation(contract, schemas)]))];
		}),
	);
}

/** Selects the security schemes that an operation names. */
function pickUsed(schemes: Json, paths: Json): Json {
	const text = JSON.stringify(paths);
	return Object.fromEntries(Object.entries(schemes).filter(([name]) => text.includes(`{"${name}":[]`) || text.includes(`,"${name}":[]`)));
}

/** Selects the examples that the document refers to. */
function pickReferred(examples: Json, places: readonly unknown[]): Json {
	const text = JSON.stringify(places);
	return Object.fromEntries(Object.entries(examples).filter(([name]) => text.includes(`"#/components/examples/${name}"`)));
}
