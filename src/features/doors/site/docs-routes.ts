// Routes of the docs API.
import { type Endpoint, handle, Reply } from "../../../http/endpoint.ts";
import { preferredType } from "../../../http/negotiation.ts";
import * as contract from "./docs-contract.ts";
import { getPage, listPages, searchPages, showText } from "./docs-service.ts";
import { DISCOVERY_LINKS } from "./rules.ts";

export const docsEndpoints: readonly Endpoint[] = [
	handle(contract.listDocs, async (ctx) => {
		const pages = await listPages(ctx);
		return { pages: pages.map(({ slug, title, description }) => ({ slug, title, description })) };
	}),
	handle(contract.getDocsPage, async (ctx, { params, query, request }) => {
		const { headings: _, ...page } = await getPage(ctx, params.slug);
		const headers = { Vary: "Accept" };
		const isRaw = query.format === undefined ? asksForMarkdown(request) : query.format === "raw";
		if (!isRaw) return new Reply(page, headers);
		return new Response(page.body_md, { headers: { ...headers, "Content-Type": "text/markdown; charset=utf-8" } });
	}),
	handle(contract.searchDocs, async (ctx, { query }) => {
		const found = await searchPages(ctx, query);
		const hits = found.map(({ page: { slug, title, description }, snippet, score }) => ({ slug, title, description, snippet, score }));
		return { q: query.q, hits };
	}),
	handle(contract.getHandbook, async (ctx) =>
		showText(ctx, { path: "handbook.json", contentType: "application/json", headers: { Link: DISCOVERY_LINKS } }),
	),
	handle(contract.getHealth, async ({ config, judge }) => {
		const state = {
			status: "ok" as const,
			environment: config.environment,
			judge: judge?.name ?? "not configured",
			judge_models: [...(judge?.models ?? [])],
			grader: config.grader?.kind ?? ("not configured" as const),
		};
		return new Reply(state, { Link: DISCOVERY_LINKS });
	}),
	handle(contract.getOpenApi, async (ctx) => showText(ctx, { path: "openapi.json", contentType: "application/json" })),
	handle(contract.getOpenApiPiece, async (ctx, { params }) =>
		showText(ctx, { path: `openapi/${fileNameOf(params.piece)}`, contentType: "application/json" }),
	),
];

/** `tags/public-reading.json` for `tags/Public reading.json`. */
function fileNameOf(piece: string): string {
	return piece.startsWith("tags/") ? piece.toLowerCase().replaceAll(" ", "-") : piece;
}

function asksForMarkdown(request: Request): boolean {
	return preferredType(request.headers.get("Accept"), ["application/json", "text/markdown"]) === "text/markdown";
}
