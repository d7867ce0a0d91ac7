import type { Endpoint } from "../../http/endpoint.ts";
import { getDocsPage } from "./get-docs-page.ts";
import { getHandbook } from "./get-handbook.ts";
import { getOpenApi, getOpenApiPiece } from "./get-openapi.ts";
import { getReference } from "./get-reference.ts";
import { listDocs } from "./list-docs.ts";
import { getDocsHome, readDocs } from "./read-docs.ts";
import { searchDocs } from "./search-docs.ts";

export const docsEndpoints = {
	listDocs,
	getDocsPage,
	searchDocs,
	getHandbook,
	getOpenApi,
	getOpenApiPiece,
	getDocsHome,
	readDocs,
	getReference,
} satisfies Record<string, Endpoint>;
