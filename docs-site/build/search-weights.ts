// Makes the search prefer written pages to the reference, which has the same words on hundreds of pages.
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { AstroIntegration } from "astro";

/** Pagefind multiplies the score of a word by the square of this. In written pages a text has 1 and a title 7. */
const TEXT_WEIGHT = 0.1;

export function searchWeights(): AstroIntegration {
	return {
		name: "search-weights",
		hooks: {
			"astro:build:done": async ({ dir }) => {
				const root = join(fileURLToPath(dir), "reference");
				const paths = (await readdir(root, { recursive: true })).filter((path) => path.endsWith(".html"));
				for (const path of paths) {
					const page = await readFile(join(root, path), "utf8");
					await writeFile(join(root, path), page.replace("<main data-pagefind-body", `$& data-pagefind-weight="${TEXT_WEIGHT}"`));
				}
			},
		},
	};
}
