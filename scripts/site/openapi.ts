// Writes the OpenAPI document and its pieces for the Worker: docs/openapi.json without white space, and with a placeholder for the origin
// in examples. Without extensions, there are fewer operations, so the document is generated again.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import { endpoints } from "../../src/compose/endpoints.ts";
import { EXAMPLE_ORIGIN } from "../../src/domain/example-story.ts";
import { buildOpenApiDocument } from "../openapi/document.ts";
import { isCoreOnly } from "../setup/extensions.mjs";
import { PROJECT_ROOT } from "../support/wrangler.ts";
import { buildOpenApiPieces } from "./openapi-pieces.ts";
import type { SiteFiles } from "./site-files.ts";

/** The Worker replaces this placeholder with the reader's origin. */
const BASE_URL = "{base_url}";

const withServers = z.looseObject({ servers: z.array(z.looseObject({ url: z.string() })) });

export async function buildOpenApiFile(): Promise<SiteFiles> {
	const text = isCoreOnly()
		? JSON.stringify(buildOpenApiDocument(endpoints))
		: await readFile(join(PROJECT_ROOT, "docs", "openapi.json"), "utf8");
	const document = withServers.parse(JSON.parse(text.replaceAll(EXAMPLE_ORIGIN, BASE_URL)));
	const servers = document.servers.map((server) => ({ ...server, url: BASE_URL }));
	const whole = { ...document, servers };
	return new Map([["openapi.json", JSON.stringify(whole)], ...buildOpenApiPieces(whole)]);
}
