// The pages of the documentation are in one built file, which the docs API and /docs read here.
import * as z from "zod";
import { AppError } from "../../domain/errors.ts";
import type { PublicCtx } from "../../ports/deps.ts";
import { fillBaseUrl } from "./rules.ts";

/** scripts/site/pages.ts writes the file `docs.json`. */
export const docsFile = z.object({
	pages: z.array(
		z.object({
			slug: z.string(),
			title: z.string(),
			description: z.string().nullable(),
			body_md: z.string(),
			file_path: z.string(),
			/** Headings in the order of the page. `start` and `end` are where the heading begins and ends in `body_md`. */
			headings: z.array(z.object({ text: z.string(), start: z.int(), end: z.int() })),
		}),
	),
});

export type DocsFile = z.output<typeof docsFile>;
export type DocsPage = DocsFile["pages"][number];

/** No page or file has a longer name, so a longer one returns 404 instead of 400. */
export const MAX_NAME_CHARACTERS = 512;

export const pageSlug = z.string().meta({
	description: "The page's slug, as in GET /api/v1/docs. You can send its slashes unescaped.",
	maxLength: MAX_NAME_CHARACTERS,
});

export const pageSummary = z
	.object({
		slug: z.string().describe("Identifies the page. Its parts are separated by slashes."),
		title: z.string().describe("The page's title."),
		description: z.string().nullable().describe("What the page is about, in one sentence. Null if the page has no description."),
	})
	.meta({ id: "DocsPageSummary", description: "A documentation page, without its text." });

export const examplePage = { slug: "concepts/tasks", title: "Tasks", description: "What a task is, and how it goes from draft to closed." };

export function viewSummary({ slug, title, description }: DocsPage): z.input<typeof pageSummary> {
	return { slug, title, description };
}

/** Returns every page in reading order, still with the placeholder `{base_url}`. */
export async function listDocsPages({ assets }: PublicCtx): Promise<readonly DocsPage[]> {
	return (await assets.readJson("docs.json", docsFile)).pages;
}

/** Returns a page with the reader's origin in its samples, or null if the page does not exist. */
export async function findDocsPage(ctx: PublicCtx, slug: string): Promise<DocsPage | null> {
	const page = (await listDocsPages(ctx)).find((candidate) => candidate.slug === slug);
	return page === undefined ? null : { ...page, body_md: fillBaseUrl(page.body_md, ctx.baseUrl) };
}

/** Builds the error for a page that does not exist. */
export function pageNotFound(): AppError {
	return new AppError("NOT_FOUND", { message: "This page does not exist. GET /api/v1/docs lists all pages." });
}
