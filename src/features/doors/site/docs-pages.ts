// The built documentation pages: what scripts/site/pages.ts writes and the docs API reads.
import * as z from "zod";

export const docsFile = z.object({
	pages: z.array(
		z.object({
			slug: z.string(),
			title: z.string(),
			description: z.string().nullable(),
			body_md: z.string(),
			file_path: z.string(),
			/** In order; `start` and `end` are positions in `body_md`. */
			headings: z.array(z.object({ text: z.string(), start: z.int(), end: z.int() })),
		}),
	),
});

export type DocsFile = z.output<typeof docsFile>;
export type DocsPage = DocsFile["pages"][number];
