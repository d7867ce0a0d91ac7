// The OpenAPI document as the Worker serves it: without the white space of docs/openapi.json.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { PROJECT_ROOT } from "../support/wrangler.ts";
import type { SiteFiles } from "./site-files.ts";

export async function buildOpenApiFile(): Promise<SiteFiles> {
	const document: unknown = JSON.parse(await readFile(join(PROJECT_ROOT, "docs", "openapi.json"), "utf8"));
	return new Map([["openapi.json", JSON.stringify(document)]]);
}
