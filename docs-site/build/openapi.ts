// Prepares the OpenAPI document for the reference.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "astro/zod";
import { PROJECT_ROOT } from "../src/project-root.ts";

/** The document's examples have this origin, `EXAMPLE_ORIGIN` of scripts/openapi. The build replaces it by `{base_url}`. */
export const EXAMPLE_ORIGIN = "https://bounties.example";
const COPY = ".astro/openapi.json";

const described = z.looseObject({
	paths: z.record(z.string(), z.record(z.string(), z.looseObject({ operationId: z.string(), description: z.string().optional() }))),
});

/** Names the operation in its text, where the search finds it. */
function nameOperation(operation: { operationId: string; description?: string | undefined }): void {
	operation.description = [operation.description, `Operation: \`${operation.operationId}\``].filter(Boolean).join("\n\n");
}

/**
 * Writes a copy of docs/openapi.json whose server has an origin, which the requests of the reference need.
 *
 * @returns The copy's path, from this folder.
 */
export function prepareOpenApi(): string {
	const document = described.parse(JSON.parse(readFileSync(join(PROJECT_ROOT, "docs", "openapi.json"), "utf8")));
	for (const item of Object.values(document.paths)) for (const operation of Object.values(item)) nameOperation(operation);
	mkdirSync(".astro", { recursive: true });
	writeFileSync(COPY, JSON.stringify({ ...document, servers: [{ url: EXAMPLE_ORIGIN }] }));
	return `./${COPY}`;
}
