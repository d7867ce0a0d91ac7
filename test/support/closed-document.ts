// The OpenAPI document with closed responses. Clients must accept fields that they do not know, but the platform sends only the fields of
// its contracts, which tests verify with this document.
import { buildOpenApiDocument } from "../../scripts/openapi/document.ts";
import { endpoints } from "../../src/compose/endpoints.ts";
import { OpenApiDocument } from "./openapi-document.ts";

export function readClosedDocument(): OpenApiDocument {
	return new OpenApiDocument(JSON.parse(JSON.stringify(buildOpenApiDocument(endpoints, { isClosed: true }))));
}
