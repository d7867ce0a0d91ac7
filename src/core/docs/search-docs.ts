import * as z from "zod";
import { endpoint } from "../../http/endpoint.ts";
import { text } from "../../http/fields.ts";
import { limitParameter } from "../../http/pagination.ts";
import { DOCS_READ, TEXT_ETAG, UNCHANGED } from "./built-text.ts";
import { examplePage, listDocsPages, pageSummary, viewSummary } from "./docs-page.ts";
import { MAX_BODY_SCORE, SEARCH_WEIGHTS, SNIPPET_LENGTH, searchPage, searchPageForWords, toSearchable } from "./docs-rules.ts";
import { fillBaseUrl } from "./rules.ts";

const searchHit = pageSummary
	.extend({
		snippet: z.string().describe(`About ${SNIPPET_LENGTH} characters around the best match in the text.`),
		score: z.number().describe("The sum of the points of all matches. A match in the title is worth more points than a match in the text."),
	})
	.meta({ id: "DocsSearchHit", description: "A page that a search found." });

export const searchDocs = endpoint({
	...DOCS_READ,
	path: "/api/v1/docs/search",
	operationId: "searchDocs",
	summary: "Search the documentation",
	description: [
		"Finds the exact `q`, including spaces, wherever it occurs, in upper or lower case. Overlapping occurrences count once.",
		`Each occurrence in the title is worth ${SEARCH_WEIGHTS.title} points, in the description ${SEARCH_WEIGHTS.description}, in a heading ${SEARCH_WEIGHTS.heading} and in the rest of the body`,
		`${SEARCH_WEIGHTS.body}, but a page gets at most ${MAX_BODY_SCORE} for its body. The body is the Markdown source, with code but without headings. The best page comes first; pages with equal scores are in the order of GET /api/v1/docs.`,
		"If no page contains the exact `q`, returns pages that contain all of its words. Their score is the sum of the points of all words.",
		"The snippet is the part of the body with the most occurrences. Sentences are preferred to code. If nothing in the body matches, the snippet is the description, or the beginning of the page.",
	].join(" "),
	query: z.object({
		q: text({ min: 1, max: 200 })
			.refine((q) => q.trim() !== "", "must not be blank")
			.meta({ description: "The text to search for.", pattern: "\\S" }),
		limit: limitParameter({ max: 50, default: 10 }),
	}),
	response: {
		status: 200,
		description: "The pages that were found.",
		schema: z
			.object({
				q: z.string().describe("The text that was searched for."),
				hits: z
					.array(searchHit)
					.describe("Pages that contain the text, best match first. If there is none, pages that contain all of its words."),
			})
			.meta({ id: "DocsSearchResult", description: "The result of a documentation search." }),
		headers: TEXT_ETAG,
		others: [UNCHANGED],
	},
	errors: [],
	examples: {
		query: { q: "weights", limit: "10" },
		responses: {
			found: { value: { q: "weights", hits: [{ ...examplePage, snippet: "... all weights of a rubric sum to 100 ...", score: 9 }] } },
			nothing: { summary: "Nothing found", value: { q: "weights", hits: [] } },
		},
	},

	// Finds the exact text, even inside words. If no page contains it, finds pages that contain all of its words.
	async handle(ctx, { query: { q, limit } }) {
		const pages = (await listDocsPages(ctx)).map((page) => {
			const { body, ...rest } = toSearchable(page);
			return { page, searchable: { ...rest, body: fillBaseUrl(body, ctx.baseUrl) } };
		});
		const find = (search: typeof searchPage) =>
			pages.flatMap(({ page, searchable }) => {
				const hit = search(searchable, q);
				return hit === null ? [] : [{ ...viewSummary(page), ...hit }];
			});
		const exact = find(searchPage);
		const hits = exact.length > 0 ? exact : find(searchPageForWords);
		return { q, hits: hits.toSorted((a, b) => b.score - a.score).slice(0, limit) };
	},
});
