import { defineCollection } from "astro:content";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { docsSchema } from "@astrojs/starlight/schema";
import { glob, type Loader } from "astro/loaders";

const PAGES = new URL("../../docs/pages/", import.meta.url);
const CHANGELOG = new URL("../../CHANGELOG.md", import.meta.url);

/** Returns the pages that the docs API serves too, and the changelog. */
function pagesAndChangelog(): Loader {
	const pages = glob({ base: PAGES, pattern: "**/*.mdx" });
	return {
		name: "pages-and-changelog",
		async load(context) {
			await pages.load(context);
			const body = readFileSync(CHANGELOG, "utf8")
				.replace(/^# .*\n/, "")
				.replaceAll("](docs/openapi.json)", "](/openapi.json)")
				.replaceAll(/\]\(docs\/pages\/(.*?)\.mdx/g, "](/docs/$1");
			const data = await context.parseData({
				id: "changelog",
				data: { title: "Changelog", description: "What has changed, newest first." },
				filePath: fileURLToPath(CHANGELOG),
			});
			const rendered = await context.renderMarkdown(body);
			context.store.set({ id: "changelog", data, body, rendered, filePath: "../CHANGELOG.md", digest: context.generateDigest(body) });
		},
	};
}

export const collections = { docs: defineCollection({ loader: pagesAndChangelog(), schema: docsSchema() }) };
