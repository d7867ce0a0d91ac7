import * as z from "zod";
import { endpoint } from "../../http/endpoint.ts";
import { DOCS_READ, TEXT_ETAG, UNCHANGED } from "./built-text.ts";
import { examplePage, listDocsPages, pageSummary, viewSummary } from "./docs-page.ts";

export const listDocs = endpoint({
	...DOCS_READ,
	path: "/api/v1/docs",
	operationId: "listDocs",
	summary: "List the pages of the documentation",
	description: "In reading order.",
	response: {
		status: 200,
		description: "Every page.",
		schema: z
			.object({ pages: z.array(pageSummary).describe("All pages, in reading order.") })
			.meta({ id: "DocsList", description: "The documentation pages." }),
		headers: TEXT_ETAG,
		others: [UNCHANGED],
	},
	errors: [],
	examples: { responses: { pages: { value: { pages: [examplePage] } } } },

	async handle(ctx) {
		const pages = await listDocsPages(ctx);
		return { pages: pages.map(viewSummary) };
	},
});
