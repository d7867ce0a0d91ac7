import * as z from "zod";
import { preferredType } from "../../../http/negotiation.ts";
import { sha256Hex } from "../../../platform/crypto.ts";
import type { PublicCtx } from "../../../ports/deps.ts";
import { fillBaseUrl } from "./docs-rules.ts";
import { findPage, findText, pageNotFound, showText } from "./docs-service.ts";
import { DISCOVERY_LINKS, DOCS_HEADERS, htmlFileOf, isReference, PAGE_HEADERS, REFERENCE_PATH } from "./rules.ts";

const HTML = "text/html; charset=utf-8";
const MARKDOWN = "text/markdown; charset=utf-8";
const NEGOTIATED = { Vary: "Accept", Link: DISCOVERY_LINKS } as const;

export async function showHtml(ctx: PublicCtx, path: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
	return showText(ctx, { path, contentType: HTML, headers: { ...PAGE_HEADERS, ...headers } });
}

/**
 * A page of the documentation, as HTML or as Markdown under its title. The API reference has HTML only.
 *
 * @throws AppError NOT_FOUND.
 */
export async function showDocsPage(ctx: PublicCtx, slug: string, request: Request): Promise<Response> {
	const isSource = slug.endsWith(".md");
	const page = await findPage(ctx, isSource ? slug.slice(0, -".md".length) : slug);
	if (page !== null && (isSource || prefersMarkdown(request))) {
		const headers = { ...NEGOTIATED, "Content-Type": MARKDOWN, "Cache-Control": "no-cache" };
		return new Response(`# ${page.title}\n\n${page.body_md}`, { headers });
	}
	const shown = isSource ? null : await findDocsHtml(ctx, slug, page !== null);
	if (shown === null) throw pageNotFound();
	return shown;
}

function prefersMarkdown(request: Request): boolean {
	return preferredType(request.headers.get("Accept"), ["text/html", "text/markdown"]) === "text/markdown";
}

/** The built page. `npm start` serves the platform before the documentation is built; until then another page says so. */
async function findDocsHtml(ctx: PublicCtx, slug: string, isPage: boolean): Promise<Response | null> {
	const path = htmlFileOf(slug);
	const built = await findText(ctx, { path, contentType: HTML, headers: { ...NEGOTIATED, ...DOCS_HEADERS } });
	if (built !== null) return built;
	const isExpected = isPage || (isReference(slug) && (await ctx.assets.find(htmlFileOf("index"))) === null);
	if (!isExpected) return null;
	return showHtml(ctx, "docs-pending.html", { ...NEGOTIATED, "Cache-Control": "no-store", Refresh: "5" });
}

/** The API reference is a part of the documentation. */
export function redirectToReference(): Response {
	return new Response(null, { status: 302, headers: { Location: REFERENCE_PATH } });
}

const skillFile = z.object({ name: z.string(), description: z.string() });

/** The index of skills. The digest covers the text with the reader's origin in it, because the URL returns that text. */
export async function describeSkills(ctx: PublicCtx) {
	const { name, description } = await ctx.assets.readJson("skill.json", skillFile);
	const shown = await showText(ctx, { path: "skill.md", contentType: "text/markdown" });
	const digest = `sha256:${await sha256Hex(await shown.text())}`;
	const skill = {
		name,
		type: "skill-md" as const,
		description: fillBaseUrl(description, ctx.baseUrl),
		url: `${ctx.baseUrl}/skill.md`,
		digest,
	};
	return { $schema: "https://schemas.agentskills.io/discovery/0.2.0/schema.json" as const, skills: [skill] };
}
