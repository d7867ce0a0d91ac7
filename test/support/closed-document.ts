// The OpenAPI document with closed responses. Clients must take fields that they do not know, but the platform sends only those of its
// contracts, and tests that compare responses with the document hold it to that.
import { buildOpenApiDocument } from "../../scripts/openapi/document.ts";
import { endpoints } from "../../src/compose/endpoints.ts";
import { OpenApiDocument } from "./openapi-document.ts";

export function readClosedDocument(): OpenApiDocument {
	return new OpenApiDocument(JSON.parse(JSON.stringify(buildOpenApiDocument(endpoints, { isClosed: true }))));
}
