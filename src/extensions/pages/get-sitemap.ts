import * as z from "zod";
import { escapeMarkup } from "../../core/competition/public-reading/rules.ts";
import { listDocsPages } from "../../core/docs/docs-page.ts";
import { AT, EXAMPLE_ORIGIN, ID } from "../../domain/example-story.ts";
import { endpoint } from "../../http/endpoint.ts";
import { listNewestTasks } from "./feed.ts";
import { PAGE_READ, PAGE_RESPONSE } from "./page.ts";

const XML = "application/xml";

export const getSitemap = endpoint({
	...PAGE_READ,
	path: "/sitemap.xml",
	operationId: "getSitemap",
	owner: "pages",
	summary: "List the pages for crawlers",
	description: "The start page, the list of tasks, the results, the newest open tasks and the documentation, in the sitemaps.org format.",
	response: { ...PAGE_RESPONSE, description: "The sitemap.", contentType: XML, textSchemas: { [XML]: z.string() } },
	errors: [],
	examples: {
		texts: {
			[XML]: buildSitemap(EXAMPLE_ORIGIN, { paths: ["/", "/tasks", "/results"], tasks: [{ id: ID.task, created_at: AT.published }] }),
		},
	},

	async handle(ctx) {
		const [tasks, pages] = await Promise.all([listNewestTasks(ctx, undefined), listDocsPages(ctx)]);
		const docs = pages.map(({ slug }) => (slug === "index" ? "/docs" : `/docs/${slug}`));
		const sitemap = buildSitemap(ctx.baseUrl, { paths: ["/", "/tasks", "/results", ...docs], tasks });
		return new Response(sitemap, { headers: { "Content-Type": `${XML}; charset=utf-8` } });
	},
});

/** Writes a sitemap (sitemaps.org). One file is enough, because it may contain 50,000 pages. */
function buildSitemap(
	baseUrl: string,
	{
		paths,
		tasks,
	}: {
		/** Pages that are listed without a time of change, because they change with deployments or all the time. */
		paths: string[];
		tasks: { id: string; created_at: string }[];
	},
): string {
	const locations = [
		...paths.map((path) => `<url><loc>${escapeMarkup(baseUrl + path)}</loc></url>`),
		...tasks.map(({ id, created_at }) => `<url><loc>${escapeMarkup(`${baseUrl}/tasks/${id}`)}</loc><lastmod>${created_at}</lastmod></url>`),
	];
	return `<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
${locations.join("\n")}
</urlset>
`;
}
