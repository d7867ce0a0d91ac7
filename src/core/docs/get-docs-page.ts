import * as z from "zod";
import { endpoint, Reply } from "../../http/endpoint.ts";
import { preferredType } from "../../http/negotiation.ts";
import { DOCS_READ, TEXT_ETAG, UNCHANGED } from "./built-text.ts";
import { examplePage, findDocsPage, pageNotFound, pageSlug, pageSummary } from "./docs-page.ts";

const exampleText = "# Tasks\n\nA task is ...\n";

export const getDocsPage = endpoint({
	...DOCS_READ,
	path: "/api/v1/docs/page/{slug}",
	operationId: "getDocsPage",
	summary: "Read a page of the documentation",
	description: "The samples contain this deployment's URL, so you can copy them unchanged.",
	params: z.object({ slug: pageSlug }),
	greedyParam: "slug",
	query: z.object({
		format: z.enum(["json", "raw"]).optional().meta({
			default: "json",
			description: "`raw` returns only the Markdown. Without this parameter, `Accept: text/markdown` does the same.",
		}),
	}),
	response: {
		status: 200,
		description: "The page.",
		schema: pageSummary
			.extend({
				body_md: z.string().describe("The page's MDX source without its frontmatter."),
				file_path: z.string().describe("The path of the page's source in the project."),
			})
			.meta({ id: "DocsPage", description: "A documentation page with its text." }),
		headers: { ...TEXT_ETAG, Vary: "Without `format`, the `Accept` header decides." },
		others: [{ status: 200, description: "The page's Markdown.", contentType: "text/markdown" }, UNCHANGED],
	},
	errors: ["NOT_FOUND"],
	examples: {
		params: { slug: examplePage.slug },
		query: { format: "json" },
		responses: { page: { value: { ...examplePage, body_md: exampleText, file_path: "docs/pages/concepts/tasks.mdx" } } },
		texts: { "text/markdown": exampleText },
	},

	async handle(ctx, { params, query, request }) {
		const docsPage = await findDocsPage(ctx, params.slug);
		if (docsPage === null) throw pageNotFound();
		const { headings: _, ...page } = docsPage;
		const headers = { Vary: "Accept" };
		const isRaw = query.format === undefined ? asksForMarkdown(request) : query.format === "raw";
		if (!isRaw) return new Reply(page, headers);
		return new Response(page.body_md, { headers: { ...headers, "Content-Type": "text/markdown; charset=utf-8" } });
	},
});

function asksForMarkdown(request: Request): boolean {
	return preferredType(request.headers.get("Accept"), ["application/json", "text/markdown"]) === "text/markdown";
}
